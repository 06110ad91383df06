//! Finds a patch in an answer, with what its writer put around it.
//!
//! ```text
//! frame   = [heredoc] begin line* end [word | quote]
//! heredoc = a command that ends with "<<" ["-"] word     in quotes, behind a backslash, or bare
//! begin   = [command quote | "apply_patch "] "*** Begin Patch" [" ***"]
//! end     = "*** End Patch" [" ***"] [quote] [stop token]
//! ```
//!
//! All lines may be indented by the same whitespace, or quoted as Markdown does (`> `). Lines in a
//! shell's quotes may have its backslashes.

use super::marks::{BEGIN, END};
use crate::text::without_stop_tokens;

/// A patch in an answer.
pub(in crate::format) struct Frame {
    /// The first line of the answer below it.
    pub end: usize,
    /// Its lines, one for each line of the answer, from `*** Begin Patch` to `*** End Patch`, without
    /// what was around them. The last is missing if the patch was cut off.
    pub lines: Vec<String>,
}

/// The first line of a patch.
struct FrameOpening<'a> {
    /// What each of its lines begins with.
    prefix: &'a str,
    /// The shell's quote that it stands in.
    quote: Option<char>,
}

impl<'a> FrameOpening<'a> {
    fn of(line: &'a str) -> Option<FrameOpening<'a>> {
        let (before, after) = line.split_once(BEGIN)?;
        if !matches!(after.trim(), "" | "***") {
            return None;
        }
        let mut opening = FrameOpening {
            prefix: "",
            quote: None,
        };
        if before
            .chars()
            .all(|char| char.is_whitespace() || char == '>')
        {
            opening.prefix = before;
        } else if !matches!(before.trim(), "apply_patch" | "applypatch") {
            let (at, quote) = before.char_indices().next_back()?;
            let is_command = before[..at]
                .chars()
                .all(|char| char.is_alphanumeric() || "_-./ $".contains(char));
            if !matches!(quote, '"' | '\'' | '`') || !is_command {
                return None;
            }
            opening.quote = Some(quote);
        }
        Some(opening)
    }

    /// A line of the patch without its prefix; `None` if it lacks the prefix.
    fn stripped<'b>(&self, line: &'b str) -> Option<&'b str> {
        if line.trim().is_empty() && !self.prefix.is_empty() {
            return Some("");
        }
        line.strip_prefix(self.prefix).or_else(|| {
            // An empty line that is quoted has no space behind its mark.
            (line.trim_end() == self.prefix.trim_end()).then_some("")
        })
    }

    /// Whether another patch begins at a line.
    fn is_followed_by(&self, line: &str) -> bool {
        let other = self.stripped(line).and_then(FrameOpening::of);
        other.is_some_and(|other| other.prefix.is_empty())
    }

    /// Whether a line ends the patch. A line without the prefix may, too.
    fn is_closed_by(&self, line: &str) -> bool {
        let line = self.stripped(line).unwrap_or(line);
        let line = without_stop_tokens(line.trim_end());
        let line = match self.quote {
            Some(quote) => line.strip_suffix(quote).unwrap_or(line),
            None => line,
        };
        line.strip_suffix(" ***").unwrap_or(line).trim_end() == END
    }
}

/// The patch that begins at a line, or at the line of the command above it.
pub(in crate::format) fn frame_at(lines: &[&str], line_idx: usize) -> Option<Frame> {
    let word = heredoc(lines[line_idx]);
    let mut first = line_idx;
    if word.is_some() {
        first += 1;
        first += n_blank(&lines[first..]);
    }
    let opening = FrameOpening::of(lines.get(first)?)?;
    let body = first + 1;

    // Another beginning ends a patch that has no end.
    let next = lines[body..]
        .iter()
        .position(|line| opening.is_followed_by(line));
    let most = next.map_or(lines.len(), |n_lines| body + n_lines);
    // A context line may look like the end, but for the space before it.
    let last = (body..most)
        .find(|idx| opening.is_closed_by(lines[*idx]))
        .or_else(|| (body..most).rfind(|idx| opening.is_closed_by(lines[*idx].trim_start())));

    let mut end = last.map_or(most, |last| last + 1);
    let below = end + n_blank(&lines[end..]);
    if last.is_some()
        && let Some(line) = lines.get(below)
    {
        let closes = match (word, opening.quote) {
            (Some(word), _) => line.trim() == word,
            (None, Some(quote)) => line.trim().chars().eq([quote]),
            (None, None) => false,
        };
        if closes {
            end = below + 1;
        }
    }

    let mut patch = vec![String::new(); end - line_idx];
    patch[first - line_idx] = BEGIN.to_owned();
    let body_lines = body_of(&lines[body..last.unwrap_or(most)], &opening);
    for (own, line) in patch[body - line_idx..].iter_mut().zip(body_lines) {
        *own = line;
    }
    if let Some(last) = last {
        patch[last - line_idx] = END.to_owned();
    }
    Some(Frame { end, lines: patch })
}

/// The number of blank lines at the beginning.
fn n_blank(lines: &[&str]) -> usize {
    let blank = lines.iter().take_while(|line| line.trim().is_empty());
    blank.count()
}

/// The lines between the first and the last line of a patch.
fn body_of(lines: &[&str], opening: &FrameOpening) -> Vec<String> {
    let stripped: Option<Vec<&str>> = lines.iter().map(|line| opening.stripped(line)).collect();
    // Without the same prefix on all lines, only the first one has it.
    let body = stripped.unwrap_or_else(|| lines.to_vec());
    let body: Vec<String> = body.into_iter().map(str::to_owned).collect();
    match opening.quote {
        Some('"') if is_escaped(&body) => body.iter().map(|line| unescaped(line)).collect(),
        Some('\'') => body.iter().map(|line| line.replace("'\\''", "'")).collect(),
        _ => body,
    }
}

/// Whether lines in double quotes have the shell's backslashes: each quote in them has one.
fn is_escaped(lines: &[String]) -> bool {
    let mut has_any = false;
    for line in lines {
        let mut chars = line.chars();
        while let Some(char) = chars.next() {
            match char {
                '\\' => has_any |= chars.next().is_some_and(|next| "\"$`".contains(next)),
                '"' => return false,
                _ => {}
            }
        }
    }
    has_any
}

fn unescaped(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        let is_escape = char == '\\' && chars.peek().is_some_and(|next| "\"$`\\".contains(*next));
        plain.push(if is_escape {
            chars.next().unwrap_or(char)
        } else {
            char
        });
    }
    plain
}

/// The word that ends the here-document which a line begins.
fn heredoc(line: &str) -> Option<&str> {
    let word = word_of_heredoc(line)?;
    let bare = word
        .strip_prefix('\\')
        .unwrap_or(word)
        .trim_matches(['\'', '"']);
    let is_word = !bare.is_empty() && !bare.contains(char::is_whitespace);
    (is_word && !has_mismatched_quotes(line)).then_some(bare)
}

/// Whether a line begins a here-document whose word has two different quotes, or one.
pub(in crate::format) fn has_mismatched_quotes(line: &str) -> bool {
    let word = word_of_heredoc(line).unwrap_or_default();
    quote(word.chars().next()) != quote(word.chars().next_back())
}

fn quote(char: Option<char>) -> Option<char> {
    char.filter(|char| matches!(char, '\'' | '"'))
}

fn word_of_heredoc(line: &str) -> Option<&str> {
    let (_, word) = line.rsplit_once("<<")?;
    let word = word.strip_prefix('-').unwrap_or(word).trim_start();
    // A pipe or another command may follow.
    word.split(|char: char| char.is_whitespace() || "|;&>".contains(char))
        .next()
}
