#pragma once

#include <cstdint>

namespace soil {

void begin();
void update(uint32_t now);

// 0 is bone dry, 100 is soaked.
int moisture();

}  // namespace soil
