#pragma once

#include <string>

/// A depth below the surface.
class Depth {
public:
    explicit Depth(double metres) : metres_(metres) {}

    double metres() const { return metres_; }

    /// The depth for the display.
    std::string text() const;

    /// The pressure in bar, in sea water.
    double pressure() const;

private:
    double metres_;
};
