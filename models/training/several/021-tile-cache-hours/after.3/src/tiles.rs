use std::collections::HashMap;
use std::time::{Duration, Instant};

/// How long a tile is good for.
const LIFETIME: Duration = Duration::from_secs(6 * 3600);

pub type Place = (u8, u32, u32);

#[derive(Default)]
pub struct TileCache {
    tiles: HashMap<Place, (Instant, Vec<u8>)>,
}

impl TileCache {
    pub fn put(&mut self, place: Place, image: Vec<u8>) {
        self.tiles.insert(place, (Instant::now(), image));
    }

    /// The tile, if it is still fresh.
    pub fn get(&self, place: &Place) -> Option<&[u8]> {
        let (stored, image) = self.tiles.get(place)?;
        (stored.elapsed() < LIFETIME).then_some(image.as_slice())
    }

    /// Throw out what is no longer fresh.
    pub fn sweep(&mut self) {
        self.tiles.retain(|_, (stored, _)| stored.elapsed() < LIFETIME);
    }

    pub fn cache_control(&self) -> String {
        format!("public, max-age={}", LIFETIME.as_secs())
    }
}
