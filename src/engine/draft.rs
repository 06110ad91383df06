//! Drafting: what an answer most likely goes on with, to be checked by the model in one batch
//! (Leviathan and others, 2023: speculative decoding; Saxena, 2023: prompt lookup, where the draft
//! is copied from what the model has read).
//!
//! Most of an edit's new text is its old text again, and what is not stands in the task or
//! elsewhere in the file. A draft is only a guess: the constraint lets through what it lets
//! through, and the model accepts of it what it would have chosen anyway. How long a draft is worth
//! its computation follows from what has been measured: how often drafts of its kind were right,
//! and how the time of a batch grows with its tokens.

use crate::constrain::{NEW_KEY, SlotSpec, THROUGH_KEY};
use crate::slots::Slot;
use crate::text::Shown;
use std::time::Duration;

/// No draft is longer, in tokens that the model chooses.
pub const MOST_TOKENS: usize = 32;

/// A draft is cut at so many bytes before it is tokenized.
const MOST_BYTES: usize = 240;

/// Between a path and what is done to the file.
const OPERATION_KEY: &[u8] = br#"","operation":""#;

/// Fewer equal bytes than this say nothing about what follows them.
const SHORTEST_FOUND: usize = 4;

/// More equal bytes than this say no more.
const LONGEST_LOOKED: usize = 24;

/// Why a draft is expected to be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The new text has followed the old one up to here.
    Aligned,
    /// It has just left the old text, and is taken to have replaced one word of it.
    Replaced,
    /// What was written last stands elsewhere, and this follows it there.
    Found,
    /// Nothing is written yet, and the program's own search says this.
    Likely,
    /// Most answers go on so, whatever the file and the task: they edit the likeliest file in one
    /// place, below their anchor rather than above, without a block to be named.
    Usual,
}

/// What an answer may go on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// As it stands in the answer: escaped, and with the quote that ends it.
    pub bytes: Vec<u8>,
    /// Why.
    pub kind: Kind,
}

/// Where drafts come from in one request.
#[derive(Debug, Default)]
pub struct Sources {
    /// Best first.
    likely: Vec<String>,
    shown: Vec<String>,
}

impl Sources {
    /// `likely` are texts that an answer probably has a part of, best first: lines that the task
    /// seems to be about, paths, the task itself.
    pub fn new(spec: &SlotSpec, likely: &[String]) -> Sources {
        let mut likely = likely.to_vec();
        if let SlotSpec::Pick { files, .. } = spec
            && let ([], [file]) = (likely.as_slice(), files.as_slice())
        {
            likely.push(file.path.clone());
        }
        let shown = spec.shown().map_or_else(Vec::new, windows);
        Sources { likely, shown }
    }

    /// What an answer in JSON, which has come to the middle of a slot, may go on with.
    pub fn draft(&self, slot: Slot, answer: &[u8]) -> Option<Draft> {
        if slot == Slot::Operation {
            return self.pick(answer);
        }
        let values = values(answer);
        let written = values.last()?.as_str();
        let (rest, kind) = match slot {
            Slot::New => match values.as_slice() {
                [old, .., through, _]
                    if answer.windows(THROUGH_KEY.len()).any(|bytes| bytes == THROUGH_KEY) =>
                {
                    if written.is_empty() {
                        return Some(Draft { bytes: b"\"".to_vec(), kind: Kind::Usual }); // blocks mostly go
                    }
                    self.new_text(self.block(old, through).unwrap_or(old), written)?
                }
                _ => self.new_text(values.first()?, written)?,
            },
            Slot::Through => return unblocked(answer, values.first()?),
            Slot::Old | Slot::Anchor | Slot::Path => self.copied(written, slot == Slot::Old)?,
            Slot::Text => (self.found(written)?, Kind::Found),
            // Below its anchor, as most new lines.
            Slot::Position => ("after".strip_prefix(written)?, Kind::Usual),
            Slot::Operation | Slot::Reason | Slot::Place => return None,
        };
        let bytes = escaped_beginning(rest)?;
        (!bytes.is_empty()).then_some(Draft { bytes, kind })
    }

    /// An edit of the likeliest file, in one place: so most picks are.
    fn pick(&self, answer: &[u8]) -> Option<Draft> {
        // Too long a path is left to the model.
        let path = self
            .likely
            .first()
            .filter(|path| path.len() < MOST_BYTES / 2)
            .and_then(|path| escaped_beginning(path));
        let path = path.unwrap_or_default();
        let usual = [br#"path":""#.as_slice(), &path, &OPERATION_KEY[1..], b"replace\"}"].concat();
        let bytes = match answer.strip_prefix(br#"{""#)? {
            // With no likely path nothing behind it is either.
            [] => usual[..if path.is_empty() { br#"path":""#.len() } else { usual.len() }].to_vec(),
            written => {
                let at = written
                    .windows(OPERATION_KEY.len())
                    .rposition(|bytes| bytes == OPERATION_KEY)?;
                b"replace\"}".strip_prefix(&written[at + OPERATION_KEY.len()..])?.to_vec()
            }
        };
        (!bytes.is_empty()).then_some(Draft { bytes, kind: Kind::Usual })
    }

    /// The block that `old` begins and the line `through` ends.
    fn block(&self, old: &str, through: &str) -> Option<&str> {
        self.shown.iter().find_map(|window| {
            let start = window.find(old)?;
            let behind = start + old.len();
            let mut end = 0;
            let mut lines = window.split_inclusive('\n').filter_map(|line| {
                let begin = end;
                end += line.len();
                let line = line.strip_suffix('\n').unwrap_or(line);
                (begin >= behind && line == through).then_some(begin + line.len())
            });
            lines.next().map(|end| &window[start..end])
        })
    }

    fn new_text<'s>(&'s self, old: &'s str, written: &str) -> Option<(&'s str, Kind)> {
        let n_equal = old.bytes().zip(written.bytes()).take_while(|(a, b)| a == b).count();
        if n_equal == written.len() {
            // At the very beginning nothing speaks for it but that most edits are small.
            return Some((
                old.get(n_equal..)?,
                if n_equal == 0 { Kind::Likely } else { Kind::Aligned },
            ));
        }
        if let Some(rest) = after_same(old, written, written.len(), n_equal, 2) {
            return Some((rest, Kind::Aligned));
        }
        if let Some(rest) = self.found(written) {
            return Some((rest, Kind::Found));
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let rest = &old[(0..=n_equal).rev().find(|&i| old.is_char_boundary(i))?..];
        Some((rest.trim_start_matches(is_word), Kind::Replaced))
    }

    /// The rest of the line that an excerpt or an anchor has begun; of an excerpt without the
    /// indentation.
    fn copied(&self, written: &str, is_excerpt: bool) -> Option<(&str, Kind)> {
        let trimmed = |line: &'_ str| -> usize {
            if is_excerpt { line.len() - line.trim_start().len() } else { 0 }
        };
        if written.is_empty() {
            // Of a file only what it has can be copied; the task may say anything.
            let stands = |line: &&String| {
                self.shown.is_empty()
                    || self.shown.iter().any(|window| window.contains(line.as_str()))
            };
            let line = self.likely.iter().find(stands)?;
            return Some((&line[trimmed(line)..], Kind::Likely));
        }
        let lines = self
            .likely
            .iter()
            .map(String::as_str)
            .chain(self.shown.iter().flat_map(|window| window.lines()));
        let mut starts = lines.filter_map(|line| {
            let at = if is_excerpt {
                line.find(written)?
            } else {
                line.starts_with(written).then_some(0)?
            };
            Some(&line[at + written.len()..])
        });
        starts.next().map(|rest| (rest, Kind::Found))
    }

    /// What follows what was written last where it stands elsewhere, up to the end of that line.
    fn found(&self, written: &str) -> Option<&str> {
        let texts = || self.likely.iter().chain(&self.shown);
        let rest = |shortest| {
            texts().find_map(|text| {
                after_same(text, written, 0, 0, shortest).filter(|rest| !rest.trim().is_empty())
            })
        };
        rest(2 * SHORTEST_FOUND).or_else(|| rest(SHORTEST_FOUND))?.lines().next()
    }
}

/// Behind an excerpt that may begin a block: that it does not, and that the new text begins as it
/// does. Most edits are small, and so the choice costs no evaluation of its own.
fn unblocked(answer: &[u8], old: &str) -> Option<Draft> {
    let mut is_escaped = false;
    let quotes = answer.iter().enumerate().filter(|&(_, &byte)| {
        let is_quote = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_quote
    });
    let quotes: Vec<usize> = quotes.map(|(at, _)| at).collect();
    // Behind a value, which the fourth of four quotes ends, or in the key behind it, which has the
    // next.
    let end_of_value =
        quotes.iter().rev().nth(quotes.len() % 4).filter(|_| quotes.len() % 4 < 2)?;
    let key = NEW_KEY.strip_prefix(&answer[end_of_value + 1..])?;
    Some(Draft { bytes: [key, &escaped_beginning(old)?].concat(), kind: Kind::Usual })
}

/// A text as it stands in an answer, with the quote that ends it; the beginning of a long one.
fn escaped_beginning(text: &str) -> Option<Vec<u8>> {
    let most =
        (0..=text.len().min(MOST_BYTES)).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
    let mut bytes = serde_json::to_vec(&text[..most]).ok()?;
    bytes.remove(0);
    if most < text.len() {
        bytes.pop(); // the text does not end here
    }
    Some(bytes)
}

/// What follows in `text` where it has the longest end of `written`, of `shortest` bytes or more;
/// of several places, from `from` on, the one where that end is nearest to `near`.
fn after_same<'t>(
    text: &'t str,
    written: &str,
    near: usize,
    from: usize,
    shortest: usize,
) -> Option<&'t str> {
    let longest = written.len().min(LONGEST_LOOKED);
    (shortest..=longest).rev().filter(|&n| written.is_char_boundary(written.len() - n)).find_map(
        |n| {
            let end = &written[written.len() - n..];
            let places = text.match_indices(end).map(|(at, _)| at + n).filter(|&at| at >= from);
            places.min_by_key(|at| at.abs_diff(near)).map(|at| &text[at..])
        },
    )
}

fn windows(shown: &Shown) -> Vec<String> {
    shown.windows.iter().map(|window| window.text.clone()).collect()
}

/// The values of an object of strings in JSON that is cut off in one of them. Of an escape that is
/// cut off nothing is read.
pub(super) fn values(json: &[u8]) -> Vec<String> {
    let mut strings = Vec::new();
    let mut current: Option<Vec<u8>> = None;
    let mut is_escaped = false;
    for &byte in json {
        match &mut current {
            None if byte == b'"' => current = Some(vec![byte]),
            None => {}
            Some(string) => {
                string.push(byte);
                if is_escaped {
                    is_escaped = false;
                } else if byte == b'\\' {
                    is_escaped = true;
                } else if byte == b'"' {
                    strings.push(serde_json::from_slice(string).unwrap_or_default());
                    current = None;
                }
            }
        }
    }
    if let Some(mut string) = current {
        string.push(b'"');
        strings.push(serde_json::from_slice(&string).unwrap_or_default());
    }
    // Keys and values take turns.
    strings.into_iter().skip(1).step_by(2).collect::<Vec<_>>()
}

/// What has been measured of batches and drafts, over the answers of one process.
#[derive(Clone, Debug)]
pub struct Pace {
    /// Milliseconds of a batch of one token, and of each token more; 0: not measured yet.
    one: f64,
    more: f64,
    /// By kind: tokens that were right, and tokens tried.
    right: [f64; 5],
    tried: [f64; 5],
}

/// What a batch of one costs in tokens more, until it is measured.
const ONE_IN_MORE: f64 = 4.0;

/// A new figure counts so much.
const NEWEST: f64 = 0.3;

/// Batches of as many tokens measure what one more costs.
const MANY: usize = 48;

impl Default for Pace {
    fn default() -> Pace {
        // What edits of all sorts came to, counting as much as some tokens tried.
        let prior = |rate: f64| (4.0 * rate, 4.0);
        let kinds = [prior(0.95), prior(0.5), prior(0.7), prior(0.7), prior(0.8)];
        Pace {
            one: 0.0,
            more: 0.0,
            right: kinds.map(|(right, _)| right),
            tried: kinds.map(|(_, tried)| tried),
        }
    }
}

impl Pace {
    /// Takes note of a batch.
    pub fn computed(&mut self, n_tokens: usize, took: Duration) {
        let ms = took.as_secs_f64() * 1e3;
        let (figure, value) = match n_tokens {
            1..=2 => (&mut self.one, ms / n_tokens as f64),
            MANY.. => (&mut self.more, ms / n_tokens as f64),
            _ => return,
        };
        *figure = if *figure == 0.0 { value } else { *figure + NEWEST * (value - *figure) };
    }

    /// Takes note of a draft: how many of its tokens were looked at, and how many of them were
    /// right.
    pub fn drafted(&mut self, kind: Kind, n_tried: usize, n_right: usize) {
        self.right[kind as usize] += n_right as f64;
        self.tried[kind as usize] += n_tried as f64;
    }

    /// How many tokens of a draft are worth computing beside `n_waiting` that must be computed
    /// anyway: the number with which a token of the answer takes the least time.
    pub fn worth(&self, kind: Kind, n_waiting: usize) -> usize {
        let rate = self.right[kind as usize] / self.tried[kind as usize];
        let more = if self.more > 0.0 { self.more } else { self.one / ONE_IN_MORE };
        // In units of one token more.
        let first =
            if self.one > 0.0 && more > 0.0 { (self.one / more).max(1.0) } else { ONE_IN_MORE };
        let time = |n: usize| first + (n_waiting.max(1) - 1 + n) as f64;
        let mut best = (0, 1.0 / time(0));
        let (mut expected, mut all_right) = (1.0, 1.0);
        for n in 1..=MOST_TOKENS {
            all_right *= rate;
            expected += all_right;
            let pace = expected / time(n);
            if pace > best.1 {
                best = (n, pace);
            }
        }
        best.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constrain::PickFile;
    use crate::slots::Operation;

    fn sources(text: &str, likely: &[&str]) -> Sources {
        let likely: Vec<String> = likely.iter().map(|&text| text.to_owned()).collect();
        Sources::new(&SlotSpec::Replace { shown: Shown::whole(text), blocks: true }, &likely)
    }

    fn draft(sources: &Sources, slot: Slot, answer: &str) -> Option<(String, Kind)> {
        sources
            .draft(slot, answer.as_bytes())
            .map(|draft| (String::from_utf8(draft.bytes).unwrap(), draft.kind))
    }

    #[test]
    fn most_picks_replace_something_in_the_likely_file() {
        let draft = |files: &[&str], likely: &[&str], answer: &str| {
            let files = files.iter().map(|path| PickFile {
                path: (*path).to_owned(),
                operations: vec![Operation::Replace],
            });
            let spec = SlotSpec::Pick { files: files.collect(), may_create: true };
            let likely: Vec<String> = likely.iter().map(|&path| path.to_owned()).collect();
            let draft = Sources::new(&spec, &likely).draft(Slot::Operation, answer.as_bytes());
            draft.map(|draft| String::from_utf8(draft.bytes).unwrap())
        };
        assert_eq!(
            Sources::default()
                .draft(Slot::Position, br#"{"anchor":"x","position":""#)
                .unwrap()
                .bytes,
            br#"after""#
        );
        let whole = r#"path":"a \"b\".py","operation":"replace"}"#;
        assert_eq!(draft(&["c", "d"], &["a \"b\".py"], r#"{""#).as_deref(), Some(whole));
        assert_eq!(draft(&["a \"b\".py"], &[], r#"{""#).as_deref(), Some(whole));
        assert_eq!(draft(&["c", "d"], &[], r#"{""#).as_deref(), Some(r#"path":""#));
        assert_eq!(
            draft(&["c"], &[], r#"{"path":"c","operation":""#).as_deref(),
            Some(r#"replace"}"#)
        );
        assert_eq!(
            draft(&["c"], &[], r#"{"path":"c","operation":"repl"#).as_deref(),
            Some(r#"ace"}"#)
        );
        assert_eq!(draft(&["c"], &[], r#"{"path":"c","operation":"replace_"#), None);
        assert_eq!(draft(&["c"], &[], r#"{"operation":"none","reason":""#), None);
        assert_eq!(draft(&["c"], &[], "{"), None);
    }

    #[test]
    fn behind_an_excerpt_comes_most_likely_no_block() {
        let sources = sources("fn a() {\n    x();\n}\n", &[]);
        let at = |answer: &str| {
            sources
                .draft(Slot::Through, answer.as_bytes())
                .map(|draft| String::from_utf8(draft.bytes).unwrap())
        };
        assert_eq!(at(r#"{"old":"fn \"a","#).as_deref(), Some(r#""new":"fn \"a""#));
        assert_eq!(at(r#"{"old":"x\\","#).as_deref(), Some(r#""new":"x\\""#));
        assert_eq!(at(r#"{"old":"x,","#).as_deref(), Some(r#""new":"x,""#));
        assert_eq!(at(r#"{"old":"x""#).as_deref(), Some(r#","new":"x""#));
        assert_eq!(at(r#"{"old":"x","place":"line 2","#).as_deref(), Some(r#""new":"x""#));
        assert_eq!(at(r#"{"old":"x","place":"a \"b\", line 2""#).as_deref(), Some(r#","new":"x""#));
        assert_eq!(at(r#"{"old":"x","through":"}"#), None);
        assert_eq!(at(r#"{"old":"x","place":"line 2","through":""#), None);
    }

    #[test]
    fn new_text_of_a_block_is_drafted_from_the_whole_block() {
        let sources = sources("fn a() {\n    x();\n    y();\n}\nfn b() {\n}\n", &[]);
        let answer = r#"{"old":"fn a() {","through":"}","new":"fn a() {\n    x();\n  "#;
        let draft = sources.draft(Slot::New, answer.as_bytes()).unwrap();
        assert_eq!(
            (String::from_utf8(draft.bytes).unwrap().as_str(), draft.kind),
            (r#"  y();\n}""#, Kind::Aligned)
        );
        let nothing =
            sources.draft(Slot::New, br#"{"old":"fn a() {","through":"}","new":""#).unwrap();
        assert_eq!(nothing, Draft { bytes: b"\"".to_vec(), kind: Kind::Usual });
    }

    #[test]
    fn new_text_is_drafted_from_the_old() {
        let sources = sources("", &[]);
        let new = |old: &str, new: &str| {
            draft(&sources, Slot::New, &format!(r#"{{"old":"{old}","new":"{new}"#))
        };
        let some = |text: &str, kind: Kind| Some((text.to_owned(), kind));
        assert_eq!(new("limit = 3", ""), some(r#"limit = 3""#, Kind::Likely));
        assert_eq!(new("limit = 3", "limit"), some(r#" = 3""#, Kind::Aligned));
        assert_eq!(
            new("retry(limit = 3, wait)", "retry(limit = 50"),
            some(r#", wait)""#, Kind::Replaced)
        );
        assert_eq!(
            new("retry(limit = 3, wait)", "retry(limit = 50, "),
            some(r#"wait)""#, Kind::Aligned)
        );
        assert_eq!(new("a = f(a)", "b = f("), some(r#"a)""#, Kind::Aligned));
        assert_eq!(
            new("x, x, x", "y, x, "),
            some(r#"x""#, Kind::Aligned),
            "at the same place, not at the first"
        );
        assert_eq!(
            new(r#"say(\"a\")\n"#, r#"tell(\"a\""#),
            some(r#")\n""#, Kind::Aligned),
            "escaped as in the answer"
        );
        assert_eq!(new("limit", "limit"), some("\"", Kind::Aligned));
    }

    #[test]
    fn excerpts_and_lines_are_drafted_from_the_search_and_the_file() {
        let sources = sources(
            "def f():\n    limit = 3\n    return 1\n",
            &["raise the limit", "    limit = 3"],
        );
        let some = |text: &str, kind: Kind| Some((text.to_owned(), kind));
        assert_eq!(draft(&sources, Slot::Old, r#"{"old":""#), some(r#"limit = 3""#, Kind::Likely));
        assert_eq!(
            draft(&sources, Slot::Anchor, r#"{"anchor":""#),
            some(r#"    limit = 3""#, Kind::Likely)
        );
        assert_eq!(draft(&sources, Slot::Old, r#"{"old":"ret"#), some(r#"urn 1""#, Kind::Found));
        assert_eq!(
            draft(&sources, Slot::Anchor, r#"{"anchor":"def"#),
            some(r#" f():""#, Kind::Found)
        );
        assert_eq!(
            draft(&sources, Slot::Anchor, r#"{"anchor":"ret"#),
            None,
            "an anchor is a line from its beginning"
        );
        assert_eq!(
            draft(&sources, Slot::Text, r#"{"anchor":"x","position":"after","text":"// abc"#),
            None
        );
        assert_eq!(
            draft(&sources, Slot::Text, r#"{"anchor":"x","position":"after","text":"// limit"#),
            some(r#" = 3""#, Kind::Found)
        );
        assert_eq!(draft(&sources, Slot::Place, r#"{"anchor":"x","place":""#), None);
    }

    #[test]
    fn long_drafts_are_cut_and_not_ended() {
        let long = "é".repeat(200);
        let sources = sources(&long, &[&long]);
        let (text, _) = draft(&sources, Slot::Anchor, r#"{"anchor":""#).unwrap();
        assert_eq!(text, "é".repeat(MOST_BYTES / 2));
    }

    #[test]
    fn values_of_an_unfinished_answer() {
        assert_eq!(values(br#"{"old":"a\"b","new":"c\\"#), ["a\"b", "c\\"]);
        assert_eq!(values(br#"{"old":"a","new":"c\"#), ["a", ""], "in the middle of an escape");
        assert_eq!(values(br#"{"ol"#), [""; 0]);
    }

    #[test]
    fn a_draft_is_as_long_as_it_pays() {
        let mut pace = Pace::default();
        assert!(pace.worth(Kind::Aligned, 1) > pace.worth(Kind::Replaced, 1));
        // A batch of many costs no more than one: as on a graphics card.
        pace.computed(1, Duration::from_millis(30));
        pace.computed(100, Duration::from_millis(30));
        assert_eq!(pace.worth(Kind::Aligned, 1), MOST_TOKENS);
        // Every token costs the same: there is nothing to be gained.
        let mut slow = Pace::default();
        slow.computed(1, Duration::from_millis(30));
        slow.computed(100, Duration::from_secs(3));
        assert_eq!(slow.worth(Kind::Aligned, 1), 0);
        // Drafts that are never right are given up.
        for _ in 0..20 {
            pace.drafted(Kind::Found, 1, 0);
        }
        assert!(pace.worth(Kind::Found, 1) < 3);
    }
}
