use super::Point;

/// What a map cell is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TileKind {
    Floor,
    Wall,
    Door,
    Water,
    Stairs,
}

/// How a tile is currently seen by the player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    Unknown,
    Remembered,
    InSight,
}

#[derive(Debug, Clone)]
pub struct Tile {
    pub kind: TileKind,
    pub visibility: Visibility,
    pub at: Point,
}

impl TileKind {
    pub fn walkable(self) -> bool {
        !matches!(self, TileKind::Wall | TileKind::Water)
    }

    pub fn glyph(self) -> char {
        match self {
            TileKind::Floor => '.',
            TileKind::Wall => '#',
            TileKind::Door => '+',
            TileKind::Water => '~',
            TileKind::Stairs => '>',
        }
    }
}
