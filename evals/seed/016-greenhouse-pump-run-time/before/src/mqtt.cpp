#include "mqtt.h"

#include <PubSubClient.h>
#include <WiFi.h>

namespace {

constexpr char kBroker[] = "shed.local";
constexpr uint16_t kPort = 1883;
constexpr uint32_t kRetryMs = 10 * 1000;

WiFiClient socket;
PubSubClient client(socket);
uint32_t lastTry = 0;

}  // namespace

void mqtt::begin() {
    client.setServer(kBroker, kPort);
    client.setKeepAlive(30);
}

void mqtt::update(uint32_t now) {
    if (client.connected()) {
        client.loop();
    } else if (now - lastTry >= kRetryMs) {
        lastTry = now;
        client.connect("greenhouse");
    }
}

void mqtt::report(int moisture, float celsius, bool pumpOn) {
    char text[80];
    snprintf(text, sizeof text, "{\"soil\":%d,\"celsius\":%.1f,\"pump\":%s}",
             moisture, celsius, pumpOn ? "true" : "false");
    client.publish("greenhouse/state", text);
}
