//! `Slots → Edit → EditSet → Patched`: what the slots make of their file.

use super::outcome::{Evidence, MechanicsError, Verdict};
use super::target::Target;
use crate::edit::{self, Edit, EditSet, NamedBlock, SlotsError};
use crate::locate::free_slots::{self, FoundEdit};
use crate::locate::sketch;
use crate::patched::Patched;
use crate::slots::{Operation, Reason, Replace, ReplaceAll, Rewrite, Slots};
use crate::task::Task;
use crate::text::ident::has_word;
use crate::text::{Text, elision, line_bytes};

/// Works out what the slots make of their file. `forces_answers`: see
/// [`crate::engine::Engine::forces_answers`].
pub(super) fn patch(slots: &Slots, target: Target, task: &Task, forces_answers: bool) -> Verdict {
    let Target {
        path,
        operation,
        text: before,
        shown,
        open,
        blocks,
        ..
    } = target;
    let path = if let Slots::Create(slots) = slots {
        slots.path.clone()
    } else {
        path
    };
    let found = if let Slots::Rewrite(slots) = slots {
        rewritten(slots, &blocks, (&path, &before)).map_err(MechanicsError::from)
    } else if forces_answers {
        edit::place(slots, &open)
            .and_then(|edit| {
                edit.map(|edit| EditSet::of(&edit, &path, &before).map(FoundEdit::exact))
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
    if edit_set.is_empty() && operation != Operation::Create {
        return Verdict::AlreadyDone(evidence(slots, path, before.shown()));
    }
    let (operation, edit_set) = match whole_rename(operation, &edit_set, (&path, &before), task) {
        Some(whole) => (Operation::ReplaceAll, whole),
        None => (operation, edit_set),
    };
    match edit_set.apply(&before) {
        Ok(after) => {
            let seen = shown
                .windows
                .iter()
                .map(|window| window.offset..window.offset + window.text.len())
                .collect();
            let replacements = edit_set.replacements().to_vec();
            Verdict::Proposed(Patched {
                path,
                operation,
                after,
                replacements,
                rung,
                before,
                seen,
            })
        }
        Err(error) => Verdict::Refused(error.of(&path)),
    }
}

/// What a block's new text makes of its file. Parts that it leaves out (`...`) are completed from the
/// old text, where it is clear which ones.
fn rewritten(
    slots: &Rewrite,
    blocks: &[NamedBlock],
    (path, before): (&str, &Text),
) -> Result<Option<FoundEdit>, SlotsError> {
    let block = blocks.iter().find(|block| block.name == slots.block);
    let NamedBlock {
        range, text: old, ..
    } = block.ok_or(SlotsError::NotShown)?;
    let is_mark = |line: &str| elision::is_elision(line) && !old.contains(line.trim());
    let completed = match slots.text.lines().any(is_mark) {
        true => sketch::completed(old, &slots.text)
            .ok()
            .map(|completed| completed.text),
        false => None,
    };
    let text = completed.as_deref().unwrap_or(&slots.text);
    let replacements = edit::rewritten_block(path, before.shown(), range, text);
    Ok(Some(FoundEdit::exact(EditSet::of_sorted(replacements))))
}

/// Where a file has the new text of slots already.
fn evidence(slots: &Slots, path: String, shown: &str) -> Option<Evidence> {
    let (Slots::Replace(Replace { new, .. }) | Slots::ReplaceAll(ReplaceAll { new, .. })) = slots
    else {
        return None;
    };
    let new = new.trim();
    let at = shown.find(new).filter(|_| !new.is_empty())?;
    let line_idx = shown[..at].matches('\n').count();
    let text = shown.lines().nth(line_idx)?.trim().to_owned();
    Some(Evidence {
        path,
        line: line_idx + 1,
        text,
    })
}

/// The rename of a definition and of its uses, if the model renamed the definition alone, and the
/// task has both names.
fn whole_rename(
    operation: Operation,
    edit_set: &EditSet,
    (path, before): (&str, &Text),
    task: &Task,
) -> Option<EditSet> {
    // A model that chooses a rename may still name more than a name, such as `ROWS = 28`.
    let may_rename = matches!(operation, Operation::Replace | Operation::ReplaceAll);
    if !may_rename || task.context().lines.is_some() {
        return None;
    }
    let (old, new) = edit::begun_rename(before.shown(), edit_set.replacements())?;
    let is_named = |name: &str| has_word(task.sentence(), name);
    let whole = Edit::ReplaceAll {
        old: old.clone(),
        new: new.clone(),
    };
    (is_named(&old) && is_named(&new))
        .then(|| EditSet::of(&whole, path, before).ok())
        .flatten()
}
