#pragma once

#include <cstdint>

namespace pump {

void begin();
void update(uint32_t now, int moisture);
bool isOn();

}  // namespace pump
