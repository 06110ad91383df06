//! Drafting: guesses how an answer continues, for the model to check in one batch (Leviathan and
//! others, 2023: speculative decoding; Saxena, 2023: prompt lookup, where the draft is copied from
//! what the model has read).
//!
//! Most of an edit's new text is its old text again; the rest is often in the task or elsewhere in
//! the file. A draft is only a guess. The constraint still applies, and the model accepts only
//! tokens that it would have chosen anyway. [`super::pace`] decides how long a draft is worth its
//! computation.

use crate::constrain::SlotSpec;
use crate::slots::partial::PartialAnswer;
use crate::slots::{Operation, Position, Slot, shape};
use crate::text::ident::is_ident_char;

/// The longest draft, in bytes. The rest is cut off before it is tokenized.
const MOST_BYTES: usize = 240;

/// The longest draft of a rewritten block, in bytes: most of such a block stays.
const MOST_BLOCK_BYTES: usize = 600;

/// The fewest equal bytes that say anything about the text after them.
const SHORTEST_FOUND: usize = 4;

/// The most equal bytes to compare. More of them say no more.
const LONGEST_LOOKED: usize = 24;

/// Why a draft is expected to be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftReason {
    /// The new text has followed the old one up to here.
    Aligned,
    /// The new text has just left the old one. It is assumed to replace one word of it.
    Replaced,
    /// The last bytes written occur elsewhere too, and the draft follows them there.
    Found,
    /// Nothing is written yet; the draft comes from the program's own search.
    Likely,
    /// Most answers continue like this, whatever the file and the task. They edit the likeliest
    /// file in one place, insert below the anchor, and name no block.
    Usual,
}

/// A guess how an answer continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The bytes as the answer has them: escaped, with the quote that ends the string.
    pub bytes: Vec<u8>,
    /// Why the draft is expected to be right.
    pub reason: DraftReason,
}

/// The unit of text that a draft copies from the text shown or from a list.
#[derive(Clone, Copy)]
enum Copied {
    /// Any part of a line. At the very beginning the indentation is left out.
    Excerpt,
    /// A whole line, or a path.
    Line,
}

/// The texts that the drafts of one request are copied from.
#[derive(Debug, Default)]
pub struct Sources {
    /// Texts that the answer probably has a part of, best first.
    likely: Vec<String>,
    shown: Vec<String>,
    /// The blocks that may be rewritten.
    blocks: Vec<BlockSource>,
    /// Whether only a place is asked for, so that no text follows it.
    is_place_only: bool,
    /// Whether the model probably writes `below`, as the worked examples do, and not `after`.
    is_natural: bool,
}

/// A block that may be rewritten.
#[derive(Debug)]
struct BlockSource {
    /// The answer up to the block's text.
    head: String,
    /// The text as it is, with the end of the answer.
    old: String,
}

impl Draft {
    fn usual(bytes: impl Into<Vec<u8>>) -> Draft {
        Draft {
            bytes: bytes.into(),
            reason: DraftReason::Usual,
        }
    }
}

impl Sources {
    /// Collects the texts. `likely` are texts that an answer probably has a part of, best first:
    /// lines that the task seems to be about, paths, the task itself.
    pub fn new(spec: &SlotSpec, likely: &[String]) -> Sources {
        if let SlotSpec::GoesOn(spec) = spec {
            return Sources::new(spec, likely);
        }
        let mut sources = Sources {
            likely: likely.to_vec(),
            ..Sources::default()
        };

        if let Some(shown) = spec.shown() {
            let windows = shown.windows.iter();
            sources.shown = windows.map(|window| window.text.clone()).collect();
        }

        match spec {
            SlotSpec::Pick { files, .. } => {
                if let ([], [file]) = (likely, files.as_slice()) {
                    sources.likely.push(file.path.clone());
                }
            }
            SlotSpec::Insert { side_first, .. } => sources.is_natural = *side_first,
            SlotSpec::Where { side_first, .. } => {
                sources.is_place_only = true;
                sources.is_natural = *side_first;
            }
            SlotSpec::Rewrite { blocks, fence } => {
                for block in blocks {
                    let name = (blocks.len() > 1).then_some(block.name.as_str());
                    let text = block.text.trim_end_matches('\n');
                    sources.blocks.push(BlockSource {
                        head: fence.head(name),
                        old: format!("{text}\n{}", fence.closing()),
                    });
                }
            }
            _ => {}
        }
        sources
    }

    /// A guess how an answer continues that ends within `slot`.
    pub fn draft(&self, slot: Slot, answer: &[u8]) -> Option<Draft> {
        if slot == Slot::Operation {
            return self.pick(answer);
        }
        if !self.blocks.is_empty() {
            return self.rewritten(answer);
        }

        let partial = PartialAnswer::read(answer);
        let first = partial.first()?;
        let written = partial.last()?;
        let through = partial.value(Slot::Through);
        let (rest, reason) = match slot {
            // Most blocks are removed.
            Slot::New if through.is_some() && written.is_empty() => {
                return Some(Draft::usual(*b"\""));
            }
            Slot::New => {
                let block = through.and_then(|through| self.block(first, through));
                self.new_text(block.unwrap_or(first), written)?
            }
            Slot::Through if self.is_place_only => {
                let close = shape::CLOSE.as_bytes();
                return close.strip_prefix(partial.tail()?).map(Draft::usual);
            }
            Slot::Through => return unblocked(&partial),
            Slot::Old => self.copied(written, Copied::Excerpt)?,
            Slot::Anchor | Slot::Path => self.copied(written, Copied::Line)?,
            Slot::Text => (self.found(written)?, DraftReason::Found),
            // Most new lines go below their anchor.
            Slot::Position => {
                let side = if self.is_natural {
                    "below"
                } else {
                    Position::After.word()
                };
                (side.strip_prefix(written)?, DraftReason::Usual)
            }
            Slot::Operation | Slot::Reason | Slot::Place | Slot::Block => return None,
        };
        let bytes = escaped_beginning(rest)?;
        (!bytes.is_empty()).then_some(Draft { bytes, reason })
    }

    /// Drafts an edit of the likeliest file in one place, as most picks are.
    fn pick(&self, answer: &[u8]) -> Option<Draft> {
        const BRACKET: &str = "{\"";
        let operation = Operation::Replace.word();
        if answer != BRACKET.as_bytes() {
            let partial = PartialAnswer::read(answer);
            partial.value(Slot::Path)?;
            let rest = operation.strip_prefix(partial.value(Slot::Operation)?)?;
            return Some(Draft::usual(format!("{rest}\"{}", shape::CLOSE)));
        }

        let path_key = shape::first_key(Slot::Path) + "\"";
        let mut bytes = path_key.as_bytes()[BRACKET.len()..].to_vec();
        // The model writes a long path itself. Without a likely path only the key is drafted.
        let path = self.likely.first();
        if let Some(path) = path.filter(|path| path.len() < MOST_BYTES / 2) {
            bytes.extend(escaped_beginning(path)?);
            let key = shape::next_key(Slot::Operation);
            bytes.extend(format!("{key}\"{operation}\"{}", shape::CLOSE).into_bytes());
        }
        Some(Draft::usual(bytes))
    }

    /// Drafts the rest of a block from its old text.
    fn rewritten(&self, answer: &[u8]) -> Option<Draft> {
        let answer = std::str::from_utf8(answer).ok()?;
        let (old, written) = self
            .blocks
            .iter()
            .find_map(|block| Some((&block.old, answer.strip_prefix(&block.head)?)))?;
        let (rest, reason) = resumed(old, written)?;
        let bytes = beginning(rest, MOST_BLOCK_BYTES).as_bytes().to_vec();
        (!bytes.is_empty()).then_some(Draft { bytes, reason })
    }

    /// The block from `old` to the line `through`.
    fn block(&self, old: &str, through: &str) -> Option<&str> {
        for window in &self.shown {
            let Some(start) = window.find(old) else {
                continue;
            };
            let mut line_start = 0;
            for line in window.split('\n') {
                if line_start >= start + old.len() && line == through {
                    return Some(&window[start..line_start + line.len()]);
                }
                line_start += line.len() + 1;
            }
        }
        None
    }

    fn new_text<'s>(&'s self, old: &'s str, written: &str) -> Option<(&'s str, DraftReason)> {
        let n_equal = old
            .bytes()
            .zip(written.bytes())
            .take_while(|(a, b)| a == b)
            .count();
        if n_equal == written.len() {
            // At the very beginning the only argument for the draft is that most edits are small.
            let reason = if n_equal == 0 {
                DraftReason::Likely
            } else {
                DraftReason::Aligned
            };
            return Some((old.get(n_equal..)?, reason));
        }
        if let Some(rest) = after_same(old, written, written.len(), n_equal, 2) {
            return Some((rest, DraftReason::Aligned));
        }
        if let Some(rest) = self.found(written) {
            return Some((rest, DraftReason::Found));
        }
        let rest = &old[old.floor_char_boundary(n_equal)..];
        Some((
            rest.trim_start_matches(is_ident_char),
            DraftReason::Replaced,
        ))
    }

    /// The rest of the line that an excerpt or an anchor has begun.
    fn copied(&self, written: &str, what: Copied) -> Option<(&str, DraftReason)> {
        if written.is_empty() {
            let line = self.likely.iter().find(|line| self.has(line))?;
            let line = match what {
                Copied::Excerpt => line.trim_start(),
                Copied::Line => line,
            };
            return Some((line, DraftReason::Likely));
        }

        let shown_lines = self.shown.iter().flat_map(|window| window.lines());
        for line in self.likely.iter().map(String::as_str).chain(shown_lines) {
            let at = match what {
                Copied::Excerpt => line.find(written),
                Copied::Line => line.starts_with(written).then_some(0),
            };
            if let Some(at) = at {
                return Some((&line[at + written.len()..], DraftReason::Found));
            }
        }
        None
    }

    /// Whether the text shown has this text. Only such text can be copied, and the task may mention
    /// other text.
    fn has(&self, text: &str) -> bool {
        self.shown.is_empty() || self.shown.iter().any(|window| window.contains(text))
    }

    /// If the last bytes written occur elsewhere too: the rest of the line after them there.
    fn found(&self, written: &str) -> Option<&str> {
        for shortest in [2 * SHORTEST_FOUND, SHORTEST_FOUND] {
            for text in self.likely.iter().chain(&self.shown) {
                let rest = after_same(text, written, 0, 0, shortest);
                if let Some(rest) = rest.filter(|rest| !rest.trim().is_empty()) {
                    return rest.lines().next();
                }
            }
        }
        None
    }
}

/// The rest of a block's old text from where the new text has come to, line by line.
///
/// A line that the block has, too, says where that is; among several the one nearest to where it is
/// expected. Other lines stand for as many of the block. Within a line the same words say it.
fn resumed<'t>(old: &'t str, written: &str) -> Option<(&'t str, DraftReason)> {
    if let Some(rest) = old.strip_prefix(written) {
        return Some((rest, DraftReason::Aligned));
    }
    let lines: Vec<&str> = old.split('\n').collect();
    let mut new_lines: Vec<&str> = written.split('\n').collect();
    let begun = new_lines.pop()?;

    let mut next = 0;
    let mut n_other = 0;
    for line in new_lines {
        let same = (next..lines.len()).filter(|&i| lines[i] == line);
        if let Some(i) = same.min_by_key(|i| i.abs_diff(next + n_other)) {
            next = i + 1;
            n_other = 0;
        } else {
            n_other += 1;
        }
    }

    let expected = next + n_other;
    let reason = if n_other == 0 {
        DraftReason::Aligned
    } else {
        DraftReason::Replaced
    };
    let says_nothing = begun.trim().is_empty();
    let same_line = (next..lines.len())
        .filter(|&i| lines[i].starts_with(begun) && (!says_nothing || i == expected))
        .min_by_key(|i| i.abs_diff(expected));
    if let Some(i) = same_line {
        return Some((&from_line(old, i)[begun.len()..], reason));
    }

    let line = lines.get(expected)?;
    let rest = after_same(line, begun, begun.len(), 0, 2)?;
    let from = &from_line(old, expected)[line.len() - rest.len()..];
    Some((from, DraftReason::Found))
}

/// The text from its i-th line on, counted from 0.
fn from_line(text: &str, i: usize) -> &str {
    text.splitn(i + 1, '\n').last().unwrap_or_default()
}

/// Drafts, after an excerpt that could begin a block, that it does not begin one, and that the new
/// text begins as the old one. Most edits are small, so this choice rarely costs an evaluation of
/// its own.
fn unblocked(partial: &PartialAnswer) -> Option<Draft> {
    let key = shape::next_key(Slot::New) + "\"";
    let mut bytes = key.as_bytes().strip_prefix(partial.tail()?)?.to_vec();
    bytes.extend(escaped_beginning(partial.first()?)?);
    Some(Draft::usual(bytes))
}

/// A text escaped as in an answer, with the quote that ends it. A long text is cut, without the
/// quote.
fn escaped_beginning(text: &str) -> Option<Vec<u8>> {
    let beginning = beginning(text, MOST_BYTES);
    let mut bytes = serde_json::to_vec(beginning).ok()?;
    bytes.remove(0);
    if beginning.len() < text.len() {
        bytes.pop(); // the text continues
    }
    Some(bytes)
}

/// As many whole characters of a text as `most` bytes hold.
fn beginning(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// Finds the longest ending of `written`, of at least `shortest` bytes, in `text` and returns the
/// text after it. Only matches that end at `from` or later count; among several, the one that ends
/// nearest to `near`.
fn after_same<'t>(
    text: &'t str,
    written: &str,
    near: usize,
    from: usize,
    shortest: usize,
) -> Option<&'t str> {
    let longest = written.len().min(LONGEST_LOOKED);
    for n in (shortest..=longest).rev() {
        let Some(end) = written.get(written.len() - n..) else {
            continue; // it is within a character
        };
        let nearest = text
            .match_indices(end)
            .map(|(at, _)| at + n)
            .filter(|&at| at >= from)
            .min_by_key(|at| at.abs_diff(near));
        if let Some(at) = nearest {
            return Some(&text[at..]);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constrain::{NoEdit, PickFile};
    use crate::text::Shown;
    use DraftReason::{Aligned, Found, Likely, Replaced, Usual};

    fn sources(text: &str, likely: &[&str]) -> Sources {
        let likely: Vec<String> = likely.iter().map(|&text| text.to_owned()).collect();
        let shown = Shown::whole(text);
        let spec = SlotSpec::Replace {
            shown,
            blocks: true,
        };
        Sources::new(&spec, &likely)
    }

    #[track_caller]
    fn check(sources: &Sources, slot: Slot, answer: &str, expected: Option<(&str, DraftReason)>) {
        let draft = sources.draft(slot, answer.as_bytes());
        let draft = draft.map(|draft| (String::from_utf8(draft.bytes).unwrap(), draft.reason));
        let draft = draft
            .as_ref()
            .map(|(text, reason)| (text.as_str(), *reason));
        assert_eq!(draft, expected, "{answer}");
    }

    #[test]
    fn most_picks_replace_something_in_the_likely_file() {
        let check = |files: &[&str], likely: &[&str], answer: &str, expected: Option<&str>| {
            let files = files.iter().map(|path| PickFile {
                path: (*path).to_owned(),
                operations: vec![Operation::Replace],
            });
            let spec = SlotSpec::Pick {
                files: files.collect(),
                may_create: true,
                goes_on: false,
                no_edit: NoEdit::ForAnyReason,
            };
            let likely: Vec<String> = likely.iter().map(|&path| path.to_owned()).collect();
            let sources = Sources::new(&spec, &likely);
            let expected = expected.map(|text| (text, Usual));
            check(&sources, Slot::Operation, answer, expected);
        };
        let whole = r#"path":"a \"b\".py","operation":"replace"}"#;
        check(&["c", "d"], &["a \"b\".py"], r#"{""#, Some(whole));
        check(&["a \"b\".py"], &[], r#"{""#, Some(whole));
        check(&["c", "d"], &[], r#"{""#, Some(r#"path":""#));
        let path = r#"{"path":"c","operation":""#;
        check(&["c"], &[], path, Some(r#"replace"}"#));
        check(&["c"], &[], &format!("{path}repl"), Some(r#"ace"}"#));
        check(&["c"], &[], &format!("{path}replace_"), None);
        check(&["c"], &[], r#"{"operation":"none","reason":""#, None);
        check(&["c"], &[], "{", None);
    }

    #[test]
    fn behind_an_excerpt_comes_most_likely_no_block() {
        let sources = sources("fn a() {\n    x();\n}\n", &[]);
        for (answer, expected) in [
            (r#"{"old":"fn \"a","#, Some(r#""new":"fn \"a""#)),
            (r#"{"old":"x\\","#, Some(r#""new":"x\\""#)),
            (r#"{"old":"x,","#, Some(r#""new":"x,""#)),
            (r#"{"old":"x""#, Some(r#","new":"x""#)),
            (r#"{"old":"x","place":"line 2","#, Some(r#""new":"x""#)),
            (r#"{"old":"x","place":"a \"b\", l""#, Some(r#","new":"x""#)),
            (r#"{"old":"x","through":"}"#, None),
            (r#"{"old":"x","place":"line 2","through":""#, None),
        ] {
            let expected = expected.map(|text| (text, Usual));
            check(&sources, Slot::Through, answer, expected);
        }
    }

    #[test]
    fn new_text_of_a_block_is_drafted_from_the_whole_block() {
        let sources = sources("fn a() {\n    x();\n    y();\n}\nfn b() {\n}\n", &[]);
        let block = r#"{"old":"fn a() {","through":"}","new":""#;
        let begun = format!(r"{block}fn a() {{\n    x();\n  ");
        check(
            &sources,
            Slot::New,
            &begun,
            Some((r#"  y();\n}""#, Aligned)),
        );
        check(&sources, Slot::New, block, Some(("\"", Usual)));
    }

    #[test]
    fn a_block_is_resumed_where_its_new_text_comes_back_to_it() {
        let old = "def f(a):\n    x = a\n    y = 1\n\n    return x\n```";
        for (written, expected) in [
            ("", Some("def f(a):")),
            ("def f(a):\n", Some("    x = a")),
            ("def f(b", None),
            ("def f(b):\n", Some("    x = a")),
            ("def f(b):\n    x = b\n", Some("    y = 1")),
            ("def f(b):\n    x = b\n    y = 1\n", Some("")),
            ("def f(a):\n    z = 2\n    x", Some(" = a")),
            ("def f(a):\n    z = 2\n    x = a\n", Some("    y = 1")),
            ("def f(a):\n    return", Some(" x")),
            ("def f(a):\n    x = max(a", None),
            ("def f(a):\n    u, x", Some(" = a")),
            ("def f(a):\n    return x\n", Some("```")),
            ("def f(a):\n    return x\n```", Some("")),
        ] {
            let rest = resumed(old, written).map(|(rest, _)| rest.split('\n').next().unwrap());
            assert_eq!(rest, expected, "{written:?}");
        }
    }

    #[test]
    fn new_text_is_drafted_from_the_old() {
        let sources = sources("", &[]);
        for (old, new, expected) in [
            ("limit = 3", "", (r#"limit = 3""#, Likely)),
            ("limit = 3", "limit", (r#" = 3""#, Aligned)),
            ("f(limit = 3, a)", "f(limit = 50", (r#", a)""#, Replaced)),
            ("f(limit = 3, a)", "f(limit = 50, ", (r#"a)""#, Aligned)),
            ("a = f(a)", "b = f(", (r#"a)""#, Aligned)),
            // At the same place, not at the first.
            ("x, x, x", "y, x, ", (r#"x""#, Aligned)),
            // Escaped as in the answer.
            (r#"say(\"a\")\n"#, r#"tell(\"a\""#, (r#")\n""#, Aligned)),
            ("limit", "limit", ("\"", Aligned)),
        ] {
            let answer = format!(r#"{{"old":"{old}","new":"{new}"#);
            check(&sources, Slot::New, &answer, Some(expected));
        }
    }

    #[test]
    fn excerpts_and_lines_are_drafted_from_the_search_and_the_file() {
        let sources = sources(
            "def f():\n    limit = 3\n    return 1\n",
            &["raise the limit", "    limit = 3"],
        );
        let text = r#"{"anchor":"x","position":"after","text":"// "#;
        let (abc, limit) = (format!("{text}abc"), format!("{text}limit"));
        let side = r#"{"anchor":"x","position":""#;
        for (slot, answer, expected) in [
            (Slot::Old, r#"{"old":""#, Some((r#"limit = 3""#, Likely))),
            (
                Slot::Anchor,
                r#"{"anchor":""#,
                Some((r#"    limit = 3""#, Likely)),
            ),
            (Slot::Old, r#"{"old":"ret"#, Some((r#"urn 1""#, Found))),
            (
                Slot::Anchor,
                r#"{"anchor":"def"#,
                Some((r#" f():""#, Found)),
            ),
            // An anchor is a line from its beginning.
            (Slot::Anchor, r#"{"anchor":"ret"#, None),
            (Slot::Text, &abc, None),
            (Slot::Text, &limit, Some((r#" = 3""#, Found))),
            (Slot::Place, r#"{"anchor":"x","place":""#, None),
            (Slot::Position, side, Some((r#"after""#, Usual))),
        ] {
            check(&sources, slot, answer, expected);
        }
    }

    #[test]
    fn long_drafts_are_cut_and_not_ended() {
        let long = "é".repeat(200);
        let expected = "é".repeat(MOST_BYTES / 2);
        let sources = sources(&long, &[&long]);
        let expected = Some((expected.as_str(), Likely));
        check(&sources, Slot::Anchor, r#"{"anchor":""#, expected);
    }
}
