//! The thoughts of a model, which may come with its answer. An edit in them is a draft: the model
//! may have dropped it. So thoughts are taken out before any format is read.
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
    // The tags are compared in lower case. All offsets stay.
    let lower = text.to_ascii_lowercase();
    if ranges.is_empty()
        && TAGS
            .iter()
            .any(|(open, close)| lower.contains(open) || lower.contains(close))
    {
        ranges = tagged(text, &lower);
    }
    let Some(first) = ranges.first() else {
        return Meant {
            text: Cow::Borrowed(text),
            thoughts: None,
        };
    };

    let line = text[..first.start].matches('\n').count() + 1;
    let thoughts = ranges
        .iter()
        .map(|range| &text[range.clone()])
        .collect::<Vec<_>>()
        .join("\n");
    let mut rest = String::with_capacity(text.len());
    let mut below = 0;
    for Range { start, end } in ranges {
        rest += &text[below..start];
        rest.extend(text[start..end].chars().filter(|char| *char == '\n'));
        below = end;
    }
    rest += &text[below..];
    Meant {
        text: Cow::Owned(rest),
        thoughts: Some((line, thoughts)),
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
    let is_outside = text[..first]
        .lines()
        .filter(|line| file_name::fence(line).is_some())
        .count()
        % 2
        == 0;
    if !is_outside || !text[first..].contains(MESSAGE) {
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

/// The thoughts between tags.
fn tagged(text: &str, lower: &str) -> Vec<Range<usize>> {
    let own: Vec<&str> = text.lines().collect();
    let lines: Vec<&str> = lower.lines().collect();
    let mut starts: Vec<usize> = vec![0];
    starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut line_idx = 0;
    // Where in the line to go on, and how often one ended in it.
    let (mut column, mut n_in_line) = (0, 0);
    let mut has_open_fence = false;
    while let Some(line) = lines.get(line_idx) {
        let rest = &line[column..];
        let at = starts[line_idx] + column;

        let inner = rest.trim_start();
        if let Some((_, close)) = TAGS.iter().find(|(open, _)| inner.starts_with(open)) {
            let start = at + rest.len() - inner.len();
            let Some(end) = closing(&lines, &starts, line_idx, start, close) else {
                ranges.push(start..text.len());
                break;
            };
            ranges.push(start..end);
            line_idx = starts.partition_point(|start| *start <= end) - 1;
            column = end - starts[line_idx];
            continue;
        }

        // Nothing opened it: all above is a thought.
        const MOST_IN_LINE: usize = 100;
        if let Some(n_bytes) = lone_closing(rest).filter(|_| n_in_line < MOST_IN_LINE) {
            n_in_line += 1;
            ranges.clear();
            ranges.push(0..at + n_bytes);
            column += n_bytes;
            continue;
        }

        // A fence that nothing closes is looked for once: each try reads to the end of the text.
        let is_fence = file_name::fence(rest).is_some();
        let end = if is_fence && has_open_fence {
            None
        } else {
            content_end(&own, &lines, text, &starts, line_idx)
        };
        has_open_fence |=
            is_fence && end.is_none() && whole_file::closing_line(&own, line_idx).is_none();
        line_idx = end.unwrap_or(line_idx + 1);
        n_in_line = 0;
        column = 0;
    }
    ranges
}

/// The end of the closing tag of a thought that begins at an offset in a line.
fn closing(
    lines: &[&str],
    starts: &[usize],
    line_idx: usize,
    from: usize,
    close: &str,
) -> Option<usize> {
    (line_idx..lines.len()).find_map(|idx| {
        let column = from.saturating_sub(starts[idx]);
        let n_bytes = tag_in(lines[idx].get(column..)?, close)?;
        Some(starts[idx] + column + n_bytes)
    })
}

/// The end of a tag in a line, where it is not named as a word in quotes.
fn tag_in(line: &str, tag: &str) -> Option<usize> {
    let is_quote = |char: char| matches!(char, '`' | '"' | '\'');
    let (at, _) = line.match_indices(tag).find(|(at, _)| {
        !line[..*at].ends_with(is_quote) && !line[at + tag.len()..].starts_with(is_quote)
    })?;
    Some(at + tag.len())
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

/// The first line below the fence or the edit that begins at a line: a tag in it is content. A
/// closing tag on a line of its own that interrupts it ends a thought, in which it was not finished.
fn content_end(
    lines: &[&str],
    lower: &[&str],
    text: &str,
    starts: &[usize],
    line_idx: usize,
) -> Option<usize> {
    let is_interrupted = |end: usize| {
        let inner = &lower[line_idx..end];
        TAGS.iter().any(|(open, close)| {
            let at = inner.iter().position(|line| line.trim() == *close);
            at.is_some_and(|at| !inner[..at].iter().any(|line| line.contains(open)))
        })
    };
    if file_name::fence(lines[line_idx]).is_some() {
        let end = whole_file::closing_line(lines, line_idx)? + 1;
        return (!is_interrupted(end)).then_some(end);
    }
    if let Some(frame) = codex::frame_at(lines, line_idx) {
        return (!is_interrupted(frame.end)).then_some(frame.end);
    }
    // The lines of a diff have a mark, and a call has its own end.
    if unified::begins(lines, line_idx) {
        return Some(unified::end(lines, line_idx));
    }
    if lines[line_idx].trim_start().starts_with(['{', '[', '<'])
        && let Some(run) = json::run_at(&text[starts[line_idx]..])
    {
        let end = starts[line_idx] + run.n_bytes;
        return Some(
            starts
                .partition_point(|start| *start < end)
                .min(lines.len()),
        );
    }
    let end = search_replace::end_at(lines, line_idx)?;
    // A template may have the tag. A draft is followed by another block, which has the end mark.
    let has_another = lines[line_idx + 1..end]
        .iter()
        .any(|line| search_replace::opens(line));
    (!(has_another && is_interrupted(end))).then_some(end)
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
