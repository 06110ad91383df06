//! Finds comments in the place of code: `// The other functions remain the same`.
//!
//! Models leave out code that they were to repeat, and say so in a comment, in any words and any
//! language. So the words are not looked at, but what the change does: lines are gone that come back
//! nowhere in the changed files, not even inside a comment, and a new comment or a line of dots
//! stands between the same neighbours, without code that could take their place.
//!
//! Whether they are meant to go, nobody can tell from that: a comment that says why a function was
//! removed has the same shape. So this is a reason to ask.

use super::comment::{Line, lines};
use crate::text::{defined_name, line_diff};
use similar::DiffOp;
use std::collections::{HashMap, HashSet};

/// Lines that are less alike, 0 to 1, are not versions of each other.
const ALIKE: f64 = 0.6;
/// Fewer lines without a definition are seen at a glance.
const MIN_LINES: usize = 2;
/// The same where the comment is above code that stays: it may be about that.
const MIN_LINES_ABOVE_CODE: usize = 3;
/// So many lines for each new one are not replaced by it.
const MIN_LINES_FOR_ONE: usize = 3;
/// A version of a line is looked for in so many lines.
const MOST_LINES_BETWEEN: usize = 200;

/// A file of a change, as text: empty where there is none.
#[derive(Clone, Copy, Debug)]
pub struct ChangedText<'a> {
    /// Relative to the root.
    pub path: &'a str,
    /// Its text before.
    pub before: &'a str,
    /// Its text afterwards.
    pub after: &'a str,
}

/// A comment in the place of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The file.
    pub path: String,
    /// The comment's line, without the whitespace around it.
    pub line: String,
    /// How many lines of code are gone.
    pub n_lines: usize,
    /// The names of the definitions that are gone.
    pub names: Vec<String>,
}

/// The first comment in the place of code of each file of a change.
pub fn left_out(files: &[ChangedText<'_>]) -> Vec<LeftOut> {
    // By a line's text: how many more there were before.
    let mut n_gone: HashMap<String, isize> = HashMap::new();
    let mut defined: HashSet<&str> = HashSet::new();
    let mut texts = Vec::new();
    for file in files {
        let (before, after) = (lines(file.path, file.before), lines(file.path, file.after));
        before
            .iter()
            .for_each(|line| *n_gone.entry(line.key()).or_default() += 1);
        after
            .iter()
            .for_each(|line| *n_gone.entry(line.key()).or_default() -= 1);
        defined.extend(after.iter().filter_map(|line| name(line)));
        texts.push((file.path, before, after));
    }
    let change = Change { n_gone, defined };
    let first = |(path, before, after): (&str, Vec<Line>, Vec<Line>)| {
        let found = change
            .gaps(&before, &after)
            .find_map(|gap| change.first(&gap))?;
        Some(LeftOut {
            path: path.to_owned(),
            ..found
        })
    };
    texts.into_iter().filter_map(first).collect()
}

/// What all files of a change have and had.
struct Change<'a> {
    n_gone: HashMap<String, isize>,
    /// The names that are defined afterwards.
    defined: HashSet<&'a str>,
}

/// Lines that were replaced.
struct Gap<'g, 'a> {
    old: &'g [Line<'a>],
    new: &'g [Line<'a>],
    /// The line that stays below.
    below: Option<&'g Line<'a>>,
}

impl<'a> Change<'a> {
    fn gaps<'g>(
        &self,
        before: &'g [Line<'a>],
        after: &'g [Line<'a>],
    ) -> impl Iterator<Item = Gap<'g, 'a>> {
        let keys = |lines: &[Line]| lines.iter().map(Line::key).collect::<Vec<String>>();
        let (old, new) = (keys(before), keys(after));
        let mut counts: HashMap<&str, [usize; 2]> = HashMap::new();
        old.iter()
            .for_each(|key| counts.entry(key).or_default()[0] += 1);
        new.iter()
            .for_each(|key| counts.entry(key).or_default()[1] += 1);
        // A line or two that occur elsewhere too may be other ones.
        let stays = |op: &DiffOp| {
            let keys = &old[op.old_range()];
            matches!(op, DiffOp::Equal { .. })
                && (keys.len() > 2 || keys.iter().any(|key| counts[key.as_str()] == [1, 1]))
        };
        let mut ends = vec![(0, 0, 0, 0)];
        for op in line_diff::diff(&old, &new).into_iter().filter(stays) {
            let (old, new) = (op.old_range(), op.new_range());
            ends.push((old.start, new.start, old.end, new.end));
        }
        ends.push((old.len(), new.len(), old.len(), new.len()));
        let gaps: Vec<Gap> = ends
            .windows(2)
            .map(|ends| {
                let (old, new) = (ends[0].2..ends[1].0, ends[0].3..ends[1].1);
                Gap {
                    old: &before[old],
                    below: after.get(new.end),
                    new: &after[new],
                }
            })
            .collect();
        gaps.into_iter()
            .filter(|gap| !gap.old.is_empty() && !gap.new.is_empty())
    }

    /// The first comment in the place of lines of a gap.
    fn first(&self, gap: &Gap) -> Option<LeftOut> {
        if !gap.new.iter().any(|line| self.is_new_comment(line)) {
            return None;
        }
        let (mut from, mut part) = (0, Part::default());
        for (i, line) in gap.new.iter().enumerate() {
            if !line.is_code() {
                if part.comment.is_none() && self.stands_alone(gap, i, from) {
                    part.comment = Some(line);
                }
                continue;
            }
            match partner(line, &gap.old[from..]) {
                Some(at) => {
                    if let Some(found) = self.left_out(&part, &gap.old[from..from + at]) {
                        return Some(found);
                    }
                    (from, part) = (from + at + 1, Part::default());
                }
                None => {
                    // `pass` or `return` alone do nothing.
                    part.n_new += usize::from(line.words().len() > 1);
                    part.n_defined += usize::from(name(line).is_some());
                }
            }
        }
        self.left_out(&part, &gap.old[from..])
    }

    fn is_new_comment(&self, line: &Line) -> bool {
        !line.is_code() && self.n_gone.get(&line.key()).is_some_and(|n| *n < 0)
    }

    /// Whether a line of a gap is a new comment that is not about the code below it.
    fn stands_alone(&self, gap: &Gap, i: usize, from: usize) -> bool {
        let line = &gap.new[i];
        let is_version = |old: &&Line| !old.is_code() && alike(line, old) >= ALIKE;
        if !self.is_new_comment(line) || gap.old.iter().any(|old| is_version(&old)) {
            return false;
        }
        match gap.new[i + 1..].iter().find(|line| line.is_code()) {
            _ if !line.heads => !line.text.starts_with("//!"),
            Some(code) => partner(code, &gap.old[from..]).is_some() && !documents(line, code),
            None => gap.below.is_none_or(|below| !documents(line, below)),
        }
    }

    /// What is left out where a part of a gap has a comment for some old lines.
    fn left_out(&self, part: &Part, old: &[Line]) -> Option<LeftOut> {
        let comment = part.comment?;
        let is_gone =
            |line: &&Line| line.is_code() && self.n_gone.get(&line.key()).is_some_and(|n| *n > 0);
        let gone: Vec<&Line> = old.iter().filter(is_gone).collect();
        let names = gone.iter().filter_map(|line| name(line));
        let names: Vec<&str> = names.filter(|name| !self.defined.contains(name)).collect();
        let is_left_out = match (part.n_new, comment.heads) {
            (0, true) => gone.len() >= MIN_LINES_ABOVE_CODE || !names.is_empty(),
            (0, false) => gone.len() >= MIN_LINES || !names.is_empty(),
            (_, true) => false,
            (_, false) if !names.is_empty() => names.len() >= part.n_defined,
            (n_new, false) => part.n_defined == 0 && gone.len() >= MIN_LINES_FOR_ONE * n_new,
        };
        is_left_out.then(|| LeftOut {
            path: String::new(),
            line: comment.text.to_owned(),
            n_lines: gone.len(),
            names: names.into_iter().map(str::to_owned).collect(),
        })
    }
}

/// New lines between two that are versions of old ones.
#[derive(Default)]
struct Part<'g, 'a> {
    /// The first comment that is not about the code below it.
    comment: Option<&'g Line<'a>>,
    /// Lines of code.
    n_new: usize,
    /// Definitions.
    n_defined: usize,
}

fn name<'a>(line: &Line<'a>) -> Option<&'a str> {
    defined_name(line.text).filter(|_| line.is_code())
}

/// The first of some old lines that a line of code is a version of.
fn partner(line: &Line, old: &[Line]) -> Option<usize> {
    let is_version = |old: &Line| match (name(line), name(old)) {
        (Some(new), Some(old)) => new == old,
        _ => old.is_code() && alike(line, old) >= ALIKE,
    };
    old.iter().take(MOST_LINES_BETWEEN).position(is_version)
}

/// Which part of the different words two lines share, 0 to 1 (Dice).
fn alike(a: &Line, b: &Line) -> f64 {
    let (a, b) = (a.words(), b.words());
    2.0 * a.intersection(&b).count() as f64 / (a.len() + b.len()).max(1) as f64
}

/// Whether a comment is the documentation of the code below it.
fn documents(comment: &Line, below: &Line) -> bool {
    let mut marks = ["///", "//!", "/**", "\"\"\"", "'''", "##"].iter();
    marks.any(|mark| comment.text.starts_with(mark))
        || name(below).is_some_and(|name| comment.words().contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
import { a } from \"./a\";
import { b } from \"./b\";

const LIMIT = 3;

export function run(x) {
  const first = a(x);
  log(first);
  return first + LIMIT;
}

export function stop() {
  close(a);
  return 0;
}

export function reset() {
  return LIMIT;
}
";
    /// What models of several languages write for what they leave out.
    const SAID: [&str; 16] = [
        "The rest of the code will remain the same",
        "full function",
        "truncated for brevity",
        "See original file for the rest",
        "stop and reset remain unchanged",
        "same as above",
        "snip",
        "其余代码保持不变",
        "остальной код без изменений",
        "le reste du code reste inchangé",
        "der Rest bleibt, wie er ist",
        "以下のコードは変更なし",
        "나머지 코드는 동일",
        "el resto del código no cambia",
        "...",
        "…",
    ];

    fn found(path: &str, before: &str, after: &str) -> Option<LeftOut> {
        left_out(&[ChangedText {
            path,
            before,
            after,
        }])
        .pop()
    }

    #[track_caller]
    fn check(after: &str, n_lines: usize, names: &[&str]) {
        let found = found("a.js", FILE, after).unwrap_or_else(|| panic!("{after}"));
        assert_eq!(
            (found.n_lines, found.names.join(" ")),
            (n_lines, names.join(" ")),
            "{after}"
        );
    }

    #[test]
    fn a_comment_in_the_place_of_code_in_any_words() {
        let (head, tail) = FILE.split_at(FILE.find("export function stop").unwrap());
        let (stop, reset) = tail.split_at(tail.find("export function reset").unwrap());
        for said in SAID {
            for comment in [format!("// {said}"), format!("/* {said} */")] {
                let both = ["stop", "reset"];
                check(&format!("{head}{comment}\n"), 5, &both);
                // A line beside it is changed, or is new.
                let changed = head.replace("first + LIMIT", "first * LIMIT");
                check(&format!("{changed}{comment}\n"), 5, &both);
                let more = "export function pause() {\n  return 7;\n}\n\n";
                check(&format!("{head}{more}{comment}\n"), 5, &both);
                check(&format!("{head}{comment}\n\n{more}"), 5, &both);
                // In the middle, and in the place of a body.
                check(&format!("{head}{comment}\n\n{reset}"), 3, &["stop"]);
                let body = stop.replace("  close(a);\n  return 0;", &format!("  {comment}"));
                check(&format!("{head}{body}{reset}"), 2, &[]);
            }
            let body = format!("export function stop() {{ /* {said} */ }}\n\n");
            check(&format!("{head}{body}{reset}"), 2, &[]);
        }
        check(&format!("{head}...\n"), 5, &["stop", "reset"]);
    }

    #[test]
    fn comments_of_other_languages() {
        for (path, lines, comment) in [
            (
                "a.py",
                "x = one()\ny = two()\nz = three()\n",
                "# tout le reste",
            ),
            ("a.py", "x = one()\ny = two()\nz = three()\n", "..."),
            (
                "a.sql",
                "select a;\nselect b;\nselect c;\n",
                "-- all the others",
            ),
            (
                "a.el",
                "(setq a 1)\n(setq b 2)\n(setq c 3)\n",
                ";; all the others",
            ),
            (
                "a.tex",
                "first line\nsecond line\nthird line\n",
                "% all the others",
            ),
            (
                "a.html",
                "<p>one</p>\n<p>two</p>\n<p>three</p>\n",
                "<!-- the same as now -->",
            ),
            (
                "a.html",
                "<p>one</p>\n<p>two</p>\n<p>three</p>\n",
                "<!--\n  the same\n-->",
            ),
            (
                "a.css",
                ".a { top: 1 }\n.b { top: 2 }\n.c { top: 3 }\n",
                "/* other styles */",
            ),
            ("a.yml", "one: 1\ntwo: 2\nthree: 3\n", "# weitere Schlüssel"),
            ("a.md", "One.\nTwo.\nThree.\n", "<!-- as it was -->"),
            ("a.txt", "One.\nTwo.\nThree.\n", "[...]"),
        ] {
            let before = format!("first 1\n{lines}last 9\n");
            let after = format!("first 1\n{comment}\n\nlast 9\n");
            let is_found = found(path, &before, &after).is_some();
            assert_eq!(is_found, comment != "[...]", "{path}: {after}");
        }
    }

    #[test]
    fn code_that_is_meant_to_go_or_is_still_there() {
        let (head, tail) = FILE.split_at(FILE.find("export function stop").unwrap());
        let (stop, reset) = tail.split_at(tail.find("export function reset").unwrap());
        let commented: String = stop.lines().map(|line| format!("// {line}\n")).collect();
        for after in [
            // It goes, without a comment or with one for what stays.
            format!("{head}{reset}"),
            format!("{head}// reset is the last one.\n{reset}"),
            format!("{head}/** The last one. */\n{reset}"),
            // It moves, or becomes a comment.
            format!("// first of all\n{stop}{head}{reset}"),
            format!("{head}// off for now:\n{commented}\n{reset}"),
            format!("{head}/* off for now:\n{stop}*/\n{reset}"),
            // Other code takes its place.
            format!("{head}// Closes it as well.\nexport const stop = closing(a);\n\n{reset}"),
            FILE.replace(
                "  close(a);\n  return 0;",
                "  // It knows more.\n  return closed(a);",
            ),
            // One line, and a comment that is there.
            FILE.replace("  log(first);", "  // nothing is logged"),
            FILE.replace("const LIMIT", "// the limit\nconst LIMIT"),
        ] {
            assert_eq!(found("a.js", FILE, &after), None, "{after}");
        }
        assert_eq!(
            found("a.md", "# A\n\nOne.\nTwo.\n", "# A\n\n# B\n"),
            None,
            "a heading"
        );
        assert_eq!(found("a.c", "int a;\nint b;\n", "#include \"a.h\"\n"), None);
        let moved = [
            ChangedText {
                path: "a.js",
                before: FILE,
                after: &format!("{head}// see b.js\n"),
            },
            ChangedText {
                path: "b.js",
                before: "",
                after: tail,
            },
        ];
        assert_eq!(left_out(&moved), []);
        assert_eq!(left_out(&moved[..1]).len(), 1);
    }
}
