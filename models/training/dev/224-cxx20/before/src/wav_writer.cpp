#include "wav_writer.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <stdexcept>

namespace synth {

namespace {

void put16(std::ofstream& out, std::uint16_t v) {
    out.put(static_cast<char>(v & 0xff));
    out.put(static_cast<char>(v >> 8));
}

void put32(std::ofstream& out, std::uint32_t v) {
    put16(out, static_cast<std::uint16_t>(v & 0xffff));
    put16(out, static_cast<std::uint16_t>(v >> 16));
}

}  // namespace

void writeWav(const std::string& path, const std::vector<double>& samples, int sampleRate) {
    std::ofstream out(path, std::ios::binary);
    if (!out) {
        throw std::runtime_error("cannot open file");
    }

    const std::uint32_t bytes = static_cast<std::uint32_t>(samples.size() * 2);
    const std::uint16_t channels = 1;

    out.write("RIFF", 4);
    put32(out, 36 + bytes);
    out.write("WAVE", 4);

    out.write("fmt ", 4);
    put32(out, 16);
    put16(out, 1);
    put16(out, channels);
    put32(out, static_cast<std::uint32_t>(sampleRate));
    put32(out, static_cast<std::uint32_t>(sampleRate) * channels * 2);
    put16(out, channels * 2);
    put16(out, 16);

    out.write("data", 4);
    put32(out, bytes);

    for (double s : samples) {
        const double clipped = std::clamp(s, -1.0, 1.0);
        put16(out, static_cast<std::uint16_t>(static_cast<std::int16_t>(clipped * 32767.0)));
    }
}

double peak(const std::vector<double>& samples) {
    double best = 0.0;
    for (double s : samples) {
        best = std::max(best, s < 0 ? -s : s);
    }
    return best;
}

void normalise(std::vector<double>& samples, double target) {
    const double top = peak(samples);
    for (double& s : samples) {
        s *= target / top;
    }
}

}  // namespace synth
