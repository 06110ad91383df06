//! What each key does.

use crate::view::View;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    Quit,
}

/// Returns false when the program should end.
pub fn handle(view: &mut View, key: Key) -> bool {
    match key {
        Key::Up => view.line_up(),
        Key::Down => view.line_down(),
        Key::PageUp => view.page_up(),
        Key::PageDown => view.page_down(),
        Key::Home => view.to_start(),
        Key::End => view.to_end(),
        Key::Quit => return false,
    }
    true
}
