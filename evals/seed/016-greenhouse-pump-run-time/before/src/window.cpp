#include "window.h"

#include <Arduino.h>

#include "pins.h"

namespace {

enum class State { Closed, Opening, Open, Closing };

constexpr float kOpenFrom = 30.0f;
constexpr float kCloseBelow = 24.0f;
constexpr uint32_t kMaxRunMs = 22 * 1000;

State state = State::Closed;
uint32_t startedAt = 0;

void motor(bool up, bool down) {
    digitalWrite(kPinWindowUp, up ? HIGH : LOW);
    digitalWrite(kPinWindowDown, down ? HIGH : LOW);
}

void go(State next, uint32_t now) {
    state = next;
    startedAt = now;
    motor(next == State::Opening, next == State::Closing);
}

}  // namespace

void window::begin() {
    pinMode(kPinWindowUp, OUTPUT);
    pinMode(kPinWindowDown, OUTPUT);
    motor(false, false);
}

void window::update(uint32_t now, float celsius) {
    switch (state) {
        case State::Closed:
            if (celsius >= kOpenFrom) go(State::Opening, now);
            break;
        case State::Open:
            if (celsius < kCloseBelow) go(State::Closing, now);
            break;
        case State::Opening:
            if (now - startedAt >= kMaxRunMs) go(State::Open, now);
            break;
        case State::Closing:
            if (now - startedAt >= kMaxRunMs) go(State::Closed, now);
            break;
    }
}
