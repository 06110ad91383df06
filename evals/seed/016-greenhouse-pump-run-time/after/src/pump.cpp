#include "pump.h"

#include <Arduino.h>

#include "pins.h"

namespace {

constexpr int kDryBelow = 30;
constexpr int kWetFrom = 55;
constexpr uint32_t kMaxRunMs = 45 * 1000;
constexpr uint32_t kRestMs = 5 * 60 * 1000;

bool on = false;
uint32_t changedAt = 0;

void set(bool wanted, uint32_t now) {
    if (wanted == on) {
        return;
    }
    on = wanted;
    changedAt = now;
    digitalWrite(kPinPump, on ? HIGH : LOW);
}

}  // namespace

void pump::begin() {
    pinMode(kPinPump, OUTPUT);
    digitalWrite(kPinPump, LOW);
}

void pump::update(uint32_t now, int moisture) {
    const uint32_t since = now - changedAt;
    if (on) {
        if (moisture >= kWetFrom || since >= kMaxRunMs) {
            set(false, now);
        }
    } else if (moisture < kDryBelow && since >= kRestMs) {
        set(true, now);
    }
}

bool pump::isOn() {
    return on;
}
