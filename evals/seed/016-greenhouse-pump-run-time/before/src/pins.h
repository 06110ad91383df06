#pragma once

constexpr int kPinClimate = 4;
constexpr int kPinPump = 16;
constexpr int kPinWindowUp = 17;
constexpr int kPinWindowDown = 18;
constexpr int kPinSoil = 34;
