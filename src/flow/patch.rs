//! `Slots → Edit → EditSet → Patched`: what the slots make of their file.

use super::outcome::{MechanicsError, Patched, Verdict};
use super::pick::Target;
use crate::edit::{self, EditSet, longer_line};
use crate::locate::free_slots::{self, FoundEdit};
use crate::slots::{Operation, Reason, Slots};
use crate::syntax;
use crate::task::Task;
use crate::text::{Text, line_bytes};

/// The edit. If it breaks the code, and does not where lines keep the comma or semicolon that they
/// end with: the edit with those, which the model forgot.
fn with_line_ends_kept(edit_set: EditSet, path: &str, before: &Text) -> EditSet {
    let breaks = |edit_set: &EditSet| {
        let after = edit_set.apply(before).ok().and_then(|after| Text::decode(after).ok());
        after.is_some_and(|after| {
            syntax::breaks(path, Some(before.shown()), after.shown()).is_some()
        })
    };
    let kept = edit_set.with_line_ends(before.shown());
    if kept != edit_set && breaks(&edit_set) && !breaks(&kept) { kept } else { edit_set }
}

/// Works out what the slots make of their file. `forces_answers`: see
/// [`crate::engine::Engine::forces_answers`].
pub(super) fn patch(slots: &Slots, target: Target, task: &Task, forces_answers: bool) -> Verdict {
    let Target { path, operation, text: before, shown, open, .. } = target;
    let path = if let Slots::Create(slots) = slots { slots.path.clone() } else { path };
    let found = if forces_answers {
        edit::place(slots, &open)
            .and_then(|edit| {
                edit.map(|edit| longer_line(edit, before.shown()))
                    .map(|edit| EditSet::of(&edit, &path, &before).map(FoundEdit::exact))
                    .transpose()
            })
            .map_err(MechanicsError::from)
    } else {
        free_slots::find(slots, &path, &open, &before).map_err(MechanicsError::from)
    };
    let FoundEdit { edit_set, rung } = match found {
        Ok(Some(found)) => found,
        Ok(None) => return Verdict::Declined(Reason::NotInTheseFiles),
        Err(error) => return Verdict::Mechanics(error),
    };
    let edit_set = match &task.context().lines {
        Some(lines) => {
            let within = line_bytes(before.shown(), lines);
            let kept = edit_set.within(&within);
            // Of a text that is replaced everywhere the occurrences elsewhere stay. An answer that
            // nobody forced may have no place in these lines.
            let n_lost = edit_set.replacements().len() - kept.replacements().len();
            let is_of_others = match operation {
                Operation::ReplaceAll => n_lost > 0 && kept.is_empty(),
                _ => n_lost > 0,
            };
            if is_of_others {
                return Verdict::Mechanics(MechanicsError::OtherLines);
            }
            kept
        }
        None => edit_set,
    };
    let edit_set = with_line_ends_kept(edit_set, &path, &before);
    if edit_set.is_empty() && operation != Operation::Create {
        return Verdict::AlreadyDone;
    }
    match edit_set.apply(&before) {
        Ok(after) => {
            let seen = shown
                .windows
                .iter()
                .map(|window| window.offset..window.offset + window.text.len())
                .collect();
            let replacements = edit_set.replacements().to_vec();
            Verdict::Proposed(Patched { path, operation, after, replacements, rung, before, seen })
        }
        Err(error) => Verdict::Refused(error),
    }
}
