#include "depth.hpp"

#include <iomanip>
#include <sstream>

namespace {

constexpr double surface_bar = 1.013;
constexpr double bar_per_metre = 0.1006;

}  // namespace

std::string Depth::text(int digits) const
{
    std::ostringstream out;
    out << std::fixed << std::setprecision(digits) << metres_ << " m";
    return out.str();
}

double Depth::pressure() const
{
    return surface_bar + metres_ * bar_per_metre;
}
