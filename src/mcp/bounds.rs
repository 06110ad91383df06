//! How long a result is. Its reader is a model, and the longest of them has no use for a megabyte.

use serde_json::{Map, Value};

/// The most bytes of a result's text and of its structured content, as JSON. Together with what is
/// around them, they are less than 16 KB.
const MAX_TEXT: usize = 6_000;
const MAX_CONTENT: usize = 9_000;

/// The longest text, in bytes, and the longest list that a content keeps; the first pair that makes it
/// short enough.
const KEPT: [(usize, usize); 7] = [
    (4_000, 200),
    (2_000, 100),
    (1_000, 50),
    (500, 25),
    (250, 12),
    (250, 6),
    (100, 3),
];

/// A text, cut at the end of a line if there is one, and saying so.
pub(super) fn text(text: String) -> String {
    if json_length(&text) <= MAX_TEXT {
        return text;
    }
    // Escaped, a text may be several times as long.
    let mut end = text.floor_char_boundary(MAX_TEXT);
    while json_length(&text[..end]) > MAX_TEXT {
        end = text.floor_char_boundary(end * 3 / 4);
    }
    let line_end = text[..end].rfind('\n').filter(|at| at * 2 > end);
    let end = line_end.map_or(end, |at| at + 1);
    let n_more = text.len() - end;
    format!("{}\n… {n_more} bytes more are left out\n", &text[..end])
}

/// The length of a text as JSON, in bytes.
fn json_length(text: &str) -> usize {
    Value::from(text).to_string().len()
}

/// A structured content of the same shape, in which long texts and lists are cut.
pub(super) fn content(content: Value) -> Value {
    if is_short(&content) {
        return content;
    }
    for (n_bytes, n_items) in KEPT {
        let cut = cut(&content, n_bytes, n_items);
        if is_short(&cut) {
            return cut;
        }
    }
    cut(&content, 0, 0)
}

fn is_short(content: &Value) -> bool {
    content.to_string().len() <= MAX_CONTENT
}

fn cut(value: &Value, n_bytes: usize, n_items: usize) -> Value {
    match value {
        Value::String(text) if text.len() > n_bytes => {
            let end = text.floor_char_boundary(n_bytes);
            Value::String(format!(
                "{}… ({} bytes more)",
                &text[..end],
                text.len() - end
            ))
        }
        Value::Array(items) => items
            .iter()
            .take(n_items)
            .map(|item| cut(item, n_bytes, n_items))
            .collect(),
        Value::Object(fields) => {
            let mut object = Map::new();
            for (name, field) in fields {
                object.insert(name.clone(), cut(field, n_bytes, n_items));
            }
            Value::Object(object)
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_short_stays() {
        let short = json!({"status": "done", "files": ["a"], "diff": "-a\n+b\n"});
        assert_eq!(content(short.clone()), short);
        assert_eq!(text("a\nb\n".to_owned()), "a\nb\n");
    }

    #[test]
    fn what_is_long_is_cut_and_says_so() {
        for line in ["word word\n", "\u{1}", "é\t", "中\n"] {
            let cut = text(line.repeat(100_000));
            assert!(
                json!(cut).to_string().len() < MAX_TEXT + 100,
                "{}",
                cut.len()
            );
            assert!(cut.ends_with(" bytes more are left out\n"), "{cut}");
        }
        let file = json!({"path": "src/a.py", "old": "x".repeat(9_000), "status": "done"});
        for n in [1, 10, 1_000] {
            let cut = content(json!({"files": vec![file.clone(); n], "n": 1}));
            assert!(cut.to_string().len() <= MAX_CONTENT);
            assert_eq!(cut["files"][0]["path"], "src/a.py", "{cut}");
            assert!(
                cut["files"][0]["old"]
                    .as_str()
                    .unwrap()
                    .ends_with(" bytes more)"),
                "{cut}"
            );
        }
    }
}
