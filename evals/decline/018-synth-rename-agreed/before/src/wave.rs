//! Basic waves, the phase goes from 0 to 1.

use std::f32::consts::TAU;

pub fn sine(phase: f32) -> f32 {
    (phase * TAU).sin()
}

pub fn saw(phase: f32) -> f32 {
    2.0 * phase - 1.0
}

pub fn square(phase: f32, width: f32) -> f32 {
    if phase < width {
        1.0
    } else {
        -1.0
    }
}

pub fn calc(freq: f32, rate: f32, n: usize) -> f32 {
    (freq * n as f32 / rate).fract()
}
