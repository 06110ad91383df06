use serde::Deserialize;

#[derive(Debug, Clone, Deserialize)]
pub struct Star {
    pub name: Option<String>,
    /// Right ascension in hours.
    pub ra: f64,
    /// Declination in degrees.
    pub dec: f64,
    pub magnitude: f32,
}

impl Star {
    pub fn radius(&self) -> f32 {
        (6.5 - self.magnitude).max(0.5) * 0.6
    }
}
