#pragma once

#include <string>
#include <vector>

namespace synth {

void writeWav(const std::string& path, const std::vector<double>& samples, int sampleRate);
double peak(const std::vector<double>& samples);
void normalise(std::vector<double>& samples, double target);

}  // namespace synth
