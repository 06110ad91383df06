mod map;

use map::TileKind;

fn main() {
    let legend = [
        TileKind::Floor,
        TileKind::Wall,
        TileKind::Door,
        TileKind::Water,
        TileKind::Stairs,
    ];
    for kind in legend {
        println!("{} {:?}", kind.glyph(), kind);
    }
}
