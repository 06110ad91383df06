#include <iostream>

#include "envelope.hpp"
#include "oscillator.hpp"
#include "wav_writer.hpp"

int main(int argc, char** argv) {
    const int rate = 44100;
    const double seconds = 2.0;
    const std::string target = argc > 1 ? argv[1] : "tone.wav";

    synth::Oscillator osc(synth::Wave::Saw, 220.0, rate);
    synth::Envelope env({}, rate);
    env.noteOn();

    std::vector<double> samples;
    const int total = static_cast<int>(seconds * rate);
    for (int i = 0; i < total; ++i) {
        if (i == total / 2) env.noteOff();
        samples.push_back(osc.next() * env.next());
    }

    synth::normalise(samples, 0.9);
    synth::writeWav(target, samples, rate);
    std::cout << "wrote " << target << "\n";
}
