//! Getting tiles from the cache or else from the server.

use crate::cache::{TileCache, TileId};

pub trait Source {
    fn load(&self, id: TileId) -> std::io::Result<Vec<u8>>;
}

pub fn tile(cache: &mut TileCache, source: &dyn Source, id: TileId) -> std::io::Result<Vec<u8>> {
    if let Some(data) = cache.get(id) {
        return Ok(data.to_vec());
    }
    let data = source.load(id)?;
    cache.insert(id, data.clone());
    Ok(data)
}
