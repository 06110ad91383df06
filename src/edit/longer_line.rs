//! Insertions that are a longer version of the line beside which they are to go.

use super::place::Edit;
use std::ops::Range;

/// A shorter line begins many others.
const SHORTEST: usize = 8;

/// The edit that is meant, if an answer inserts one line and this is the anchor with more elements
/// (`[a, b, c]` beside `[a, b]`): the line is replaced. Models write longer lists so: they name the
/// line, and then write it anew. Of 198 recorded insertions 9 were such. None was right as it stood,
/// and 7 are as replacements. Of 7,306 right insertions that people wrote none is such.
///
/// `file`: the file's shown text.
pub fn longer_line(edit: Edit, file: &str) -> Edit {
    match edit {
        Edit::Insert { anchor, position, text } => {
            let line = line_at(file, anchor);
            let new = text.trim();
            if !new.contains('\n') && is_longer(&file[line.clone()], new) {
                return Edit::Replace { at: line, new: new.to_owned() };
            }
            Edit::Insert { anchor, position, text }
        }
        other => other,
    }
}

/// The line around an offset, without the whitespace around it.
fn line_at(file: &str, offset: usize) -> Range<usize> {
    let start = file[..offset].rfind('\n').map_or(0, |end| end + 1);
    let end = file[offset..].find('\n').map_or(file.len(), |i| offset + i);
    let line = &file[start..end];
    let start = start + line.len() - line.trim_start().len();
    start..start + line.trim().len()
}

/// Whether `new` is `line` with more before the signs that close it. What is more begins with a
/// comma, or with whitespace if there are such signs.
fn is_longer(line: &str, new: &str) -> bool {
    let common = line.chars().zip(new.chars()).take_while(|(a, b)| a == b);
    let n_common: usize = common.map(|(c, _)| c.len_utf8()).sum();
    let close = &line[n_common..];
    let more = new[n_common..].strip_suffix(close);
    let is_more = |more: &str| match more.chars().next() {
        Some(',') => true,
        Some(c) => c.is_whitespace() && !close.is_empty(),
        None => false,
    };
    let closes = !close.contains(|c: char| c.is_alphanumeric() || c == '_');
    line.chars().count() >= SHORTEST && closes && more.is_some_and(is_more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slots::Position;

    #[track_caller]
    fn check(file: &str, anchor: &str, text: &str, expected: Option<&str>) {
        let at = file.find(anchor).unwrap();
        let insert = Edit::Insert { anchor: at, position: Position::After, text: text.to_owned() };
        match (longer_line(insert.clone(), file), expected) {
            (Edit::Replace { at, new }, Some(expected)) => {
                assert_eq!(format!("{}{new}{}", &file[..at.start], &file[at.end..]), expected);
            }
            (edit, None) => assert_eq!(edit, insert, "{text:?}"),
            (edit, _) => panic!("{edit:?}"),
        }
    }

    #[test]
    fn a_longer_list_replaces_the_line() {
        let file = "x\n    NAMES = [a, b];  \ny\n";
        let longer = Some("x\n    NAMES = [a, b, c];  \ny\n");
        check(file, "NAMES", "NAMES = [a, b, c];", longer);
        check(file, "    NAMES", "    NAMES = [a, b, c];\n", longer);
        check("#[derive(Debug)]", "#", "#[derive(Debug, Clone)]", Some("#[derive(Debug, Clone)]"));
        check("run --on mail,web", "run", "run --on mail,web,post", Some("run --on mail,web,post"));
        check(
            "type T = 'a' | 'b';",
            "type",
            "type T = 'a' | 'b' | 'c';",
            Some("type T = 'a' | 'b' | 'c';"),
        );
        check(
            "s = ['\u{e9}\u{e9}']",
            "s",
            "s = ['\u{e9}\u{e9}', '\u{e8}']",
            Some("s = ['\u{e9}\u{e9}', '\u{e8}']"),
        );
    }

    #[test]
    fn another_line_is_inserted() {
        for (line, text) in [
            ("import os", "import os.path"),
            ("pub mod shown;", "pub mod shown_lines;"),
            ("using System;", "using System.Linq;"),
            ("  - sample-server-1", "  - sample-server-2"),
            ("  - sample-server-1", "  - sample-server-10"),
            ("assert_eq!(f(1), 2);", "assert_eq!(f(1), 23);"),
            ("listen 80;", "listen [::]:80;"),
            ("@property", "@property\ndef b(self):\n    return 1\n"),
            ("println!();", "println!();"),
            ("f(a)", "f(a, b)"),
            ("do_it now", "do_it now please"),
            ("long_name(a, b)", "long_name(a"),
            ("", "x"),
        ] {
            check(&format!("{line}\nrest\n"), line, text, None);
        }
    }
}
