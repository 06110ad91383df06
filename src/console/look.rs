//! How lines look on standard error: their colours, and where they are broken.

use crate::app::settings;
use crate::config::{Color, Config};
use std::borrow::Cow;
use std::io::{self, IsTerminal};
use std::sync::OnceLock;
use textwrap::{Options, WordSplitter};

/// What the person has set. Until then, colours are for terminals.
static COLOR: OnceLock<Color> = OnceLock::new();

/// A narrower terminal breaks its lines itself.
const MIN_WIDTH: usize = 40;

/// A line that is indented so far is a quotation, and stays as it is.
const QUOTED: &str = "    ";

/// What a line is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    /// A change asks for a second look.
    Warning,
    /// Something was not done.
    Failure,
    /// What to do next.
    Hint,
    Question,
}

/// Where lines go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Screen {
    has_colors: bool,
    /// `None` where lines stay as long as they are.
    width: Option<usize>,
}

/// Sets whether messages have colours, as the person wants it. What is wrong with their file is said by
/// the commands that need it.
pub(crate) fn set_color() {
    let in_force = settings::load(Config::default(), None);
    let _ = COLOR.set(in_force.map_or(Color::Never, |it| it.config.color));
}

/// Whether to use colours on a stream.
pub(crate) fn wants_color(color: Color, stream: &impl IsTerminal) -> bool {
    match color {
        Color::Auto => stream.is_terminal() && !is_dumb(),
        Color::Always => true,
        Color::Never => false,
    }
}

/// Whether the terminal shows lines only, as the one in an editor does: nothing beyond a plain
/// question is asked there.
pub(crate) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb")
}

/// The columns of a terminal; `None` for another stream, and where that is not known.
#[cfg(unix)]
pub(crate) fn width(stream: &(impl IsTerminal + std::os::fd::AsFd)) -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(stream).filter(|_| stream.is_terminal())?;
    Some(width.0.into())
}

/// The columns of a terminal, which are not asked for here.
#[cfg(not(unix))]
pub(crate) fn width(_: &impl IsTerminal) -> Option<usize> {
    None
}

/// Breaks a line between words. What follows its first line is indented by `indent`.
fn broken(line: &str, width: usize, indent: &str) -> String {
    let options = Options::new(width)
        .subsequent_indent(indent)
        .break_words(false) // a path or a command stays in one piece
        .word_splitter(WordSplitter::NoHyphenation);
    // Of a question the space before its answer stays.
    let text = line.trim_end();
    textwrap::fill(text, options) + &line[text.len()..]
}

impl Screen {
    pub fn of_standard_error() -> Screen {
        let stderr = io::stderr();
        Screen {
            has_colors: wants_color(COLOR.get().copied().unwrap_or_default(), &stderr),
            width: width(&stderr).filter(|width| *width >= MIN_WIDTH && !is_dumb()),
        }
    }

    /// A line as it is shown.
    pub fn shown<'l>(self, line: &'l str, tone: Tone) -> Cow<'l, str> {
        let mut shown = Cow::Borrowed(line);
        if let Some(width) = self.width
            && !line.starts_with(QUOTED)
        {
            let own = line.len() - line.trim_start_matches(' ').len();
            shown = broken(line, width, &" ".repeat(own + 2)).into();
        }
        match tone.color().filter(|_| self.has_colors) {
            Some(color) => painted(&shown, tone.label(), color).into(),
            None => shown,
        }
    }
}

impl Tone {
    /// What a text begins with tells what it is.
    pub fn of(text: &str) -> Tone {
        if text.starts_with("warning: ") {
            Tone::Warning
        } else {
            Tone::Plain
        }
    }

    fn color(self) -> Option<&'static str> {
        match self {
            Tone::Plain => None,
            Tone::Warning => Some("1;33"),
            Tone::Failure => Some("1;31"),
            Tone::Hint => Some("36"),
            Tone::Question => Some("1"),
        }
    }

    /// The part of a line that has the colour, at its beginning; all of it if there is none.
    fn label(self) -> &'static str {
        match self {
            Tone::Plain | Tone::Question => "",
            Tone::Warning => "slotwright: warning:",
            Tone::Failure => "slotwright:",
            Tone::Hint => "  hint:",
        }
    }
}

/// A text whose label has a colour.
fn painted(text: &str, label: &str, color: &str) -> String {
    let (label, rest) = match text.strip_prefix(label) {
        Some(rest) if !label.is_empty() => (label, rest),
        _ => (text, ""),
    };
    format!("\x1b[{color}m{label}\x1b[0m{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str = "slotwright: warning: the new text is as long as the line that it is on";

    fn shown(line: &str, tone: Tone, has_colors: bool, width: Option<usize>) -> String {
        Screen { has_colors, width }.shown(line, tone).into_owned()
    }

    #[test]
    fn a_long_line_is_broken_between_words() {
        let broken = shown(LONG, Tone::Warning, false, Some(40));
        let expected = "slotwright: warning: the new text is as\n  long as the line that it is on";
        assert_eq!(broken, expected);
        let hint = "  hint: slotwright models pull --some-option qwen2.5-coder-1.5b fetches one";
        let broken = shown(hint, Tone::Hint, false, Some(45));
        let expected =
            "  hint: slotwright models pull --some-option\n    qwen2.5-coder-1.5b fetches one";
        assert_eq!(broken, expected);
    }

    #[test]
    fn what_is_not_for_a_person_at_a_wide_screen_stays() {
        assert_eq!(shown(LONG, Tone::Warning, false, None), LONG);
        let code = format!("    -{}", "word ".repeat(30));
        assert_eq!(shown(&code, Tone::Plain, false, Some(40)), code);
        let path = format!("slotwright: {}", "x".repeat(60));
        let broken = shown(&path, Tone::Plain, false, Some(40));
        assert!(broken.contains(&"x".repeat(60)), "{broken}");
    }

    #[test]
    fn the_label_has_the_colour_and_a_question_all_of_it() {
        let warning = shown("slotwright: warning: look", Tone::Warning, true, None);
        assert_eq!(warning, "\x1b[1;33mslotwright: warning:\x1b[0m look");
        let failure = shown("slotwright: it failed", Tone::Failure, true, None);
        assert_eq!(failure, "\x1b[1;31mslotwright:\x1b[0m it failed");
        let question = shown("Go on? [y/N] ", Tone::Question, true, None);
        assert_eq!(question, "\x1b[1mGo on? [y/N] \x1b[0m");
        assert_eq!(shown("Go? ", Tone::Plain, false, Some(40)), "Go? ");
        assert_eq!(shown("plain", Tone::Plain, true, None), "plain");
    }
}
