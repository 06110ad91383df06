//! Map tiles kept in memory.

use std::collections::HashMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TileId {
    pub zoom: u8,
    pub x: u32,
    pub y: u32,
}

struct Entry {
    data: Vec<u8>,
    last_used: u64,
}

pub struct TileCache {
    entries: HashMap<TileId, Entry>,
    capacity: usize,
    tick: u64,
}

impl TileCache {
    pub fn new(capacity: usize) -> TileCache {
        TileCache {
            entries: HashMap::new(),
            capacity: capacity.max(1),
            tick: 0,
        }
    }

    pub fn get(&mut self, id: TileId) -> Option<&[u8]> {
        self.tick += 1;
        let entry = self.entries.get_mut(&id)?;
        entry.last_used = self.tick;
        Some(&entry.data)
    }

    pub fn insert(&mut self, id: TileId, data: Vec<u8>) {
        self.tick += 1;
        if self.entries.len() >= self.capacity && !self.entries.contains_key(&id) {
            self.evict();
        }
        let last_used = self.tick;
        self.entries.insert(id, Entry { data, last_used });
    }

    fn evict(&mut self) {
        let victim = self
            .entries
            .iter()
            .max_by_key(|(_, entry)| entry.last_used)
            .map(|(id, _)| *id);
        if let Some(id) = victim {
            self.entries.remove(&id);
        }
    }

    /// The largest tile, for the statistics page.
    pub fn largest(&self) -> Option<TileId> {
        self.entries
            .iter()
            .max_by_key(|(_, entry)| entry.data.len())
            .map(|(id, _)| *id)
    }

    pub fn bytes(&self) -> usize {
        self.entries.values().map(|entry| entry.data.len()).sum()
    }
}
