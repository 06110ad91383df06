#include "climate.h"

#include <DHT.h>

#include "pins.h"

namespace {

constexpr uint32_t kEveryMs = 5 * 1000;

DHT sensor(kPinClimate, DHT22);
float lastCelsius = 20.0f;
float lastHumidity = 50.0f;
uint32_t last = 0;

}  // namespace

void climate::begin() {
    sensor.begin();
}

void climate::update(uint32_t now) {
    if (now - last < kEveryMs) {
        return;
    }
    last = now;
    const float t = sensor.readTemperature();
    const float h = sensor.readHumidity();
    if (!isnan(t)) {
        lastCelsius = t;
    }
    if (!isnan(h)) {
        lastHumidity = h;
    }
}

float climate::celsius() {
    return lastCelsius;
}

float climate::humidity() {
    return lastHumidity;
}
