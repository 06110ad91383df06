//! Arguments that a sentence gives by a name and a value: "a timeout of 15" as `timeout=15`, "flush it" as `flush: true`.

use super::named::{How, Named};
use crate::prompt::hints::is_common;
use crate::prompt::stems::is_stop_word;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// So many of a sentence.
const MOST: usize = 12;

/// How names and values are written beside each other, with a file's stretch that is written so.
static STYLES: LazyLock<[(&str, Regex); 3]> = LazyLock::new(|| {
    [("=", r#"[(,]\s*\w+=[\w"'\[{]"#), (": ", r#"[({,]\s*\w+: [\w"'\[{:]"#), (" = ", r#"[({,]\s*\w+ = [\w"'\[{]"#)]
        .map(|(style, pattern)| (style, Regex::new(pattern).expect("it is well formed")))
});

static PAIR: LazyLock<Regex> = LazyLock::new(|| {
    let between = r"(?:is|to|of|at|as|=|:|should be|must be|->|→)";
    let value = r#"("[^"]+"|'[^']+'|\d[\w.]*|true|false|True|False|null|nil|None|[A-Z][A-Z_]{2,}|:\w+|[\w.]*\w\.\w+)"#;
    Regex::new(&format!(r"([A-Za-z_][\w-]*):?\s+(?:{between}\s+)?{value}")).expect("it is well formed")
});

/// Such arguments in the ways in which the file writes them.
pub fn pairs(task: &str, text: &str) -> Vec<Named> {
    let mut styles: Vec<&str> = STYLES.iter().filter(|(_, is_so)| is_so.is_match(text)).map(|(style, _)| *style).collect();
    if styles.is_empty() {
        styles.push(if text.contains("def ") { "=" } else { ": " });
    }
    let yes = if text.contains("True") || text.contains("None") || text.contains("def ") && text.contains("self") {
        "True"
    } else {
        "true"
    };
    let mut found: Vec<Named> = Vec::new();
    let mut add = |name: &str, value: &str, at: Range<usize>| {
        for style in &styles {
            let text = format!("{name}{style}{value}");
            if found.len() < MOST && found.iter().all(|other| other.text != text) {
                found.push(Named { text, how: How::Pair, at: at.clone() });
            }
        }
    };
    for pair in PAIR.captures_iter(task) {
        let (Some(name), Some(value)) = (pair.get(1), pair.get(2)) else { continue };
        if !is_stop_word(name.as_str()) {
            add(name.as_str(), value.as_str(), name.start()..value.end());
        }
    }
    let words = task.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| word.len() > 3);
    for word in words.filter(|word| !is_stop_word(word) && !is_common(word) && !word.starts_with(|c: char| c.is_ascii_digit())) {
        let at = word.as_ptr() as usize - task.as_ptr() as usize;
        add(word, yes, at..at + word.len());
    }
    found
}
