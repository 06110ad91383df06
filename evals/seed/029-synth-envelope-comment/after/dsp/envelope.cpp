#include "envelope.h"

#include <algorithm>

namespace dsp {

namespace {

// A zero attack would click.
constexpr float kMinAttack = 0.002f;
constexpr float kMaxAttack = 4.0f;
// Shorter ones can't be heard.
constexpr float kMinRelease = 0.01f;
constexpr float kSilence = 0.0001f;

}  // namespace

Envelope::Envelope(float sampleRate) : sampleRate_(sampleRate) {}

void Envelope::setAttack(float seconds) {
    attack_ = std::clamp(seconds, kMinAttack, kMaxAttack);
}

void Envelope::setRelease(float seconds) {
    release_ = std::max(seconds, kMinRelease);
}

void Envelope::noteOn() {
    stage_ = Stage::Attack;
}

void Envelope::noteOff() {
    if (stage_ != Stage::Idle) {
        stage_ = Stage::Release;
    }
}

float Envelope::next() {
    switch (stage_) {
        case Stage::Idle:
            return 0.0f;
        case Stage::Attack:
            level_ += 1.0f / (attack_ * sampleRate_);
            if (level_ >= 1.0f) {
                level_ = 1.0f;
                stage_ = Stage::Hold;
            }
            break;
        case Stage::Hold:
            break;
        case Stage::Release:
            level_ -= level_ * 5.0f / (release_ * sampleRate_);
            if (level_ < kSilence) {
                level_ = 0.0f;
                stage_ = Stage::Idle;
            }
            break;
    }
    return level_;
}

}  // namespace dsp
