#pragma once

#include <cmath>

namespace synth {

enum class Wave { Sine, Square, Saw, Triangle };

class Oscillator {
public:
    Oscillator(Wave wave, double frequency, int sampleRate)
        : wave_(wave), step_(frequency / sampleRate) {}

    void setFrequency(double frequency, int sampleRate) { step_ = frequency / sampleRate; }

    double next() {
        const double p = phase_;
        phase_ += step_;
        if (phase_ >= 1.0) phase_ -= 1.0;
        switch (wave_) {
            case Wave::Sine: return std::sin(2.0 * M_PI * p);
            case Wave::Square: return p < 0.5 ? 1.0 : -1.0;
            case Wave::Saw: return 2.0 * p - 1.0;
            case Wave::Triangle: return 4.0 * std::abs(p - 0.5) - 1.0;
        }
        return 0.0;
    }

private:
    Wave wave_;
    double step_;
    double phase_ = 0.0;
};

}  // namespace synth
