#pragma once

namespace synth {

struct Adsr {
    double attack = 0.01;
    double decay = 0.10;
    double sustain = 0.7;
    double release = 0.30;
};

class Envelope {
public:
    Envelope(Adsr shape, int sampleRate);

    void noteOn();
    void noteOff();
    double next();
    bool finished() const;

private:
    enum class Stage { Idle, Attack, Decay, Sustain, Release };

    Adsr shape_;
    int sampleRate_;
    Stage stage_ = Stage::Idle;
    double level_ = 0.0;
    double releaseFrom_ = 0.0;
};

}  // namespace synth
