//! Takes a model's thoughts out of its answer before any format is read. An edit in them is a draft,
//! which the model may have dropped.
//!
//! ```text
//! thought = open any* close        both from [`TAGS`]; without its close it goes on to the end
//!         | any* close             the prompt ended with the open tag
//!         | "<|channel|>" name "<|message|>" any*      a channel other than `final` (harmony)
//!         | "analysis" any* "assistant" "final"        the same, where special tokens were dropped
//! ```
//!
//! A tag in a code fence or in an edit is content, and so is one in backticks or quotes.

use super::{codex, file_name, json, search_replace, unified, whole_file};
use std::borrow::Cow;
use std::ops::Range;

/// How models mark the beginning and the end of their thoughts.
const TAGS: [(&str, &str); 16] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("<thought>", "</thought>"),
    ("<thoughts>", "</thoughts>"),
    ("<reflection>", "</reflection>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<analysis>", "</analysis>"),
    ("<antthinking>", "</antthinking>"),
    ("<reasoning_content>", "</reasoning_content>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<seed:think>", "</seed:think>"),
    ("[think]", "[/think]"),
    ("◁think▷", "◁/think▷"),
    ("<|start_thinking|>", "<|end_thinking|>"),
    ("<details type=\"reasoning\"", "</details>"),
];

const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";

/// An answer without the thoughts in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Meant<'a> {
    /// The rest of the answer. Its lines keep their numbers.
    pub text: Cow<'a, str>,
    /// The thoughts, with the line of the first, counted from 1.
    pub thoughts: Option<(usize, String)>,
}

/// Takes the thoughts out of an answer.
pub(super) fn without_thoughts(text: &str) -> Meant<'_> {
    let mut ranges = harmony(text).unwrap_or_default();
    if ranges.is_empty() {
        // The tags are compared in lower case. All offsets stay.
        let lower = text.to_ascii_lowercase();
        let mut tags = TAGS.iter();
        if tags.any(|(open, close)| lower.contains(open) || lower.contains(close)) {
            ranges = TaggedAnswer::new(text, &lower).tagged();
        }
    }
    let Some(first) = ranges.first() else {
        return Meant {
            text: Cow::Borrowed(text),
            thoughts: None,
        };
    };

    let line = text[..first.start].matches('\n').count() + 1;
    let mut thoughts = Vec::new();
    let mut rest = String::with_capacity(text.len());
    let mut below = 0;
    for Range { start, end } in ranges {
        thoughts.push(&text[start..end]);
        rest += &text[below..start];
        rest.extend(text[start..end].chars().filter(|char| *char == '\n'));
        below = end;
    }
    rest += &text[below..];
    Meant {
        text: Cow::Owned(rest),
        thoughts: Some((line, thoughts.join("\n"))),
    }
}

/// The parts of an answer in harmony that are not in its final channel, and the tokens between
/// them; `None` if it is in no such form.
fn harmony(text: &str) -> Option<Vec<Range<usize>>> {
    // What a template makes of it that knows no special tokens.
    if text.trim_start().starts_with("analysis")
        && let Some(end) = text.match_indices("assistant").find_map(|(at, word)| {
            let below = text[at + word.len()..].trim_start().strip_prefix("final")?;
            Some(text.len() - below.len())
        })
    {
        return Some(std::iter::once(0..end).collect());
    }
    let first = text.find(CHANNEL)?;
    let fences = text[..first]
        .lines()
        .filter(|line| file_name::fence(line).is_some());
    let is_in_fence = fences.count() % 2 == 1;
    if is_in_fence || !text[first..].contains(MESSAGE) {
        return None;
    }

    let mut ranges = Vec::new();
    let mut below = 0;
    for (at, _) in text.match_indices(CHANNEL).filter(|(at, _)| *at >= first) {
        let header = &text[at + CHANNEL.len()..];
        let Some((name, _)) = header.split_once(MESSAGE) else {
            break;
        };
        if name.trim() != "final" {
            continue;
        }
        let start = at + CHANNEL.len() + name.len() + MESSAGE.len();
        let end = ["<|end|>", "<|return|>", "<|start|>", CHANNEL]
            .iter()
            .filter_map(|token| text[start..].find(token))
            .min()
            .map_or(text.len(), |n_bytes| start + n_bytes);
        if start >= below {
            ranges.push(below..start);
            below = end;
        }
    }
    ranges.push(below..text.len());
    ranges.retain(|range| !range.is_empty());
    Some(ranges)
}

/// An answer whose thoughts have tags.
struct TaggedAnswer<'a> {
    text: &'a str,
    lines: Vec<&'a str>,
    /// The lines in lower case.
    lower: Vec<&'a str>,
    /// The offset of each line.
    starts: Vec<usize>,
}

impl<'a> TaggedAnswer<'a> {
    fn new(text: &'a str, lower: &'a str) -> TaggedAnswer<'a> {
        let mut starts: Vec<usize> = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        TaggedAnswer {
            text,
            lines: text.lines().collect(),
            lower: lower.lines().collect(),
            starts,
        }
    }

    /// The thoughts between tags.
    fn tagged(&self) -> Vec<Range<usize>> {
        // Each closing tag that nothing opened is read once more in its line.
        const MOST_IN_LINE: usize = 100;
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let mut line_idx = 0;
        // Where in the line to go on, and how many thoughts ended in it.
        let mut column = 0;
        let mut n_in_line = 0;
        let mut has_open_fence = false;
        while let Some(line) = self.lower.get(line_idx) {
            let rest = &line[column..];
            let at = self.starts[line_idx] + column;
            let inner = rest.trim_start();
            if let Some((_, close)) = TAGS.iter().find(|(open, _)| inner.starts_with(open)) {
                let start = at + rest.len() - inner.len();
                let Some(end) = self.closing(line_idx, start, close) else {
                    ranges.push(start..self.text.len());
                    break;
                };
                ranges.push(start..end);
                line_idx = self.starts.partition_point(|start| *start <= end) - 1;
                column = end - self.starts[line_idx];
                continue;
            }

            // Nothing opened it: all above is a thought.
            if let Some(n_bytes) = lone_closing(rest).filter(|_| n_in_line < MOST_IN_LINE) {
                n_in_line += 1;
                ranges.clear();
                ranges.push(0..at + n_bytes);
                column += n_bytes;
                continue;
            }

            // A fence that nothing closes is looked for once: each try reads to the end of the text.
            let is_fence = file_name::fence(rest).is_some();
            let mut end = None;
            if !(is_fence && has_open_fence) {
                end = self.content_end(line_idx);
                has_open_fence |= is_fence
                    && end.is_none()
                    && whole_file::closing_line(&self.lines, line_idx).is_none();
            }
            line_idx = end.unwrap_or(line_idx + 1);
            n_in_line = 0;
            column = 0;
        }
        ranges
    }

    /// The end of the closing tag of a thought that begins at an offset in a line.
    fn closing(&self, line_idx: usize, from: usize, close: &str) -> Option<usize> {
        (line_idx..self.lower.len()).find_map(|idx| {
            let column = from.saturating_sub(self.starts[idx]);
            let n_bytes = tag_in(self.lower[idx].get(column..)?, close)?;
            Some(self.starts[idx] + column + n_bytes)
        })
    }

    /// The first line below the fence or the edit that begins at a line: a tag in it is content. A
    /// closing tag on a line of its own that interrupts it ends a thought, in which it was not
    /// finished.
    fn content_end(&self, line_idx: usize) -> Option<usize> {
        let lines = self.lines.as_slice();
        if file_name::fence(lines[line_idx]).is_some() {
            let end = whole_file::closing_line(lines, line_idx)? + 1;
            return Some(end).filter(|end| !self.is_interrupted(line_idx..*end));
        }
        if let Some(frame) = codex::frame_at(lines, line_idx) {
            return Some(frame.end).filter(|end| !self.is_interrupted(line_idx..*end));
        }
        // The lines of a diff have a mark, and a call has its own end.
        if unified::begins(lines, line_idx) {
            return Some(unified::end(lines, line_idx));
        }
        let start = self.starts[line_idx];
        if lines[line_idx].trim_start().starts_with(['{', '[', '<'])
            && let Some(run) = json::run_at(&self.text[start..])
        {
            let end = start + run.n_bytes;
            let end_idx = self.starts.partition_point(|start| *start < end);
            return Some(end_idx.min(lines.len()));
        }
        // A template may have the tag. A draft is followed by another block, which has the end mark.
        let end = search_replace::end_at(lines, line_idx)?;
        let mut inner = lines[line_idx + 1..end].iter();
        let has_another = inner.any(|line| search_replace::opens(line));
        Some(end).filter(|end| !(has_another && self.is_interrupted(line_idx..*end)))
    }

    /// Whether a closing tag is alone on one of these lines, without its opening tag above.
    fn is_interrupted(&self, lines: Range<usize>) -> bool {
        let inner = &self.lower[lines];
        TAGS.iter().any(|(open, close)| {
            let at = inner.iter().position(|line| line.trim() == *close);
            at.is_some_and(|at| !inner[..at].iter().any(|line| line.contains(open)))
        })
    }
}

/// The end of a tag in a line, where it is not named as a word in quotes.
fn tag_in(line: &str, tag: &str) -> Option<usize> {
    const QUOTES: [char; 3] = ['`', '"', '\''];
    for (at, _) in line.match_indices(tag) {
        let end = at + tag.len();
        if !line[..at].ends_with(QUOTES) && !line[end..].starts_with(QUOTES) {
            return Some(end);
        }
    }
    None
}

/// The end of the closing tag that begins or ends a line.
fn lone_closing(line: &str) -> Option<usize> {
    TAGS.iter().find_map(|(_, close)| {
        let end = tag_in(line, close)?;
        let (before, after) = (&line[..end - close.len()], &line[end..]);
        // Between a sentence and what follows at once. In prose about the tag it is a word.
        let is_between =
            before.ends_with(['.', '!', '?']) && after.starts_with(char::is_alphanumeric);
        let stands_out = before.trim().is_empty() || after.trim().is_empty() || is_between;
        // A page folds other things with this tag.
        (stands_out && *close != "</details>").then_some(end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAFT: &str = "a.py\n```\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n";

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let meant = without_thoughts(text);
        assert_eq!(meant.text.trim(), expected, "{text}");
        assert_eq!(
            meant.text.matches('\n').count(),
            text.matches('\n').count(),
            "{text}"
        );
        assert_eq!(meant.thoughts.is_some(), meant.text != text, "{text}");
    }

    #[test]
    fn each_way_to_think_aloud() {
        for (open, close) in TAGS {
            check(
                &format!("{open}\n{DRAFT}{close}\nThe answer.\n"),
                "The answer.",
            );
            check(
                &format!("{open}{DRAFT}No.{close}The answer.\n"),
                "The answer.",
            );
        }
        for (_, close) in &TAGS[..TAGS.len() - 1] {
            check(&format!("{DRAFT}{close}\nThe answer."), "The answer.");
        }
        check(&format!("<think>\n{DRAFT}"), "");
        check(
            "<think>a</think><think>b</think>\nThe answer.",
            "The answer.",
        );
    }

    #[test]
    fn only_the_final_channel_is_meant() {
        for text in [
            "<|channel|>analysis<|message|>draft<|end|><|start|>assistant<|channel|>final<|message|>It.<|return|>",
            "<|start|>assistant<|channel|>commentary to=functions.edit <|constrain|>json<|message|>\
             {}<|call|><|start|>assistant<|channel|>final<|message|>It.",
            "draft<|end|><|start|>assistant<|channel|>final<|message|>It.",
            "analysisWe draft.assistantfinalIt.",
        ] {
            check(text, "It.");
        }
        check("<|channel|>analysis<|message|>draft", "");
    }

    #[test]
    fn a_draft_that_was_not_finished_ends_with_the_thought() {
        check("```python\nx = 1\n</think>\nThe answer.", "The answer.");
        check(
            &format!("<<<<<<< SEARCH\nx\n</think>\n{DRAFT}"),
            DRAFT.trim(),
        );
    }

    #[test]
    fn a_tag_in_content_is_content() {
        for text in [
            "a.txt\n```\n<think>\nx\n</think>\n```",
            "a.txt\n<<<<<<< SEARCH\n</think>\n=======\n<think>\n>>>>>>> REPLACE",
            "The tag `</think>` ends it.",
            "*** Begin Patch\n*** Add File: a\n+<think>\n*** End Patch",
            "No thought about <think> here.",
        ] {
            check(text, text);
        }
    }
}
