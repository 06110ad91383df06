#include "envelope.hpp"

#include <algorithm>

namespace synth {

namespace {

double perSample(double seconds, int sampleRate) {
    const double samples = seconds * sampleRate;
    return samples < 1.0 ? 1.0 : 1.0 / samples;
}

}  // namespace

Envelope::Envelope(Adsr shape, int sampleRate) : shape_(shape), sampleRate_(sampleRate) {
    shape_.sustain = std::clamp(shape_.sustain, 0.0, 1.0);
}

void Envelope::noteOn() {
    stage_ = Stage::Attack;
    level_ = 0.0;
}

void Envelope::noteOff() {
    if (stage_ == Stage::Idle) {
        return;
    }
    releaseFrom_ = level_;
    stage_ = Stage::Release;
}

bool Envelope::finished() const {
    return stage_ == Stage::Idle;
}

double Envelope::next() {
    switch (stage_) {
        case Stage::Idle:
            return 0.0;

        case Stage::Attack:
            level_ += perSample(shape_.attack, sampleRate_);
            if (level_ >= 1.0) {
                level_ = 1.0;
                stage_ = Stage::Decay;
            }
            break;

        case Stage::Decay:
            level_ -= perSample(shape_.decay, sampleRate_) * (1.0 - shape_.sustain);
            if (level_ <= shape_.sustain) {
                level_ = shape_.sustain;
                stage_ = Stage::Sustain;
            }
            break;

        case Stage::Sustain:
            break;

        case Stage::Release:
            level_ -= perSample(shape_.release, sampleRate_) * releaseFrom_;
            if (level_ <= 0.0) {
                level_ = 0.0;
                stage_ = Stage::Idle;
            }
            break;
    }
    return level_;
}

}  // namespace synth
