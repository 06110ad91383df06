//! Volume of a tone over time.

#[derive(Debug, Clone, Copy)]
pub struct Envelope {
    pub attack: f32,
    pub decay: f32,
    pub sustain: f32,
    pub release: f32,
}

impl Envelope {
    pub fn level(&self, t: f32) -> f32 {
        if t < self.attack {
            t / self.attack
        } else if t < self.attack + self.decay {
            let part = (t - self.attack) / self.decay;
            1.0 - part * (1.0 - self.sustain)
        } else {
            self.sustain
        }
    }

    pub fn fade(&self, since_release: f32, from: f32) -> f32 {
        (from * (1.0 - since_release / self.release)).max(0.0)
    }
}
