mod tile;

pub use tile::{Tile, TileKind, Visibility};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Point {
    pub x: i32,
    pub y: i32,
}

pub struct Map {
    width: i32,
    tiles: Vec<Tile>,
}

impl Map {
    pub fn tile(&self, at: Point) -> Option<&Tile> {
        let index = at.y * self.width + at.x;
        self.tiles.get(index as usize)
    }
}
