#pragma once

namespace dsp {

class Envelope {
public:
    explicit Envelope(float sampleRate);

    void setAttack(float seconds);
    void setRelease(float seconds);
    void noteOn();
    void noteOff();
    float next();

private:
    enum class Stage { Idle, Attack, Hold, Release };

    float sampleRate_;
    float attack_ = 0.01f;
    float release_ = 0.2f;
    float level_ = 0.0f;
    Stage stage_ = Stage::Idle;
};

}  // namespace dsp
