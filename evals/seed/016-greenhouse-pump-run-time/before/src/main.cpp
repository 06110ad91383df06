#include <Arduino.h>

#include "climate.h"
#include "mqtt.h"
#include "pump.h"
#include "soil.h"
#include "window.h"

static uint32_t lastReport = 0;

void setup() {
    Serial.begin(115200);
    soil::begin();
    climate::begin();
    pump::begin();
    window::begin();
    mqtt::begin();
}

void loop() {
    const uint32_t now = millis();
    soil::update(now);
    climate::update(now);
    pump::update(now, soil::moisture());
    window::update(now, climate::celsius());
    mqtt::update(now);

    if (now - lastReport >= 30000) {
        lastReport = now;
        mqtt::report(soil::moisture(), climate::celsius(), pump::isOn());
    }
}
