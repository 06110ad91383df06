//! Complaints in words: `file:line:column: message` in its spellings, arrows, tracebacks.

use super::Listed;
use crate::check::complaint::{Complaint, Place, Severity};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Lines that are kept of what is said about one place.
const MOST_LINES: usize = 10;

/// Lines above an arrow that may be its title.
const MOST_TITLE: usize = 4;

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a fixed pattern")
}

/// gcc, clang, javac, go, mypy, ruff, flake8, pyright, shells: `a.c:3:5: error: message`, with some of
/// its parts.
static COLONS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"^\s{0,4}(?:vet: |e: |w: |\w*sh: )?([^\s:"'()]+):\s?(?:line )?(\d+)(?::(\d+))?(?::| -)?\s+(\S.*)$"#,
    )
});

/// tsc, MSBuild: `a.ts(3,5): error TS2322: message`.
static PARENTHESES: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\s*(\S+?)\((\d+),(\d+)\): (\w.*)$"));

/// rustc, ruff: the title is above, and this is the place.
static ARROW: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*-->\s+(\S+?):(\d+)(?::(\d+))?$"));

/// PHP.
static ON_LINE: LazyLock<Regex> = LazyLock::new(|| regex(r"^(.+) in (\S+) on line (\d+)$"));

/// A panic of Rust: its message is on the next line.
static PANIC: LazyLock<Regex> =
    LazyLock::new(|| regex(r"panicked at ([^\s:]+):(\d+)(?::(\d+))?:$"));

/// A frame of a Python traceback.
static FRAME: LazyLock<Regex> = LazyLock::new(|| regex(r#"^\s*File "([^"]+)", line (\d+)"#));

/// node, before the line of a syntax error and the error below it.
static ALONE: LazyLock<Regex> = LazyLock::new(|| regex(r"^(\S+?):(\d+)$"));

/// A row of eslint's table below the path of its file.
static ROW: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\s+(\d+):(\d+)\s+(error|warning)\s+(\S.*)$"));

static SEVERITY: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?i:fatal |parse )?((?i)error|warning|note|info|information|hint|help|remark)\b(?:\[[^\]]*\]|\s\w+\d+)?:?\s+",
    )
});

/// The line of an exception.
static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\s*(?:E\s+)?(?:Uncaught |panic: |error: )?[\w.]*(?:Error|Exception|Failure|panic)\b|panicked at",
    )
});

/// Whether a line says which exception was raised.
pub(super) fn is_error(line: &str) -> bool {
    ERROR.is_match(line)
}

/// What lines complain of.
pub(super) fn read(output: &str, files: &Listed) -> Vec<Complaint> {
    let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
    let reader = Reader { lines, files };
    let mut found = Vec::new();
    let mut frames = Frames::default();
    // The file whose rows follow.
    let mut table = None;
    for at in 0..reader.lines.len() {
        let line = reader.lines[at];
        if let Some(complaint) = frames.add(at, &reader) {
            found.extend(complaint);
            continue;
        }
        if line.trim().is_empty() {
            table = None;
        } else if let Some(path) = files.resolve(line) {
            table = Some(path);
            continue;
        }
        let complaint = match (&table, ROW.captures(line)) {
            (Some(path), Some(row)) => reader.row(at, path, &row),
            _ => reader.placed(at),
        };
        found.extend(complaint);
    }
    found.dedup();
    found
}

/// Lines, and the files that they can be about.
struct Reader<'a> {
    lines: Vec<&'a str>,
    files: &'a Listed,
}

impl Reader<'_> {
    fn place(&self, path: &str, line: &str, column: Option<&str>) -> Option<Place> {
        place(self.files, path, line, column)
    }

    /// The complaint of a line that has a place in it.
    fn placed(&self, at: usize) -> Option<Complaint> {
        let line = self.lines[at];
        if let Some(found) = ARROW.captures(line) {
            let place = self.place(&found[1], &found[2], group(&found, 3))?;
            let title = self.title(at);
            return self.complaint(title, place, self.lines[title]);
        }
        if let Some(found) = PANIC.captures(line) {
            let place = self.place(&found[1], &found[2], group(&found, 3))?;
            let message = self.lines.get(at + 1).filter(|line| !line.is_empty());
            return self.complaint(at, place, message.unwrap_or(&line));
        }
        if let Some(found) = ON_LINE.captures(line) {
            let place = self.place(&found[2], &found[3], None)?;
            return self.complaint(at, place, &found[1]);
        }
        let found = COLONS
            .captures(line)
            .or_else(|| PARENTHESES.captures(line))?;
        let place = self.place(&found[1], &found[2], group(&found, 3))?;
        self.complaint(at, place, &found[4])
    }

    fn row(&self, at: usize, path: &str, row: &Captures) -> Option<Complaint> {
        let place = self.place(path, &row[1], Some(&row[2]))?;
        // The rule is in a column of its own.
        let words: Vec<&str> = row[4].split_whitespace().collect();
        self.complaint(at, place, &format!("{}: {}", &row[3], words.join(" ")))
    }

    /// The line above an arrow that says what is wrong.
    fn title(&self, arrow: usize) -> usize {
        let above = (arrow.saturating_sub(MOST_TITLE)..arrow).rev();
        let mut above = above.take_while(|&at| !self.lines[at].is_empty());
        above
            .find(|&at| SEVERITY.is_match(self.lines[at]))
            .unwrap_or(arrow.saturating_sub(1))
    }

    /// A complaint, unless it only adds to another one. `said`: with its severity or without.
    fn complaint(&self, at: usize, place: Place, said: &str) -> Option<Complaint> {
        let said = said.trim();
        let severity = SEVERITY.captures(said);
        let (severity, message) = match &severity {
            Some(found) => match found[1].to_ascii_lowercase().as_str() {
                "error" => (Severity::Error, &said[found[0].len()..]),
                "warning" => (Severity::Warning, &said[found[0].len()..]),
                _ => return None,
            },
            None => (Severity::Error, said),
        };
        // A frame of Go's stack.
        if message.is_empty() || message.starts_with("+0x") {
            return None;
        }
        Some(Complaint {
            places: vec![place],
            message: message.to_owned(),
            text: self.paragraph(at),
            severity,
            test: None,
        })
    }

    /// The lines from one on, up to an empty one or another complaint.
    fn paragraph(&self, at: usize) -> String {
        let rest = &self.lines[at + 1..];
        let rest = rest.iter().take_while(|line| {
            let is_next = COLONS.is_match(line) || PARENTHESES.is_match(line) || ROW.is_match(line);
            !line.is_empty() && !is_next
        });
        let mut text = vec![self.lines[at]];
        text.extend(rest.take(MOST_LINES - 1));
        text.join("\n")
    }
}

/// The frames of a traceback, up to its last line.
#[derive(Default)]
struct Frames {
    places: Vec<Place>,
    start: usize,
    kind: FramesOf,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum FramesOf {
    #[default]
    None,
    Python,
    Node,
}

impl Frames {
    /// Takes a line that belongs to a traceback, and returns its complaint at its end. `None` if the
    /// line is none of it.
    fn add(&mut self, at: usize, reader: &Reader) -> Option<Option<Complaint>> {
        let line = reader.lines[at];
        if let Some(found) = FRAME.captures(line) {
            self.begin(at, FramesOf::Python);
            self.places.extend(reader.place(&found[1], &found[2], None));
            return Some(None);
        }
        if let Some(found) = ALONE.captures(line)
            && let Some(place) = reader.place(&found[1], &found[2], None)
        {
            self.begin(at, FramesOf::Node);
            self.places.push(place);
            return Some(None);
        }
        let is_end = match self.kind {
            FramesOf::None => return None,
            FramesOf::Python => !line.is_empty() && !line.starts_with([' ', '|', '+']),
            FramesOf::Node => !line.starts_with(' ') && is_error(line),
        };
        if !is_end {
            return (self.kind == FramesOf::Python).then_some(None);
        }
        let frames = std::mem::take(self);
        Some((!frames.places.is_empty()).then(|| Complaint {
            places: frames.places,
            message: line.trim().to_owned(),
            text: reader.lines[frames.start..=at].join("\n"),
            severity: Severity::Error,
            test: None,
        }))
    }

    fn begin(&mut self, at: usize, kind: FramesOf) {
        if self.kind != kind {
            *self = Frames {
                places: Vec::new(),
                start: at,
                kind,
            };
        }
    }
}

/// All places in a text, in its order.
pub(super) fn places(said: &str, files: &Listed) -> Vec<Place> {
    static ANY: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"File "([^"]+)", line (\d+)|([^\s:"'()\[\]]+):(\d+)(?::(\d+))?|([^\s:"'()]+)\((\d+),"#,
        )
    });
    let mut places: Vec<Place> = Vec::new();
    for found in ANY.captures_iter(said) {
        let part = |first: usize| Some((group(&found, first)?, group(&found, first + 1)?));
        let Some((path, line)) = part(1).or_else(|| part(3)).or_else(|| part(6)) else {
            continue;
        };
        let place = place(files, path, line, group(&found, 5));
        places.extend(place.filter(|place| !places.contains(place)));
    }
    places
}

fn place(files: &Listed, path: &str, line: &str, column: Option<&str>) -> Option<Place> {
    let line = line.parse().ok().filter(|line| *line > 0)?;
    Some(Place {
        path: files.resolve(path)?,
        line,
        column: column.and_then(|column| column.parse().ok()),
    })
}

fn group<'t>(found: &Captures<'t>, n: usize) -> Option<&'t str> {
    found.get(n).map(|part| part.as_str())
}
