//! Finds the place of slots from a model that was not forced to copy the shown text: a server's.
//!
//! Text that occurs exactly as it was shown is treated as if it had been forced. Other text is
//! searched in the file like the patches of other models ([`super::locate`]). If it does not have
//! one clear place, it is refused with the places and what tells them apart.

use super::conclude;
use super::found::{Located, Lookup, Rung};
use super::haystack::Haystack;
use super::miss::{Miss, Reason};
use crate::edit::{Edit, EditSet, SlotsError, place};
use crate::hunk::{Count, Extent, Hunk};
use crate::slots::{Insert, NO_PLACE, Position, Replace, Slots};
use crate::text::{Shown, Text, own_end, place_labels};
use std::ops::Range;

/// Why the slots of an unconstrained answer make no edit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FreeSlotsError {
    /// The same failures as for a constrained answer.
    #[error(transparent)]
    Slots(#[from] SlotsError),
    /// The text does not occur, or has several places, or its place would be a guess.
    #[error("{}", .0.headline())]
    Miss(Box<Miss>),
}

/// An edit set, and the rung that found its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundEdit {
    /// The edit set; empty if the edit was made before.
    pub edit_set: EditSet,
    /// [`Rung::Exact`] for text that occurs as it was shown.
    pub rung: Rung,
}

impl FoundEdit {
    /// For text that occurs in the file exactly as in the answer.
    pub fn exact(edit_set: EditSet) -> FoundEdit {
        FoundEdit {
            edit_set,
            rung: Rung::Exact,
        }
    }
}

/// Turns slots into an edit set. `None`: the text has several places, and the model chose none.
///
/// # Errors
/// [`FreeSlotsError`] if nothing in the file is like the text, or several places are.
pub fn find(
    slots: &Slots,
    path: &str,
    shown: &Shown,
    text: &Text,
) -> Result<Option<FoundEdit>, FreeSlotsError> {
    let slots = with_known_end(with_known_place(slots, shown), shown);
    let exact = match place(&slots, shown) {
        Ok(Some(edit)) => EditSet::of(&edit, path, text),
        Ok(None) => return Ok(None),
        Err(error) => Err(error),
    };
    if !matches!(exact, Err(SlotsError::NotShown)) {
        return Ok(exact.map(|edit_set| Some(FoundEdit::exact(edit_set)))?);
    }

    let haystack = Haystack::new(path, text);
    let found = match &slots {
        Slots::Replace(slots) if slots.through.is_none() => {
            let mut hunk = searched(Hunk::of_text(&slots.old, &slots.new))?;
            hunk.hints.line = slots.place.as_deref().and_then(line_of);
            locate(&haystack, &hunk)?
        }
        Slots::ReplaceAll(slots) => {
            let mut hunk = searched(Hunk::of_text(&slots.old, &slots.new))?;
            hunk.count = Count::AllWords;
            locate(&haystack, &hunk)?
        }
        Slots::Insert(insert) => {
            let (anchor, rung) = anchor(&haystack, insert, text.shown())?;
            let edit = Edit::Insert {
                anchor,
                position: insert.position,
                text: insert.text.clone(),
            };
            let edit_set = EditSet::of(&edit, path, text)?;
            FoundEdit { edit_set, rung }
        }
        // The beginning of a block is not in the file as written, so its end is unknown.
        Slots::Replace(_) | Slots::Create(_) | Slots::Rewrite(_) => {
            return Err(SlotsError::NotShown.into());
        }
    };
    Ok(Some(found))
}

/// Sets the place as the constraint would have written it: none if there is only one place, else
/// its name, if exactly one place is on that line.
fn with_known_place(slots: &Slots, shown: &Shown) -> Slots {
    let mut slots = slots.clone();
    let (named, occurrences) = match &mut slots {
        Slots::Replace(Replace { old, place, .. }) => (place, shown.occurrences(old)),
        Slots::Insert(Insert { anchor, place, .. }) => (place, shown.anchor(anchor)),
        Slots::ReplaceAll(_) | Slots::Create(_) | Slots::Rewrite(_) => return slots,
    };
    let Some(label) = named.clone() else {
        return slots;
    };

    if occurrences.len() == 1 {
        *named = None;
    } else if occurrences.len() > 1 && label != NO_PLACE {
        let labels = place_labels(shown, &occurrences);
        if !labels.contains(&label) {
            // The line number does not tell apart two places on one line.
            let mut on_line = labels
                .iter()
                .filter(|known| line_of(known) == line_of(&label));
            let first = on_line.next();
            *named = first.filter(|_| on_line.next().is_none()).cloned();
        }
    }
    slots
}

/// Sets the last line of a block as the constraint would have written it. None if it is empty or
/// already part of `old`. If only the whitespace around it differs, and no other line is like it,
/// it is spelled as in the file.
fn with_known_end(mut slots: Slots, shown: &Shown) -> Slots {
    let Slots::Replace(Replace { old, through, .. }) = &mut slots else {
        return slots;
    };
    let own_end = own_end(old, true);
    let Some(end) = through.take() else {
        return slots;
    };
    if end.trim().is_empty() || Some(end.as_str()) == own_end {
        return slots;
    }

    *through = Some(end.clone());
    if let [at] = shown.occurrences(old)[..] {
        let lines = shown.lines_after(at, old);
        let is_there = lines.iter().any(|(line, _)| *line == end);
        let mut alike = lines.iter().filter(|(line, _)| line.trim() == end.trim());
        if let (false, Some((line, _)), None) = (is_there, alike.next(), alike.next()) {
            *through = Some((*line).to_owned());
        }
    }
    slots
}

/// The number after the word `line`, or else the only number in the text.
fn line_of(place: &str) -> Option<usize> {
    let after = place.rsplit_once("line ").map_or(place, |(_, after)| after);
    let digits = after.trim_start_matches(|c: char| !c.is_ascii_digit());
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    digits[..digits.len() - rest.len()].parse().ok()
}

/// Refuses a hunk that has nothing to search for.
fn searched(hunk: Hunk) -> Result<Hunk, FreeSlotsError> {
    if hunk.old().all(|line| line.trim().is_empty()) {
        Err(SlotsError::NotShown.into())
    } else {
        Ok(hunk)
    }
}

fn locate(haystack: &Haystack, hunk: &Hunk) -> Result<FoundEdit, FreeSlotsError> {
    Ok(match conclude::locate(haystack, hunk)? {
        Lookup::Here(Located {
            replacements, rung, ..
        }) => FoundEdit {
            edit_set: EditSet::of_sorted(replacements),
            rung,
        },
        Lookup::AlreadyThere(_) => FoundEdit {
            edit_set: EditSet::default(),
            rung: Rung::Exact,
        },
    })
}

/// An offset in the line that an anchor means, and the rung that found it. If the anchor has
/// several lines, the result is in the one next to the new lines: the first or the last.
fn anchor(
    haystack: &Haystack,
    insert: &Insert,
    shown: &str,
) -> Result<(usize, Rung), FreeSlotsError> {
    if shown.trim().is_empty() {
        return Ok((0, Rung::Exact)); // whatever it says, there is one place only
    }
    let lines: Vec<&str> = insert.anchor.trim_matches('\n').split('\n').collect();
    let mut hunk = searched(Hunk::of_lines(&lines, &[]))?;
    hunk.hints.line = insert.place.as_deref().and_then(line_of);
    let mut found = lines_of(haystack, &hunk);
    if let Err(FreeSlotsError::Miss(miss)) = &found
        && matches!(miss.reason, Reason::NotFound { .. })
    {
        // The anchor may be a part of a line.
        hunk.extent = Extent::Text;
        found = lines_of(haystack, &hunk).or(found);
    }

    let (lines, rung) = found?;
    let line = if insert.position == Position::Before {
        lines.start
    } else {
        lines.end - 1
    };
    let above = shown.split_inclusive('\n').take(line);
    Ok((above.map(str::len).sum(), rung))
}

fn lines_of(haystack: &Haystack, hunk: &Hunk) -> Result<(Range<usize>, Rung), FreeSlotsError> {
    match conclude::locate(haystack, hunk)? {
        Lookup::Here(Located {
            mut lines, rung, ..
        }) if lines.len() == 1 && !lines[0].is_empty() => Ok((lines.remove(0), rung)),
        // A text that is only searched is never already applied, nor in several places.
        _ => Err(SlotsError::NotShown.into()),
    }
}

impl From<Miss> for FreeSlotsError {
    fn from(miss: Miss) -> FreeSlotsError {
        FreeSlotsError::Miss(Box::new(miss))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locate::testing::rows;
    use crate::slots::{Operation, ReplaceAll};
    use proptest::prelude::*;

    fn find_in(
        operation: Operation,
        before: &str,
        answer: &str,
    ) -> Result<Option<String>, FreeSlotsError> {
        let text = Text::decode(before.into()).unwrap();
        let slots = Slots::parse(operation, answer).unwrap();
        let found = find(&slots, "a.py", &Shown::whole(text.shown()), &text)?;
        Ok(found.map(|found| String::from_utf8(found.edit_set.apply(&text).unwrap()).unwrap()))
    }

    #[track_caller]
    fn check(operation: Operation, before: &str, answer: &str, after: &str) {
        let found = find_in(operation, before, answer).unwrap();
        assert_eq!(found.as_deref(), Some(after), "{answer}");
    }

    /// Columns: a file, an answer, a part of the error.
    #[track_caller]
    fn check_errors(operation: Operation, table: &str) {
        for [before, answer, part] in rows(table) {
            let before = if before == "TWO" { TWO } else { &before };
            let error = find_in(operation, before, &answer).unwrap_err().to_string();
            assert!(error.contains(&part), "{answer}: {error}");
        }
    }

    const TWO: &str =
        "def load():\n    x = 1\n    return x\n\n\ndef save():\n    x = 1\n    return None\n";

    #[test]
    fn what_is_as_shown_is_taken_so() {
        use Operation::{Create, Insert, Replace, ReplaceAll};
        let y = TWO.replace("return x", "y");
        for place in ["", r#""place":"none","#, r#""place":"line 99","#] {
            let answer = format!(r#"{{"old":"return x",{place}"new":"y"}}"#);
            check(Replace, TWO, &answer, &y);
        }
        let all = r#"{"old":"x","new":"y"}"#;
        check(ReplaceAll, TWO, all, &TWO.replace('x', "y"));
        let insert = r##"{"anchor":"def save():","position":"before","text":"# s"}"##;
        check(Insert, TWO, insert, &TWO.replace("def s", "# s\ndef s"));
        check(Create, "", r#"{"path":"b.py","text":"x"}"#, "x\n");
    }

    #[test]
    fn of_several_places_the_named_one_is_meant() {
        use Operation::{Insert, Replace};
        let (load, save) = TWO.split_at(TWO.find("def save").unwrap());
        let second = load.to_owned() + &save.replace("x = 1", "x = 2");
        for place in ["save, line 7", "line 7", "7", "save (line 7)"] {
            let answer = format!(r#"{{"old":"x = 1","place":"{place}","new":"x = 2"}}"#);
            check(Replace, TWO, &answer, &second);
        }
        check_errors(
            Replace,
            r#"
            TWO    | {"old":"x = 1","new":"x = 2"}                  | occurs in 2 places
            TWO    | {"old":"x = 1","place":"line 4","new":"x = 2"} | occurs in 2 places
            a = a⏎ | {"old":"a","place":"line 1","new":"b"}         | occurs in 2 places
            "#,
        );
        let none = r#"{"old":"x = 1","place":"none","new":"x = 2"}"#;
        assert_eq!(find_in(Replace, TWO, none), Ok(None));
        let inserted = TWO.replace("    return None", "    y = 2\n    return None");
        for anchor in ["    x = 1", "x = 1"] {
            let answer = format!(
                r#"{{"anchor":"{anchor}","place":"7","position":"after","text":"    y = 2"}}"#
            );
            check(Insert, TWO, &answer, &inserted);
        }
    }

    #[test]
    fn the_end_of_a_block_is_known_by_its_words() {
        use Operation::Replace;
        let without = "def save():\n    x = 1\n    return None\n";
        let load = r"def load():\n    x = 1\n    return x";
        for (old, through) in [
            ("def load():", "    return x"),
            ("def load():", "return x"),
            ("def load():", "  return x  "),
            (&format!(r"{load}\n\n\n"), ""),
            (load, "    return x"),
        ] {
            let answer = format!(r#"{{"old":"{old}","through":"{through}","new":""}}"#);
            check(Replace, TWO, &answer, without);
        }
        // Of the last, two lines are like it.
        check_errors(
            Replace,
            r#"
            TWO        | {"old":"def save():","through":"return x","new":""}  | does not occur after
            TWO        | {"old":"def load ():","through":"return x","new":""} | not in the file as
            a⏎ b⏎  b⏎  | {"old":"a","through":"b","new":""}                   | does not occur after
            "#,
        );
    }

    #[test]
    fn what_is_spelled_otherwise_is_located() {
        use Operation::{Insert, Replace, ReplaceAll};
        let deep = "class A:\n    def f(self):\n        return 1\n";
        check(
            Replace,
            deep,
            r#"{"old":"def f(self):\n    return 1","new":"def f(self):\n    x = 2\n    return x"}"#,
            "class A:\n    def f(self):\n        x = 2\n        return x\n",
        );
        let quoted = r#"{"old":"'it's'","new":"'it is'"}"#;
        check(Replace, "s = 'it’s'\n", quoted, "s = 'it is'\n");
        let spaced = r#"{"old":"f(  a  )","new":"g(a)"}"#;
        check(ReplaceAll, "f( a )\nf( a )\n", spaced, "g(a)\ng(a)\n");

        let inserted = "class A:\n    def f(self):\n        x = 1\n        return 1\n";
        for anchor in [
            "def f(self):",
            "    def f(self):\\n",
            "class A:\\n    def f(self):",
            "def f(",
            "\\tdef f(self):",
        ] {
            let answer =
                format!(r#"{{"anchor":"{anchor}","position":"after","text":"        x = 1"}}"#);
            check(Insert, deep, &answer, inserted);
        }
        let start = r#"{"anchor":"start","position":"before","text":"x"}"#;
        check(Insert, "\n", start, "x\n\n");
    }

    #[test]
    fn what_is_not_there_is_refused() {
        check_errors(
            Operation::Replace,
            r#"
            TWO | {"old":"timeout = 30","new":"timeout = 60"} | is not in the file
            TWO | {"old":"  ","new":"x"} | not in the file as it was shown
            TWO | {"old":"","new":"x"}   | not in the file as it was shown
            "#,
        );
        check_errors(
            Operation::ReplaceAll,
            r#"
            TWO     | {"old":"","new":"x"}    | not in the file as it was shown
            foobar⏎ | {"old":"foo","new":"x"} | inside a longer word
            "#,
        );
        check_errors(
            Operation::Insert,
            r#"
            TWO | {"anchor":"def other():","position":"after","text":"x"} | is not in the file
            TWO | {"anchor":"","position":"after","text":"x"}      | not in the file as it was shown
            TWO | {"anchor":"x = 1","position":"after","text":"y"} | 2 places
            "#,
        );
    }

    #[test]
    fn what_is_there_already_is_done() {
        let file = "def f(x):\n    return x\n";
        let answer = r#"{"old":"return x + 1","new":"return x"}"#;
        check(Operation::Replace, file, answer, file);
    }

    proptest! {
        #[test]
        fn no_answer_is_too_strange(
            before in "([ab_ \t\u{e9}’]|\r\n|\n){0,40}",
            old in "[ab_ \t\n']{0,6}",
            new in "[ab \n]{0,5}",
            place in prop::option::of("(a, )?(line )?[0-9]{0,3}|none"),
            through in prop::option::of("[ab_ \t]{0,4}"),
            is_before in any::<bool>(),
        ) {
            let text = Text::decode(before.into_bytes()).unwrap();
            let shown = Shown::whole(text.shown());
            let position = if is_before { Position::Before } else { Position::After };
            for slots in [
                Slots::Replace(Replace { old: old.clone(), place: place.clone(),
                    through: through.clone(), new: new.clone() }),
                Slots::ReplaceAll(ReplaceAll { old: old.clone(), new: new.clone() }),
                Slots::Insert(Insert { anchor: old.clone(), place: place.clone(), position,
                    text: new.clone() }),
            ] {
                if let Ok(Some(found)) = find(&slots, "a.py", &shown, &text) {
                    let replacements = found.edit_set.replacements();
                    let is_sorted = replacements.is_sorted_by(|a, b| a.range.end <= b.range.start);
                    prop_assert!(is_sorted, "{:?}", replacements);
                    prop_assert!(found.edit_set.apply(&text).is_ok());
                }
            }
        }
    }
}
