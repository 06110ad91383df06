//! Lines of an output: patterns, and the parts that are kept.

use regex::Regex;
use std::sync::LazyLock;

/// The line of a test's failure that says that the test itself cannot be run: a name or a module is
/// missing, or the syntax is wrong.
pub fn cannot_run(failure: &str) -> Option<&str> {
    static ERRORS: LazyLock<Regex> = LazyLock::new(|| {
        let python = "(?:Syntax|Indentation|Tab|Import|ModuleNotFound|Name|Unbound)Error";
        let not_found = "(?:ERR_)?MODULE_NOT_FOUND|Cannot find module";
        regex(&format!(
            r"^\W*(?:E\s+)?(?:\w+\.)*(?:{python}|ReferenceError)\b|{not_found}"
        ))
    });
    failure
        .lines()
        .find(|line| ERRORS.is_match(line))
        .map(str::trim)
}

/// The beginning and the end of a text, in whole lines where that is possible.
pub fn both_ends(text: &str, max_bytes: usize) -> String {
    const LEFT_OUT: &str = "\n[…]\n";
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let half = max_bytes.saturating_sub(LEFT_OUT.len()) / 2;
    let head = cut(text, half);
    let tail = &text[text.ceil_char_boundary(text.len() - half)..];
    let tail = match tail.split_once('\n') {
        Some((_, rest)) if !rest.is_empty() => rest,
        _ => tail,
    };
    format!("{}{LEFT_OUT}{tail}", head.trim_end())
}

/// The name of a test within its groups.
pub(super) fn within(groups: &[&str], name: &str, separator: &str) -> String {
    [groups, &[name]].concat().join(separator)
}

/// A pattern that is a constant of this program.
pub(super) fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a fixed pattern")
}

pub(super) fn number(text: &str) -> usize {
    text.trim().parse().unwrap_or(0)
}

/// A text without the escape sequences that color it.
pub fn without_colors(text: &str) -> String {
    static COLORS: LazyLock<Regex> = LazyLock::new(|| regex("\x1b\\[[0-9;]*[A-Za-z]"));
    COLORS.replace_all(text, "").into_owned()
}

/// The first lines of a text.
pub(super) fn cut(text: &str, max_bytes: usize) -> String {
    let head = &text[..text.floor_char_boundary(max_bytes)];
    match head.rfind('\n') {
        Some(end) if head.len() < text.len() => head[..=end].to_owned(),
        _ => head.to_owned(),
    }
}
