#pragma once

#include <cstdint>

namespace thermocouple {

// Call once while the kiln is cold.
void calibrate(float roomCelsius);

// Mean of the working sensors, NAN if there is none.
float average();

bool allWorking();

}  // namespace thermocouple
