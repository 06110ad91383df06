//! Reading an answer that is not complete yet.

use super::names::Slot;

/// The beginning of an answer. It may end at any byte of a JSON object of strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialAnswer<'a> {
    /// Keys and values in order. The last value may be cut off.
    pairs: Vec<(String, String)>,
    /// See [`PartialAnswer::tail`].
    tail: Option<&'a [u8]>,
}

impl<'a> PartialAnswer<'a> {
    /// Reads a beginning. A string that is cut off within an escape reads as empty.
    pub fn read(answer: &'a [u8]) -> PartialAnswer<'a> {
        let mut strings = Vec::new();
        let mut n_complete = 0;
        let mut end_of_last = 0;
        while let Some(start) = answer[end_of_last..].iter().position(|&byte| byte == b'"') {
            let start = end_of_last + start;
            let Some(end) = end_of_string(answer, start) else {
                let string = [&answer[start..], b"\""].concat();
                strings.push(serde_json::from_slice(&string).unwrap_or_default());
                break;
            };
            strings.push(serde_json::from_slice(&answer[start..end]).unwrap_or_default());
            n_complete += 1;
            end_of_last = end;
        }

        let mut pairs = Vec::new();
        let mut strings = strings.into_iter();
        while let (Some(key), Some(value)) = (strings.next(), strings.next()) {
            pairs.push((key, value));
        }
        // Keys and values alternate, so an even number of strings ends with a value.
        let is_after_value = n_complete > 0 && n_complete % 2 == 0;
        let tail = is_after_value.then(|| &answer[end_of_last..]);
        PartialAnswer { pairs, tail }
    }

    /// The value of a slot, as far as it has been written.
    pub fn value(&self, slot: Slot) -> Option<&str> {
        let pair = self.pairs.iter().find(|(key, _)| key == slot.key());
        pair.map(|(_, value)| value.as_str())
    }

    /// The value of the first pair, as far as it has been written.
    pub fn first(&self) -> Option<&str> {
        self.pairs.first().map(|(_, value)| value.as_str())
    }

    /// The value of the last pair, as far as it has been written.
    pub fn last(&self) -> Option<&str> {
        self.pairs.last().map(|(_, value)| value.as_str())
    }

    /// The bytes after the closing quote of the last complete value: nothing, or the beginning of
    /// the next key. `None` within a value, between a key and its value, and before the first
    /// value.
    pub fn tail(&self) -> Option<&'a [u8]> {
        self.tail
    }
}

/// The offset after the closing quote of the JSON string that starts at `start`; `None` if the
/// string is cut off.
fn end_of_string(json: &[u8], start: usize) -> Option<usize> {
    let mut is_escaped = false;
    for (i, &byte) in json.iter().enumerate().skip(start + 1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return Some(i + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_an_unfinished_answer() {
        let values = |json: &'static str| -> Vec<String> {
            let answer = PartialAnswer::read(json.as_bytes());
            answer.pairs.into_iter().map(|(_, value)| value).collect()
        };
        assert_eq!(values(r#"{"old":"a\"b","new":"c\\"#), ["a\"b", "c\\"]);
        assert_eq!(
            values(r#"{"old":"a","new":"c\"#),
            ["a", ""],
            "in the middle of an escape"
        );
        assert_eq!(values(r#"{"ol"#), [""; 0]);
        assert_eq!(values(r#"{"old""#), [""; 0]);
        let answer = PartialAnswer::read(br#"{"old":"new","new":"b"#);
        assert_eq!(
            (answer.value(Slot::Old), answer.value(Slot::New)),
            (Some("new"), Some("b"))
        );
        assert_eq!((answer.first(), answer.last()), (Some("new"), Some("b")));
        assert_eq!(answer.value(Slot::Through), None);
    }

    #[test]
    fn the_tail_follows_a_complete_value() {
        let tail = |json: &'static str| PartialAnswer::read(json.as_bytes()).tail();
        for json in [
            "",
            "{",
            r#"{"ol"#,
            r#"{"old""#,
            r#"{"old":"#,
            r#"{"old":"a"#,
        ] {
            assert_eq!(tail(json), None, "{json}");
        }
        assert_eq!(tail(r#"{"old":"a\"""#), Some(&b""[..]));
        assert_eq!(tail(r#"{"old":"a","ne"#), Some(&br#","ne"#[..]));
        assert_eq!(tail(r#"{"old":"a","new""#), None);
    }
}
