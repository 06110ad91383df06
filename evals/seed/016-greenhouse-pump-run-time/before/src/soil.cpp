#include "soil.h"

#include <Arduino.h>

#include "pins.h"

namespace {

constexpr int kRawDry = 2890;
constexpr int kRawWet = 1240;
constexpr uint32_t kEveryMs = 2000;

float smooth = kRawDry;
uint32_t last = 0;

}  // namespace

void soil::begin() {
    analogReadResolution(12);
    smooth = analogRead(kPinSoil);
}

void soil::update(uint32_t now) {
    if (now - last < kEveryMs) {
        return;
    }
    last = now;
    smooth += (analogRead(kPinSoil) - smooth) * 0.2f;
}

int soil::moisture() {
    const long percent = map(static_cast<long>(smooth), kRawDry, kRawWet, 0, 100);
    return constrain(percent, 0, 100);
}
