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
    let path = match slots {
        Slots::Create(slots) => slots.path.clone(),
        _ => target.path.clone(),
    };
    let FoundEdit { edit_set, rung } = match find(slots, &path, &target, forces_answers) {
        Ok(Some(found)) => found,
        Ok(None) => return Verdict::Declined(Reason::NotInTheseFiles),
        Err(error) => return Verdict::Mechanics(error),
    };
    let Some(edit_set) = within_lines(edit_set, &target, task) else {
        return Verdict::Mechanics(MechanicsError::OtherLines);
    };
    let Target {
        operation,
        text: before,
        shown,
        ..
    } = target;
    if edit_set.is_empty() && operation != Operation::Create {
        return Verdict::AlreadyDone(evidence(slots, path, before.shown()));
    }

    let (operation, edit_set) = match whole_rename(operation, &edit_set, (&path, &before), task) {
        Some(whole) => (Operation::ReplaceAll, whole),
        None => (operation, edit_set),
    };
    let after = match edit_set.apply(&before) {
        Ok(after) => after,
        Err(error) => return Verdict::Refused(error.of(&path)),
    };
    let mut seen = Vec::new();
    for window in &shown.windows {
        seen.push(window.offset..window.offset + window.text.len());
    }
    Verdict::Proposed(Patched {
        path,
        operation,
        after,
        replacements: edit_set.replacements().to_vec(),
        rung,
        before,
        seen,
    })
}

/// Finds the place of the slots. `None` if they choose no place after all.
fn find(
    slots: &Slots,
    path: &str,
    target: &Target,
    forces_answers: bool,
) -> Result<Option<FoundEdit>, MechanicsError> {
    let before = &target.text;
    if let Slots::Rewrite(slots) = slots {
        return Ok(Some(rewritten(slots, &target.blocks, (path, before))?));
    }
    if !forces_answers {
        return Ok(free_slots::find(slots, path, &target.open, before)?);
    }
    let Some(edit) = edit::place(slots, &target.open)? else {
        return Ok(None);
    };
    let edit_set = EditSet::of(&edit, path, before)?;
    Ok(Some(FoundEdit::exact(edit_set)))
}

/// The edits in the lines that may change. `None` if it changes others. Of a text that is replaced
/// everywhere the occurrences elsewhere stay. An answer that was not forced to fit may have no place in
/// these lines.
fn within_lines(edit_set: EditSet, target: &Target, task: &Task) -> Option<EditSet> {
    let Some(lines) = &task.context().lines else {
        return Some(edit_set);
    };
    let kept = edit_set.within(&line_bytes(target.text.shown(), lines));
    let n_lost = edit_set.replacements().len() - kept.replacements().len();
    let may_lose = target.operation == Operation::ReplaceAll && !kept.is_empty();
    (n_lost == 0 || may_lose).then_some(kept)
}

/// The edit that a block's new text makes. Parts that it leaves out (`...`) are completed from the old
/// text, where it is clear which ones.
fn rewritten(
    slots: &Rewrite,
    blocks: &[NamedBlock],
    (path, before): (&str, &Text),
) -> Result<FoundEdit, SlotsError> {
    let block = blocks.iter().find(|block| block.name == slots.block);
    let NamedBlock {
        range, text: old, ..
    } = block.ok_or(SlotsError::NotShown)?;
    let mut text = slots.text.as_str();
    let mut lines = text.lines();
    let completed;
    if lines.any(|line| elision::is_elision(line) && !old.contains(line.trim())) {
        completed = sketch::completed(old, text);
        if let Ok(completed) = &completed {
            text = &completed.text;
        }
    }
    let replacements = edit::rewritten_block(path, before.shown(), range, text);
    Ok(FoundEdit::exact(EditSet::of_sorted(replacements)))
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
    let words = task.searched();
    if !has_word(&words, &old) || !has_word(&words, &new) {
        return None;
    }
    EditSet::of(&Edit::ReplaceAll { old, new }, path, before).ok()
}
