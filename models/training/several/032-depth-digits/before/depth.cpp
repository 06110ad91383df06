#include "depth.hpp"

#include <iomanip>
#include <sstream>

namespace {

constexpr double surface_bar = 1.013;
constexpr double bar_per_metre = 0.1006;

}  // namespace

std::string Depth::text() const
{
    std::ostringstream out;
    out << std::fixed << std::setprecision(1) << metres_ << " m";
    return out.str();
}

double Depth::pressure() const
{
    return surface_bar + metres_ * bar_per_metre;
}
