//! Favouring: the file and the lines that the program's own search takes a task to be about are made likelier than the
//! model finds them. A small model sees what the search found, and still trusts it less than it could.

use super::draft::values;
use crate::constrain::Slot;
use crate::constrain::mask::{TokenId, Tokenize};

/// A text that an answer may begin a slot with, and what the logits of its tokens are raised by.
pub type Favour = (String, f32);

/// The tokens that go on with one of some lines or paths, in the middle of this answer: of an excerpt without the line's indentation.
pub fn favoured(lines: &[Favour], slot: Slot, answer: &[u8], tokenizer: &dyn Tokenize) -> Vec<(TokenId, f32)> {
    if !matches!(slot, Slot::Old | Slot::Anchor | Slot::Path) {
        return Vec::new();
    }
    let values = values(answer);
    let Some(written) = values.last() else { return Vec::new() };
    let mut found: Vec<(TokenId, f32)> = Vec::new();
    for (line, bonus) in lines {
        let line = if slot == Slot::Old { line.trim_start() } else { line.as_str() };
        let Some(rest) = line.strip_prefix(written.as_str()).filter(|rest| !rest.is_empty()) else { continue };
        let Ok(mut rest) = serde_json::to_vec(rest) else { continue };
        rest.pop();
        for token in tokenizer.beginnings(&rest[1..]) {
            match found.iter_mut().find(|(other, _)| *other == token) {
                Some((_, best)) => *best = best.max(*bonus),
                None => found.push((token, *bonus)),
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use toktrie::{TokRxInfo, TokTrie};

    struct Words(TokTrie);

    impl Tokenize for Words {
        fn tokenize(&self, text: &[u8]) -> Vec<TokenId> {
            self.0.greedy_tokenize(text)
        }

        fn beginnings(&self, text: &[u8]) -> Vec<TokenId> {
            self.0.all_prefixes(text)
        }
    }

    #[test]
    fn tokens_of_likely_lines() {
        let words = ["    ", "limit", "li", " = 3", "x", "\"", "limited"].map(|word| word.as_bytes().to_vec());
        let words = Words(TokTrie::from(&TokRxInfo::new(7, 0), &words));
        let lines = [("    limit = 3".to_owned(), 4.0), ("limited".to_owned(), 1.0)];
        let at = |slot, answer: &str| {
            let mut found = favoured(&lines, slot, answer.as_bytes(), &words);
            found.sort_by_key(|(token, _)| *token);
            found
        };
        assert_eq!(at(Slot::Old, r#"{"old":""#), [(1, 4.0), (2, 4.0), (6, 1.0)]);
        assert_eq!(at(Slot::Old, r#"{"old":"limit"#), [(3, 4.0)]);
        assert_eq!(at(Slot::Anchor, r#"{"anchor":""#), [(0, 4.0), (1, 1.0), (2, 1.0), (6, 1.0)]);
        assert_eq!(at(Slot::Old, r#"{"old":"x"#), []);
        assert_eq!(at(Slot::Old, r#"{"old":"limited"#), [], "how a line ends is the model's");
        assert_eq!(at(Slot::New, r#"{"old":"x","new":""#), []);
        assert_eq!(at(Slot::Path, r#"{"path":""#), [(0, 4.0), (1, 1.0), (2, 1.0), (6, 1.0)], "a path is not trimmed either");
    }
}
