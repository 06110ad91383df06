//! The names in a file's header, with git's quotes and prefixes, and the dates of `diff`.

/// A name in a file's header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::format) enum DiffSide {
    /// There is no header.
    Unnamed,
    /// `/dev/null`: the file is not there on this side.
    Absent,
    /// The name as written.
    Named(String),
    /// The name as written, with the date 0, which `diff -N` gives a file that is not there. Only the
    /// hunks tell whether it is one.
    Dated0(String),
}

impl DiffSide {
    /// The side of a file with this name and date.
    fn of(name: &str, date: &str) -> DiffSide {
        if is_date_0(date) {
            DiffSide::Dated0(name.to_owned())
        } else {
            DiffSide::Named(name.to_owned())
        }
    }

    /// The name, if there is one.
    pub fn name(&self) -> Option<&str> {
        match self {
            DiffSide::Named(name) | DiffSide::Dated0(name) => Some(name),
            DiffSide::Unnamed | DiffSide::Absent => None,
        }
    }

    /// The same where the date is believed or not.
    pub fn decided(self, is_absent: bool) -> DiffSide {
        match self {
            DiffSide::Dated0(_) if is_absent => DiffSide::Absent,
            DiffSide::Dated0(name) => DiffSide::Named(name),
            side => side,
        }
    }
}

/// The names after `--- ` and `+++ `, or after `*** ` and `--- `, without git's prefixes.
/// `has_prefixes` says whether git's own line has prefixes, if there is such a line.
///
/// # Errors
/// What is wrong with a name.
pub(in crate::format) fn sides(
    old: &str,
    new: &str,
    has_prefixes: Option<bool>,
) -> Result<(DiffSide, DiffSide), String> {
    let (old, old_date) = name_and_date(old)?;
    let (new, new_date) = name_and_date(new)?;
    let is_old = old != NO_FILE;
    let is_new = new != NO_FILE;

    let stripped = without_prefixes(&old, &new);
    // Only git writes /dev/null, so then the prefix is git's too.
    let strips_each =
        has_prefixes.unwrap_or(is_old != is_new) && stripped == (old.as_str(), new.as_str());
    let (mut old, mut new) = stripped;
    if strips_each {
        // Which letters git uses is only certain if its own line has them.
        let n_known = if has_prefixes.is_some() { 4 } else { 1 };
        old = without_any(old, &OLD_PREFIXES[..n_known]);
        new = without_any(new, &NEW_PREFIXES[..n_known.min(NEW_PREFIXES.len())]);
    }

    let old = if is_old {
        DiffSide::of(old, old_date)
    } else {
        DiffSide::Absent
    };
    let new = if is_new {
        DiffSide::of(new, new_date)
    } else {
        DiffSide::Absent
    };
    Ok((old, new))
}

/// Git's prefixes of the old name, the usual one first.
const OLD_PREFIXES: [&str; 4] = ["a/", "i/", "c/", "o/"];
/// Git's prefixes of the new name, the usual one first.
const NEW_PREFIXES: [&str; 3] = ["b/", "w/", "i/"];

fn without_any<'a>(name: &'a str, prefixes: &[&str]) -> &'a str {
    let mut stripped = prefixes.iter().map(|prefix| name.strip_prefix(prefix));
    stripped.find_map(|name| name).unwrap_or(name)
}

/// Whether a date is of the years 1970 or 1969, in whatever form: 0 in some time zone.
fn is_date_0(date: &str) -> bool {
    date.split(|c: char| !c.is_ascii_digit())
        .any(|number| matches!(number, "1970" | "1969"))
}

/// The name of a missing file.
pub(in crate::format) const NO_FILE: &str = "/dev/null";

/// The names without git's `a/` and `b/`, or without the letters that `diff.mnemonicPrefix` gives.
pub(in crate::format) fn without_prefixes<'a>(old: &'a str, new: &'a str) -> (&'a str, &'a str) {
    const MNEMONIC: [(&str, &str); 4] = [("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/")];
    if let (Some(old), Some(new)) = (old.strip_prefix("a/"), new.strip_prefix("b/")) {
        return (old, new);
    }
    let stripped = MNEMONIC
        .iter()
        .find_map(|(a, b)| Some((old.strip_prefix(a)?, new.strip_prefix(b)?)));
    stripped
        .filter(|(old, new)| old == new)
        .unwrap_or((old, new))
}

/// The one of two names that is the file's. It is the old one, which has the searched lines, unless
/// that is a copy for comparison, as `x.rs.orig` is of `x.rs`.
pub(in crate::format) fn path_of(old: String, new: String) -> String {
    let is_copy = old
        .strip_prefix(&new)
        .is_some_and(|suffix| suffix == "~" || suffix.starts_with('.'));
    if is_copy { new } else { old }
}

/// Splits a name from a date. The name ends before a tab, before a date, or with its closing quote.
fn name_and_date(text: &str) -> Result<(String, &str), String> {
    let (name, date) = if text.starts_with('"') {
        let (name, rest) = unquoted(text)?;
        (name, rest.trim_start())
    } else if let Some((name, date)) = text.split_once('\t') {
        (name.to_owned(), date)
    } else {
        // If copied from a terminal or written by a model, spaces replace the tab before the date.
        let mut spaces = text.match_indices(' ');
        let end = spaces.find(|(i, _)| is_date(&text.as_bytes()[i + 1..]));
        let end = end.map_or(text.len(), |(i, _)| i);
        (text[..end].trim().to_owned(), text[end..].trim_start())
    };
    if name.is_empty() {
        Err("expected a file name or /dev/null here".to_owned())
    } else {
        Ok((name, date))
    }
}

/// Whether a text begins like `2013-01-05 16:56` or `Sat Jan  5 16:56:00 2013`.
fn is_date(text: &[u8]) -> bool {
    const FORMS: [&[u8]; 3] = [
        b"0000-00-00 00:00",
        b"aaa aaa  0 00:00:00 0000",
        b"aaa aaa 00 00:00:00 0000",
    ];
    FORMS.iter().any(|form| {
        let mut bytes = form.iter().zip(text);
        text.len() >= form.len()
            && bytes.all(|(form, byte)| match form {
                b'0' => byte.is_ascii_digit(),
                b'a' => byte.is_ascii_alphabetic(),
                form => form == byte,
            })
    })
}

/// Reads a quoted name with C's escapes, and returns it with the text after the closing quote. Git
/// quotes names with control characters, quotes, backslashes and, by default, all non-ASCII bytes.
///
/// # Errors
/// What is wrong with the name.
pub(in crate::format) fn unquoted(text: &str) -> Result<(String, &str), String> {
    let bytes = text.as_bytes();
    let mut name = Vec::new();
    let mut i = 1;
    loop {
        match bytes.get(i) {
            None => return Err("the quoted file name has no closing quote".to_owned()),
            Some(b'"') => break,
            Some(b'\\') => {
                let (byte, n_bytes) = escape(&text[i + 1..])?;
                name.push(byte);
                i += 1 + n_bytes;
            }
            Some(&byte) => {
                name.push(byte);
                i += 1;
            }
        }
    }

    let name =
        String::from_utf8(name).map_err(|_| "the quoted file name is not UTF-8".to_owned())?;
    // Without quotes, a backslash is Windows' separator. This one is a part of the name.
    if name.contains('\\') {
        let message = "the file's name has a backslash, and such a file is not edited: leave it out \
            of the patch";
        return Err(message.to_owned());
    }
    Ok((name, &text[i + 1..]))
}

/// The byte that an escape means, and the length of the escape without its backslash.
fn escape(text: &str) -> Result<(u8, usize), String> {
    let byte = match text.as_bytes().first() {
        Some(b'a') => 7,
        Some(b'b') => 8,
        Some(b't') => b'\t',
        Some(b'n') => b'\n',
        Some(b'v') => 11,
        Some(b'f') => 12,
        Some(b'r') => b'\r',
        Some(escaped @ (b'"' | b'\\')) => *escaped,
        Some(b'0'..=b'3') => {
            let octal = text
                .get(..3)
                .and_then(|digits| u8::from_str_radix(digits, 8).ok());
            let expected = "expected three octal digits after a backslash in the quoted file name";
            return octal
                .map(|byte| (byte, 3))
                .ok_or_else(|| expected.to_owned());
        }
        None => return Err("the quoted file name has no closing quote".to_owned()),
        _ => return Err("the quoted file name has an escape that git does not write".to_owned()),
    };
    Ok((byte, 1))
}
