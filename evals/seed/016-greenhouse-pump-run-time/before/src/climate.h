#pragma once

#include <cstdint>

namespace climate {

void begin();
void update(uint32_t now);
float celsius();
float humidity();

}  // namespace climate
