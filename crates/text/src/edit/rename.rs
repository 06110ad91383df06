//! Names that an edit gives to definitions.

use super::edit_set::{Replacement, whole_token_ranges};
use crate::text::defined_name;
use crate::text::ident::{is_ident_char, is_identifier};
use std::ops::Range;

/// The name of a definition before and after an edit of its line, if the text did not have the new
/// one before.
pub fn renamed_definition(shown: &str, replacements: &[Replacement]) -> Option<(String, String)> {
    replacements.iter().find_map(|replacement| {
        let Range { start, end } = replacement.range;
        let start_line = shown[..start].rfind('\n').map_or(0, |at| at + 1);
        let end_line = shown[end..].find('\n').map_or(shown.len(), |at| end + at);
        let before = &shown[start_line..end_line];
        let after = [
            &shown[start_line..start],
            &replacement.new,
            &shown[end..end_line],
        ]
        .concat();
        let names = |lines: &str| -> Vec<String> {
            lines
                .lines()
                .filter_map(defined_name)
                .map(str::to_owned)
                .collect()
        };
        let (before, after) = (names(before), names(&after));
        // With a definition more or less, nothing says which of them became which.
        if before.len() != after.len() {
            return None;
        }
        let is_new = |name: &str| whole_token_ranges(shown, name).is_empty();
        before
            .into_iter()
            .zip(after)
            .find(|(old, new)| old != new && is_new(new))
    })
}

/// The names before and after, if all that an edit does is to rename one definition, or declare a
/// constant or a field by another name, and the text has uses of it and nothing else by that name.
pub fn begun_rename(shown: &str, replacements: &[Replacement]) -> Option<(String, String)> {
    let [Replacement { range, new: text }] = replacements else {
        return None;
    };
    let (before, after) = (tokens(&shown[range.clone()]), tokens(text));
    let mut changed = before
        .iter()
        .zip(&after)
        .filter(|(before, after)| before != after);
    let (old, new) = changed.next()?;
    // A name that the model kept, it kept on purpose.
    let is_one = before.len() == after.len()
        && changed.all(|pair| pair == (old, new))
        && !after.contains(old);
    if !is_one || ![*old, *new].into_iter().all(is_identifier) {
        return None;
    }
    let start = shown[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = shown[range.end..]
        .find('\n')
        .map_or(shown.len(), |at| range.end + at);
    let defines = |line: &&str| defined_name(line) == Some(*old) || declares(line, old);
    let uses = whole_token_ranges(shown, old);
    let others = uses
        .iter()
        .filter(|at| at.end <= range.start || range.end <= at.start);
    let is_renamed = shown[start..end].lines().filter(defines).count() == 1
        && shown.lines().filter(defines).count() == 1
        && whole_token_ranges(shown, new).is_empty()
        && uses.len() > before.iter().filter(|token| *token == old).count()
        && others.into_iter().all(|at| is_plain_use(shown, at));
    is_renamed.then(|| ((*old).to_owned(), (*new).to_owned()))
}

/// Whether a use is surely of the name that was declared. It is not if it is assigned, an argument's
/// name, in a string, or a member of anything but `self` or `this`.
fn is_plain_use(shown: &str, at: &Range<usize>) -> bool {
    let line = &shown[shown[..at.start].rfind('\n').map_or(0, |start| start + 1)..at.start];
    let after = shown[at.end..].trim_start_matches([' ', '\t']);
    let is_assigned = after.starts_with('=') && !after.starts_with("==");
    let is_in_string = ['"', '\'']
        .iter()
        .any(|quote| line.matches(*quote).count() % 2 == 1);
    let receiver = line.strip_suffix('.').or(line.strip_suffix("->"));
    let is_of_another = receiver
        .is_some_and(|receiver| !["self", "this"].iter().any(|own| receiver.ends_with(own)));
    !is_assigned && !is_in_string && !is_of_another
}

/// Keywords that begin the declaration of a constant or a field.
const BEFORE_A_FIELD: [&str; 11] = [
    "private",
    "public",
    "protected",
    "internal",
    "static",
    "final",
    "readonly",
    "pub",
    "const",
    "fileprivate",
    "open",
];

/// Keywords of lines that look like a declaration and are none: `return rows;`.
const STATEMENTS: [&str; 15] = [
    "return", "throw", "raise", "yield", "await", "delete", "goto", "break", "continue", "import",
    "use", "using", "package", "case", "type",
];

/// Whether a line declares a constant or a field by this name: `const ROWS = 28;`, `ROWS = 28`,
/// `private int rows;`. A local variable may have the name of another one.
pub fn declares(line: &str, name: &str) -> bool {
    let Some(at) = whole_token_ranges(line, name).into_iter().next() else {
        return false;
    };
    let (before, after) = (&line[..at.start], line[at.end..].trim_start());
    let words: Vec<&str> = before.split_whitespace().collect();
    let is_type = |c: char| is_ident_char(c) || c.is_whitespace() || "<>[]*&?".contains(c);
    let is_outside = !line.starts_with([' ', '\t']);
    let begins = |kind: &[&str]| words.first().is_some_and(|word| kind.contains(word));
    // After these the name comes at once, and then its type.
    let is_type_of_another =
        words.len() > 1 && ["var", "let", "val", "const"].contains(&words[words.len() - 2]);
    let ends = match after.as_bytes() {
        [b'=', b'=' | b'>', ..] => false,
        [b':', b'=', ..] | [b'=', ..] => true,
        [b';', ..] => words.len() > 1,
        [b':', ..] => begins(&BEFORE_A_FIELD),
        _ => false,
    };
    (is_outside || begins(&BEFORE_A_FIELD))
        && before.chars().all(is_type)
        && !words.iter().any(|word| STATEMENTS.contains(word))
        && !is_type_of_another
        && ends
}

/// Identifiers, and what is between them.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_same = |c: char| is_ident_char(c) == is_ident_char(first);
        let end = rest.find(|c| !is_same(c)).unwrap_or(rest.len());
        tokens.push(&rest[..end]);
        rest = &rest[end..];
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "const ROWS = 28;\nconst SIZE = 4;\nuse(ROWS);\n";

    fn begun(text: &str, old: &str, new: &str) -> Option<(String, String)> {
        let start = text.find(old).unwrap();
        let replacement = Replacement {
            range: start..start + old.len(),
            new: new.to_owned(),
        };
        begun_rename(text, &[replacement])
    }

    #[test]
    fn renames_that_reach_the_definition_only() {
        let names = Some(("ROWS".to_owned(), "LANES".to_owned()));
        for (old, new, expected) in [
            ("ROWS", "LANES", names.clone()),
            ("ROWS = 28", "LANES = 28", names.clone()),
            (
                "const ROWS = 28;\nconst SIZE",
                "const LANES = 28;\nconst SIZE",
                names,
            ),
            ("ROWS = 28", "LANES = 29", None),
            ("ROWS = 28", "SIZE = 28", None), // the text has it
            ("SIZE", "LANES", None),          // nothing uses it
            ("use(ROWS)", "use(LANES)", None),
            (TEXT, &TEXT.replace("ROWS", "LANES"), None),
        ] {
            assert_eq!(begun(TEXT, old, new), expected, "{old:?} -> {new:?}");
        }
        let twice = format!("{TEXT}const ROWS = 1;\n");
        assert_eq!(begun(&twice, "ROWS", "LANES"), None);
        let not_declared = "log.info(rows)\nlog.info(size)\n";
        assert_eq!(begun(not_declared, "info", "warning"), None);
    }

    #[test]
    fn what_is_more_than_a_rename_of_one_thing() {
        for (text, old, new) in [
            // Kept on purpose.
            (
                "ROWS = int(env[\"ROWS\"])\nuse(ROWS)\n",
                "ROWS = int",
                "LANES = int",
            ),
            // An argument's name, and a word in a string.
            ("wait = 5\nget(url, wait=wait)\n", "wait", "delay"),
            ("wait = 5\nget(url, 'wait', wait)\n", "wait", "delay"),
            // Of another thing.
            (
                "def get(key):\n    return cache.get(key)\n",
                "def get",
                "def fetch",
            ),
            // A local variable.
            (
                "def f():\n    data = 1\n    use(data)\n\ndef g(data):\n    use(data)\n",
                "data",
                "rows",
            ),
            // A type, a value.
            (
                "const id: string = f();\nfunction g(a: string) {\n",
                "string",
                "number",
            ),
            (
                "h1 {\n  color: red;\n}\nh2 {\n  border-color: red;\n}\n",
                "red",
                "blue",
            ),
            ("x: int = 5\ny = int(x)\n", "int", "float"),
            ("var x int = 5\nfunc f(y int) {\n", "int", "long"),
        ] {
            assert_eq!(begun(text, old, new), None, "{text}");
        }
        let field = "class A {\n    private int cnt;\n    int get() { return cnt; }\n}\n";
        assert!(begun(field, "cnt", "count").is_some());
        let own = field.replace("return cnt", "return this.cnt");
        assert!(begun(&own, "cnt", "count").is_some());
    }

    #[test]
    fn declarations_of_many_languages() {
        for (line, expected) in [
            ("const rows = 28;", true),
            ("    private int rows;", true),
            ("pub const rows: usize = 28;", true),
            ("    public rows: number;", true),
            ("rows = 28", true),
            ("rows := 28", true),
            ("const int rows = 28;", false), // in Go its type would stand there
            ("    let rows = 28;", false),   // a local variable
            ("    rows = 28", false),
            ("return rows;", false),
            ("if rows == 28:", false),
            ("while rows:", false),
            ("type rows;", false),
            ("pub use a::rows;", false),
            ("draw(rows);", false),
            ("rows => rows + 1", false),
            ("x = rows", false),
            ("self.rows = 28", false),
            ("rows: 28", false),
        ] {
            assert_eq!(declares(line, "rows"), expected, "{line}");
        }
    }
}
