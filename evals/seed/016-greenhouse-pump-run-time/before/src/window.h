#pragma once

#include <cstdint>

namespace window {

void begin();
void update(uint32_t now, float celsius);

}  // namespace window
