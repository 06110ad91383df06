//! Names that an edit gives to definitions.

use super::edit_set::whole_token_ranges;
use super::replacement::Replacement;
use crate::text::ident::{is_ident_char, is_identifier};
use crate::text::{defined_name, line_end, line_start};
use std::ops::Range;

/// The name of a definition before and after an edit of its line, if the text did not have the new
/// one before.
pub fn renamed_definition(shown: &str, replacements: &[Replacement]) -> Option<(String, String)> {
    for Replacement { range, new } in replacements {
        let start = line_start(shown, range.start);
        let end = line_end(shown, range.end);
        let after = [&shown[start..range.start], new, &shown[range.end..end]].concat();
        let before: Vec<&str> = shown[start..end].lines().filter_map(defined_name).collect();
        let after: Vec<&str> = after.lines().filter_map(defined_name).collect();

        // With a definition more or less, nothing says which of them became which.
        if before.len() == after.len() {
            for (old, new) in before.into_iter().zip(after) {
                if old != new && whole_token_ranges(shown, new).is_empty() {
                    return Some((old.to_owned(), new.to_owned()));
                }
            }
        }
    }
    None
}

/// The names before and after, if all that an edit does is to rename one definition, or declare a
/// constant or a field by another name, and the text has uses of it and nothing else by that name.
pub fn begun_rename(shown: &str, replacements: &[Replacement]) -> Option<(String, String)> {
    let [Replacement { range, new: text }] = replacements else {
        return None;
    };
    let before = tokens(&shown[range.clone()]);
    let (old, new) = only_change(&before, &tokens(text))?;
    if !is_identifier(old) || !is_identifier(new) {
        return None;
    }

    let lines = &shown[line_start(shown, range.start)..line_end(shown, range.end)];
    let is_only_definition = n_definitions(lines, old) == 1 && n_definitions(shown, old) == 1;
    let uses = whole_token_ranges(shown, old);
    let has_other_uses = uses.len() > before.iter().filter(|token| **token == old).count();
    let is_renamed = is_only_definition
        && has_other_uses
        && whole_token_ranges(shown, new).is_empty()
        && uses
            .iter()
            .filter(|at| at.end <= range.start || range.end <= at.start)
            .all(|at| is_plain_use(shown, at));
    is_renamed.then(|| (old.to_owned(), new.to_owned()))
}

/// The token that became another one, if that is all that changed and it did so everywhere: a name
/// that the model kept, it kept on purpose.
fn only_change<'t>(before: &[&'t str], after: &[&'t str]) -> Option<(&'t str, &'t str)> {
    let mut changed = before.iter().zip(after).filter(|(old, new)| old != new);
    let (old, new) = changed.next()?;
    let is_only = changed.all(|pair| pair == (old, new));
    (is_only && before.len() == after.len() && !after.contains(old)).then_some((*old, *new))
}

/// How many lines define or declare a name.
fn n_definitions(text: &str, name: &str) -> usize {
    text.lines()
        .filter(|line| defined_name(line) == Some(name) || declares(line, name))
        .count()
}

/// Whether a use is surely of the name that was declared. It is not if it is assigned, an argument's
/// name, in a string, or a member of anything but `self` or `this`.
fn is_plain_use(shown: &str, at: &Range<usize>) -> bool {
    let line = &shown[line_start(shown, at.start)..at.start];
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

/// Keywords that begin the declaration of a constant or a field, separated by spaces.
const BEFORE_A_FIELD: &str = "private public protected internal static final readonly pub const \
                              fileprivate open";

/// Keywords of lines that look like a declaration and are none: `return rows;`.
const STATEMENTS: &str = "return throw raise yield await delete goto break continue import use \
                          using package case type";

/// Keywords that the declared name follows at once, and then its type.
const BEFORE_A_NAME: &str = "var let val const";

/// Whether a line declares a constant or a field by this name: `const ROWS = 28;`, `ROWS = 28`,
/// `private int rows;`. A local variable may have the name of another one.
pub fn declares(line: &str, name: &str) -> bool {
    let Some(at) = whole_token_ranges(line, name).into_iter().next() else {
        return false;
    };
    let before = &line[..at.start];
    let words: Vec<&str> = before.split_whitespace().collect();
    let is_type = before
        .chars()
        .all(|c| is_ident_char(c) || c.is_whitespace() || "<>[]*&?".contains(c));
    let is_statement = words.iter().any(|word| is_one_of(word, STATEMENTS));
    let is_type_of_another = words.len() > 1 && is_one_of(words[words.len() - 2], BEFORE_A_NAME);
    if !is_type || is_statement || is_type_of_another {
        return false;
    }

    let is_field = words
        .first()
        .is_some_and(|word| is_one_of(word, BEFORE_A_FIELD));
    let is_outside = !line.starts_with([' ', '\t']);
    let is_declared = match line[at.end..].trim_start().as_bytes() {
        [b'=', b'=' | b'>', ..] => false,
        [b':', b'=', ..] | [b'=', ..] => true,
        [b';', ..] => words.len() > 1,
        [b':', ..] => is_field,
        _ => false,
    };
    is_declared && (is_outside || is_field)
}

fn is_one_of(word: &str, words: &str) -> bool {
    words.split(' ').any(|other| other == word)
}

/// Identifiers, and what is between them.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest
            .find(|c| is_ident_char(c) != is_ident_char(first))
            .unwrap_or(rest.len());
        tokens.push(&rest[..end]);
        rest = &rest[end..];
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::testing::rows;

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
        let text = "const ROWS = 28;\nconst SIZE = 4;\nuse(ROWS);\n";
        for [old, new] in rows(
            "
            ROWS                         | LANES
            ROWS = 28                    | LANES = 28
            const ROWS = 28;⏎const SIZE  | const LANES = 28;⏎const SIZE
            ",
        ) {
            let names = ("ROWS".to_owned(), "LANES".to_owned());
            assert_eq!(begun(text, &old, &new), Some(names), "{old:?} -> {new:?}");
        }
        // In the end: the text has the name, and nothing uses it.
        for [old, new] in rows(
            "
            ROWS = 28 | LANES = 29
            use(ROWS) | use(LANES)
            ROWS = 28 | SIZE = 28
            SIZE      | LANES
            ",
        ) {
            assert_eq!(begun(text, &old, &new), None, "{old:?} -> {new:?}");
        }
        assert_eq!(begun(text, text, &text.replace("ROWS", "LANES")), None);
        let twice = format!("{text}const ROWS = 1;\n");
        assert_eq!(begun(&twice, "ROWS", "LANES"), None);
        assert_eq!(
            begun("log.info(rows)\nlog.info(size)\n", "info", "warning"),
            None
        );
    }

    #[test]
    fn what_is_more_than_a_rename_of_one_thing() {
        // Kept on purpose; an argument's name, and a word in a string; of another thing; a local
        // variable; types and values.
        for [text, old, new] in rows(
            r#"
            ROWS = int(env["ROWS"])⏎use(ROWS)⏎                    | ROWS = int | LANES = int
            wait = 5⏎get(url, wait=wait)⏎                         | wait       | delay
            wait = 5⏎get(url, 'wait', wait)⏎                      | wait       | delay
            def get(key):⏎    return cache.get(key)⏎              | def get    | def fetch
            def f():⏎  data = 1⏎  use(data)⏎⏎def g(data):⏎  use(data)⏎ | data  | rows
            const id: string = f();⏎function g(a: string) {⏎      | string     | number
            h1 {⏎  color: red;⏎}⏎h2 {⏎  border-color: red;⏎}⏎     | red        | blue
            x: int = 5⏎y = int(x)⏎                                | int        | float
            var x int = 5⏎func f(y int) {⏎                        | int        | long
            "#,
        ) {
            assert_eq!(begun(&text, &old, &new), None, "{text}");
        }
        let field = "class A {\n    private int cnt;\n    int get() { return cnt; }\n}\n";
        assert!(begun(field, "cnt", "count").is_some());
        let own = field.replace("return cnt", "return this.cnt");
        assert!(begun(&own, "cnt", "count").is_some());
    }

    #[test]
    fn declarations_of_many_languages() {
        for line in [
            "const rows = 28;",
            "    private int rows;",
            "pub const rows: usize = 28;",
            "    public rows: number;",
            "rows = 28",
            "rows := 28",
        ] {
            assert!(declares(line, "rows"), "{line}");
        }
        // In Go the first would have its type there; the next ones are local variables.
        let others = "const int rows = 28;|    let rows = 28;|    rows = 28|return rows;|\
            if rows == 28:|while rows:|type rows;|pub use a::rows;|draw(rows);|rows => rows + 1|\
            x = rows|self.rows = 28|rows: 28";
        for line in others.split('|') {
            assert!(!declares(line, "rows"), "{line}");
        }
    }
}
