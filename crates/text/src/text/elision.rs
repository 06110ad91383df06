//! Recognizes lines that stand for left-out code: `// ... existing code ...`.
//!
//! Only the form counts, not the words, which are of any language:
//!
//! ```text
//! elision = comment open, [bracket], ellipsis, [blank, words], comment close # ... (rest unchanged)
//!         | ellipsis, words, ellipsis                                     ... existing code ...
//!         | ellipsis, bracket, words, bracket                             ... (rest unchanged)
//! ```
//!
//! A comment without an ellipsis may be any remark. Whether it stands in the place of code is seen
//! from what a change removes: [`crate::syntax::left_out()`].

use super::ident::is_ident_char;

/// Comments that have an end, as they begin and end.
pub const CLOSED: [(&str, &str); 10] = [
    ("<!--", "-->"),
    ("{/*", "*/}"),
    ("/*", "*/"),
    ("{#", "#}"),
    ("{{!", "}}"),
    ("<%--", "--%>"),
    ("--[[", "]]"),
    ("{-", "-}"),
    ("(*", "*)"),
    ("@*", "*@"),
];

/// Signs that begin a comment up to the end of the line.
const OPEN: [&str; 5] = ["//", "#", "--", ";", "%"];

/// What may open and close a remark.
const BRACKETS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('<', '>')];

/// The longest elision line, in bytes. A longer line says more than that code was left out.
const MAX_LENGTH: usize = 200;

/// Whether a line says that code was left out there. A bare ellipsis may be code: see
/// [`is_bare_ellipsis`].
pub fn is_elision(line: &str) -> bool {
    let line = line.trim();
    if line.len() > MAX_LENGTH {
        return false;
    }
    if let Some(body) = comment(line) {
        let body = body.trim_start_matches([' ', '(', '[', '<']);
        return without_ellipsis(body)
            .is_some_and(|rest| !rest.starts_with(is_ident_char) || !rest.is_ascii());
    }

    let Some(words) = without_ellipsis(line).filter(|rest| rest.starts_with([' ', '('])) else {
        return false;
    };
    let words = words.trim();
    let is_bracketed = BRACKETS
        .iter()
        .any(|(open, close)| words.starts_with(*open) && words.ends_with(*close));
    is_bracketed || words.ends_with("...") || words.ends_with('…')
}

/// Whether a line is only an ellipsis: left-out code, or a statement in Python.
pub fn is_bare_ellipsis(line: &str) -> bool {
    without_ellipsis(line.trim()) == Some("")
}

/// The text of a comment that fills its whole line.
fn comment(line: &str) -> Option<&str> {
    let closed = CLOSED
        .iter()
        .find_map(|(open, close)| line.strip_prefix(open)?.strip_suffix(close));
    closed.or_else(|| {
        let open = OPEN.iter().find(|open| line.starts_with(**open))?;
        let mark = open.chars().next()?;
        Some(line.trim_start_matches(mark))
    })
}

/// The text after an ellipsis at the start of `text`.
fn without_ellipsis(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(['.', '…']);
    let ellipsis = &text[..text.len() - rest.len()];
    (ellipsis.len() >= 3).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::testing::cells;
    use proptest::prelude::*;

    #[test]
    fn marks_for_left_out_code() {
        for line in cells(
            "
            // ... existing code ... | ····// ... | //... | // … existing code … | {/* ... */}
            // ... rest of the code ... | // ... rest of handleSubmit | /* ... other styles ... */
            // ... (other methods remain unchanged) | // ... (остальной код без изменений)
            # ……其余代码不变…… | // ... but keep the old handler | // ... imports ...
            // ... keep existing imports | /// ... same as before ... | # ... existing code ...
            # ... (unchanged) | # ... (existing test code remains unchanged) | #... | -- ...
            # ... rest of the `RepoMap` class stays the same ... | # [... existing code ...]
            -- ... existing columns ... | --[[ ... rest of the module ... ]] | {- ... -}
            <!-- ... existing code ... --> | <!-- ... --> | /* ... */ | {/* ... existing code ... */}
            {# ... rest unchanged ... #} | ;; ... existing code ... | % ... remaining sections ...
            ... existing code ... | ... (rest unchanged) | (* ... the other cases ... *)
            ",
        ) {
            assert!(is_elision(&line), "{line}");
        }
    }

    #[test]
    fn code_and_other_comments_are_none() {
        for line in cells(
            r#"
            ... | … | ...args | ...rest, | [...rest] | ... rest | return {...existing, ...rest}
            # the rest of the line | # the rest of the code | // (unchanged) | // rest of code...
            // TODO ... | // TODO: keep the rest... | # wait for it... | # Loading the rest...
            // processing remaining items... | // ...args are passed on | def f(): ... | -- a
            // ...rest goes to the handler | foo(); // ... existing code ... | print("...")
            "// ... existing code ..." | #include "..." | i--; // ... | /* ... */ int x;
            "#,
        ) {
            assert!(!is_elision(&line), "{line}");
        }
        assert!(!is_elision(""));
    }

    #[test]
    fn a_bare_ellipsis_stands_alone() {
        for line in ["...", "  …  ", "...."] {
            assert!(is_bare_ellipsis(line), "{line}");
        }
        for line in ["..", "...x", "# ..."] {
            assert!(!is_bare_ellipsis(line), "{line}");
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
