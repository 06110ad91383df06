#include "thermocouple.h"

#include <cmath>

#include "spi.h"

namespace {

constexpr int kChannels = 3;
constexpr float kBroken = -1000.0f;

float offsets[kChannels] = {0.0f, 0.0f, 0.0f};

float getVal(int channel) {
    const uint32_t raw = spi::read32(channel);
    if (raw & 0x7) {
        return kBroken;
    }
    const int32_t steps = static_cast<int32_t>(raw) >> 18;
    return static_cast<float>(steps) * 0.25f + offsets[channel];
}

bool plausible(float celsius) {
    return celsius > -20.0f && celsius < 1400.0f;
}

}  // namespace

void thermocouple::calibrate(float roomCelsius) {
    for (int i = 0; i < kChannels; ++i) {
        offsets[i] = 0.0f;
        const float now = getVal(i);
        if (plausible(now)) {
            offsets[i] = roomCelsius - now;
        }
    }
}

float thermocouple::average() {
    float sum = 0.0f;
    int used = 0;
    for (int i = 0; i < kChannels; ++i) {
        const float now = getVal(i);
        if (plausible(now)) {
            sum += now;
            ++used;
        }
    }
    return used == 0 ? NAN : sum / static_cast<float>(used);
}

bool thermocouple::allWorking() {
    for (int i = 0; i < kChannels; ++i) {
        if (!plausible(getVal(i))) {
            return false;
        }
    }
    return true;
}
