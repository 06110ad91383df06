//! The check for broken code.

use super::warning::{Warning, WarningKind};
use crate::patched::FileChange;
use crate::syntax::{self, Break};
use crate::text::{Text, visible};

/// Warns of a file that no longer parses after all edits, or of a new one that does not. `before` is
/// `None` for a new file.
pub fn breaks(path: &str, before: Option<&Text>, after: &[u8]) -> Option<Warning> {
    let after = Text::decode_after(before, after.to_vec()).ok()?;
    let Break {
        language,
        line,
        text,
    } = syntax::breaks(path, before.map(Text::shown), after.shown())?;
    let parses = if before.is_none() {
        "does not parse"
    } else {
        "no longer parses"
    };
    let message = format!(
        "{path} {parses} as {language}: line {line}, `{}`",
        visible(&text)
    );
    Some(WarningKind::Breaks.says(message))
}

/// Warns of a changed file that no longer parses, or of a new one that does not.
pub fn change_breaks(change: &FileChange) -> Option<Warning> {
    breaks(&change.path, change.before.as_ref(), &change.after)
}
