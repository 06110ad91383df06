#pragma once

#include <cstdint>

namespace mqtt {

void begin();
void update(uint32_t now);
void report(int moisture, float celsius, bool pumpOn);

}  // namespace mqtt
