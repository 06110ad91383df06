//! The answer to [`Operation::Rewrite`](super::Operation::Rewrite): code in a fence, as instruct
//! models write it, without escapes.
//!
//! ```text
//! answer = [ "`" name "`:" newline ] fence language newline { line newline } fence
//! ```
//!
//! The name of the block comes first where there is a choice. The fence is longer than any in the
//! file, and the first line that begins with it ends the answer. Newlines may follow.

use super::answers::Rewrite;
use serde::{Deserialize, Serialize};

/// The shortest fence, and what it is made of.
const SHORTEST: u8 = 3;
const MARK: u8 = b'`';

/// A text with more backticks in a row is not put in a fence.
const LONGEST: u8 = 64;

/// A code fence for the text of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fence {
    /// How many backticks it has.
    pub length: u8,
    /// The info string, which may be empty.
    pub language: String,
}

impl Default for Fence {
    fn default() -> Fence {
        Fence {
            length: SHORTEST,
            language: String::new(),
        }
    }
}

impl Fence {
    /// A fence that does not occur in a text. `None` if that would be a very long one.
    pub fn around(text: &str, language: &str) -> Option<Fence> {
        let marks = text
            .split(|c| c != char::from(MARK))
            .map(str::len)
            .max()
            .unwrap_or(0);
        let length = u8::try_from(marks + 1)
            .ok()
            .filter(|length| *length <= LONGEST)?;
        Some(Fence {
            length: length.max(SHORTEST),
            language: language.to_owned(),
        })
    }

    /// The line that ends a text.
    pub fn closing(&self) -> String {
        String::from(char::from(MARK)).repeat(self.length.into())
    }

    /// What comes before a text, with the name of its block where it is written.
    pub fn head(&self, name: Option<&str>) -> String {
        let name = name.map_or_else(String::new, |name| format!("`{name}`:\n"));
        format!("{name}{}{}\n", self.closing(), self.language)
    }

    /// A text in the fence.
    pub fn enclose(&self, text: &str) -> String {
        let end = if text.is_empty() || text.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        format!("{}{text}{end}{}", self.head(None), self.closing())
    }

    /// Reads a complete answer. `only`: the name of the block, if there is no choice.
    pub fn read(&self, answer: &str, only: Option<&str>) -> Option<Rewrite> {
        let (block, rest) = match only {
            Some(name) => (name, answer),
            None => answer.strip_prefix('`')?.split_once("`:\n")?,
        };
        let rest = rest.trim_end_matches('\n');
        let text = rest
            .strip_prefix(&self.head(None))?
            .strip_suffix(&self.closing())?;
        Some(Rewrite {
            block: block.to_owned(),
            text: text.to_owned(),
        })
    }
}

/// Reads the answer of a model on a server, which was not constrained: the lines between the first fence and
/// the last. With a choice of blocks, the one that is named first.
pub fn find(answer: &str, names: &[&str]) -> Option<Rewrite> {
    let lines: Vec<&str> = answer.lines().collect();
    let opening = lines.iter().position(|line| line.starts_with("```"))?;
    let closing = lines.iter().rposition(|line| is_closing(line.trim_end()))?;
    let text = lines.get(opening + 1..closing)?;

    let block = match names {
        [only] => only,
        _ => lines
            .iter()
            .find_map(|line| names.iter().find(|name| line.contains(**name)))?,
    };
    Some(Rewrite {
        block: (*block).to_owned(),
        text: text.iter().map(|line| format!("{line}\n")).collect(),
    })
}

fn is_closing(line: &str) -> bool {
    line.len() >= SHORTEST.into() && line.bytes().all(|b| b == MARK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_with_words_around_it() {
        let found = |answer: &str, names: &[&str]| {
            find(answer, names).map(|Rewrite { block, text }| (block, text))
        };
        let some = |block: &str, text: &str| Some((block.to_owned(), text.to_owned()));
        let answer = "Sure.\n```py\ndef g():\n    1\n```\nNow it is 1.";
        assert_eq!(found(answer, &["f"]), some("f", "def g():\n    1\n"));
        let names = ["def f():", "def g():"];
        assert_eq!(found(answer, &names), some("def g():", "def g():\n    1\n"));
        assert_eq!(found(answer, &["def f():", "class A:"]), None);
        assert_eq!(
            found("# A\n```md\n```\nx\n```\n```", &["f"]),
            some("f", "```\nx\n```\n")
        );
        assert_eq!(found("I cannot.", &["f"]), None);
        assert_eq!(found("```py\nx", &["f"]), None);
    }

    #[test]
    fn a_fence_is_longer_than_those_inside() {
        for (text, length) in [("a\n", 3), ("a `b`\n", 3), ("````md\nx\n````\n", 5)] {
            let fence = Fence::around(text, "x").unwrap();
            assert_eq!(fence.length, length);
            let read = fence.read(&fence.enclose(text), Some("f")).unwrap();
            assert_eq!((read.block.as_str(), read.text.as_str()), ("f", text));
        }
    }

    #[test]
    fn the_name_is_read_where_there_is_a_choice() {
        assert_eq!(Fence::around(&"`".repeat(100), ""), None);
        let fence = Fence::around("", "py").unwrap();
        let answer = format!("{}x\n```", fence.head(Some("def f():")));
        assert_eq!(answer, "`def f():`:\n```py\nx\n```");
        let Rewrite { block, text } = fence.read(&answer, None).unwrap();
        assert_eq!((block.as_str(), text.as_str()), ("def f():", "x\n"));
        assert_eq!(fence.read("```py\n```", Some("f")).unwrap().text, "");
        assert_eq!(fence.read("```py\n```", None), None);
    }
}
