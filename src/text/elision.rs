//! Recognizes lines that replace left-out code: `// ... existing code ...`.
//!
//! Such lines differ from code and from other comments by the words that models use in them.
//!
//! ```text
//! elision = comment open, words with an ellipsis among them, comment close # ... (rest unchanged)
//!         | ellipsis, words, ellipsis                                      ... existing code ...
//! ```
//!
//! Either all the words are in the tables below, or these three things hold: the ellipsis comes
//! first, one word says that something stays, and few words are unknown (`// ... rest of
//! handleSubmit`). `# Loading the rest...` is neither.

use super::ident::is_ident_char;

/// Comment delimiters: first the closed comments, then those that end with the line.
const CLOSED: [(&str, &str); 6] =
    [("<!--", "-->"), ("{/*", "*/}"), ("/*", "*/"), ("{#", "#}"), ("--[[", "]]"), ("{-", "-}")];
const OPEN: [&str; 5] = ["//", "#", "--", ";", "%"];

/// Words that say that something stays.
const STAYS: &str = "existing rest remaining remainder remain remains unchanged unmodified \
    untouched other others same previous previously original keep kept before omitted skipped \
    truncated snip elided continues stay stays";

/// Words for the things that stay, and the small words between.
const TOPICS: &str = "code method methods import imports function functions class classes field \
    fields property properties props variable variables constant constants test tests logic \
    implementation body content contents file component components definition definitions \
    declaration declarations style styles rule rules line lines part parts section types here \
    above below as is are the of and all your in it this for";

/// Words of ordinary remarks that happen to contain an ellipsis.
const REMARKS: &str = "todo fixme xxx hack note wait but if when because then should must until";

/// The most unknown words in a line whose ellipsis comes first.
const MAX_UNKNOWN: usize = 4;

/// The longest elision line, in bytes. A longer line says more than that code was left out.
const MAX_LENGTH: usize = 200;

/// Whether a line says that code was left out there. A bare ellipsis may be code: see
/// [`is_bare_ellipsis`].
pub(crate) fn is_elision(line: &str) -> bool {
    let line = line.trim();
    if line.len() > MAX_LENGTH {
        return false;
    }
    if let Some(body) = comment(line) {
        return says_elided(body) || says_elided_without_dots(body);
    }
    let words = words(line);
    let is_apart = without_ellipsis(line).is_some_and(|rest| rest.starts_with([' ', '(']));
    is_apart
        && words.len() > 1
        && words.iter().all(|word| is_known(word))
        && words.iter().any(|word| is_in(STAYS, word))
}

/// Whether a line is only an ellipsis: left-out code, or a statement in Python.
pub(crate) fn is_bare_ellipsis(line: &str) -> bool {
    without_ellipsis(line.trim()) == Some("")
}

/// The text of a comment that fills its whole line.
fn comment(line: &str) -> Option<&str> {
    let closed =
        CLOSED.iter().find_map(|(open, close)| line.strip_prefix(open)?.strip_suffix(close));
    closed.or_else(|| {
        let open = OPEN.iter().find(|open| line.starts_with(**open))?;
        let mark = open.chars().next()?;
        Some(line.trim_start_matches(mark))
    })
}

fn says_elided(body: &str) -> bool {
    let body = body.trim();
    let words = words(body);
    if !body.contains("...") && !body.contains('…') {
        return false;
    }
    if words.iter().all(|word| is_known(word)) {
        return true;
    }
    let n_unknown = words.iter().filter(|word| !is_known(word)).count();
    let body = body.trim_start_matches(['(', '[', '<', ' ']);
    let comes_first = without_ellipsis(body).is_some_and(|rest| rest.starts_with([' ', '(', '[']));
    let is_remark = words.iter().any(|word| is_in(REMARKS, word));
    comes_first
        && !is_remark
        && n_unknown <= MAX_UNKNOWN
        && words.iter().any(|word| is_in(STAYS, word))
}

/// Things that may stay in a remark without an ellipsis. `line` is missing, since `the rest of the
/// line` is no code.
const WHOLES: &str = "code file function functions method methods class classes implementation \
    logic imports tests components everything";

/// Small words between them.
const BETWEEN: &str = "the of all and is are as here above below stays same this other existing \
    remaining rest remains remain stay keep unchanged unmodified untouched \
    omitted for brevity snip";

/// Whether a comment like `# rest of the code unchanged` has only such words. One must say that
/// something stays, and one must name a thing.
fn says_elided_without_dots(body: &str) -> bool {
    let words = words(body);
    let has = |table: &str| words.iter().any(|word| is_in(table, word));
    let stays = has("rest existing remaining unchanged unmodified untouched omitted")
        || (has("same") && has("stays remains remain stay"));
    let what = has(WHOLES) || has("rest omitted") || (has("unchanged") && words.len() > 1);
    let says_all = words.iter().all(|word| is_in(WHOLES, word) || is_in(BETWEEN, word));
    let is_bracketed =
        body.trim().starts_with(['(', '[', '<', '-']) && has("unchanged unmodified omitted snip");
    words.len() < 10 && says_all && ((words.len() > 1 && stays && what) || is_bracketed)
}

/// The text after an ellipsis at the start of `text`.
fn without_ellipsis(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(['.', '…']);
    let ellipsis = &text[..text.len() - rest.len()];
    (ellipsis.len() >= 3).then_some(rest)
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c| !is_ident_char(c));
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

fn is_known(word: &str) -> bool {
    is_in(STAYS, word) || is_in(TOPICS, word)
}

fn is_in(table: &str, word: &str) -> bool {
    table.split(' ').any(|entry| entry == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_models_write_for_left_out_code() {
        for line in [
            "// ... existing code ...",
            "// existing code",
            "# rest of the code",
            "# the rest is unchanged",
            "# the rest of the code is unchanged",
            "# rest unchanged",
            "# (unchanged)",
            "# --- unchanged ---",
            "# existing code here",
            "// Rest of the functions remain the same",
            "# keep the rest",
            "# omitted for brevity",
            "<!-- rest of file -->",
            "# [rest of file unchanged]",
            "    // ...",
            "//...",
            "// … existing code …",
            "// ... rest of the code ...",
            "// ... rest of handleSubmit",
            "// ... (other methods remain unchanged)",
            "// rest of code...",
            "// ... imports ...",
            "// ... keep existing imports",
            "/// ... same as before ...",
            "# ... existing code ...",
            "# ... (unchanged)",
            "# ... (existing test code remains unchanged)",
            "# ... rest of the `RepoMap` class stays the same ...",
            "# [... existing code ...]",
            "#...",
            "-- ... existing columns ...",
            "-- ...",
            "--[[ ... rest of the module ... ]]",
            "{- ... -}",
            "<!-- ... existing code ... -->",
            "<!-- ... -->",
            "/* ... other styles ... */",
            "/* ... */",
            "{/* ... existing code ... */}",
            "{# ... rest unchanged ... #}",
            ";; ... existing code ...",
            "% ... remaining sections ...",
            "... existing code ...",
            "... (rest unchanged)",
        ] {
            assert!(is_elision(line), "{line}");
        }
    }

    #[test]
    fn code_and_other_comments_are_none() {
        for line in [
            "",
            "...",
            "…",
            "...args",
            "...rest,",
            "[...rest]",
            "... rest",
            "return {...existing, ...rest}",
            "# the rest of the line",
            "// same as before",
            "// keep the code",
            "# unchanged",
            "// remaining items",
            "# existing users are kept",
            "// TODO ...",
            "// TODO: keep the rest...",
            "# wait for it...",
            "# Loading the rest...",
            "// processing remaining items...",
            "// ... but keep the old handler",
            "// ...args are passed on",
            "// ...rest goes to the handler",
            "foo(); // ... existing code ...",
            "\"// ... existing code ...\"",
            "print(\"...\")",
            "#include \"...\"",
            "def f(): ...",
            "-- a",
            "i--; // ...",
            "/* ... */ int x;",
        ] {
            assert!(!is_elision(line), "{line}");
        }
    }

    #[test]
    fn a_bare_ellipsis_stands_alone() {
        for (line, is_bare) in [
            ("...", true),
            ("  …  ", true),
            ("....", true),
            ("..", false),
            ("...x", false),
            ("# ...", false),
        ] {
            assert_eq!(is_bare_ellipsis(line), is_bare, "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_line_is_too_strange(
            line in "\\PC*",
            marked in "[ .…/#*<>!{}(-]{0,12}(rest|é)?[ .…*/}-]{0,6}",
        ) {
            for line in [line, marked] {
                let _ = (is_elision(&line), is_bare_ellipsis(&line));
            }
        }
    }
}
