//! What a suggestion makes of a line.

use crate::edit::place_name;
use crate::slots::{Insert, Position, Replace, ReplaceAll, Slots};
use crate::text::Shown;

/// What becomes of a line, without its line ending.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// It reads so afterwards.
    Replace(String),
    /// A line comes before it: its text without indentation.
    Before(String),
    /// A line comes behind it, likewise.
    After(String),
    /// It goes.
    Delete,
    /// A word of it becomes another one, here and wherever else in the file it stands.
    Everywhere {
        /// The word.
        old: String,
        /// What it becomes.
        new: String,
    },
}

impl Change {
    /// As a model would write it that is shown this of the text, with the line counted from 0; none if the line is not shown.
    pub fn slots(&self, line_idx: usize, text: &str, shown: &Shown) -> Option<Slots> {
        let offset = text.split('\n').take(line_idx).map(|line| line.len() + 1).sum::<usize>();
        let line = text.split('\n').nth(line_idx)?;
        let indent = line.len() - line.trim_start().len();
        let replace = |new: &str| {
            let old = line[indent..].to_owned();
            let place = place_name(shown, &shown.occurrences(&old), offset + indent)?;
            Some(Slots::Replace(Replace { old, place, through: None, new: new.to_owned() }))
        };
        let insert = |position, text: &str| {
            let lines = shown.anchor_lines();
            let (_, occurrences) = lines.iter().find(|(other, _)| *other == line)?;
            let place = place_name(shown, occurrences, offset)?;
            Some(Slots::Insert(Insert { anchor: line.to_owned(), place, position, text: text.to_owned() }))
        };
        match self {
            Change::Replace(new) => replace(new.get(indent..)?),
            Change::Delete => replace(""),
            Change::Before(text) => insert(Position::Before, text),
            Change::After(text) => insert(Position::After, text),
            Change::Everywhere { old, new } => {
                let all = ReplaceAll { old: old.clone(), new: new.clone() };
                (!shown.occurrences(old).is_empty()).then_some(Slots::ReplaceAll(all))
            }
        }
    }
}
