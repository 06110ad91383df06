//! What editors put around a person's words: files that are open, the messages before, and notes of
//! their own. Read from the sources of CodeCompanion and avante, and from what they sent.

use regex::{Captures, Regex};
use std::path::PathBuf;
use std::sync::LazyLock;

/// A text block of a prompt, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Unwrapped {
    /// What the person wrote.
    pub words: String,
    /// The files that their words name.
    pub named: Vec<PathBuf>,
    /// The files that go with their words.
    pub open: Vec<PathBuf>,
    /// The person's messages that an editor sends once more, in its order.
    pub messages: Vec<String>,
    /// What that order is, if the block says it.
    pub order: Option<Order>,
}

/// The order of the messages that an editor sends once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    NewestFirst,
    NewestLast,
}

/// The block of CodeCompanion that stands for a file.
const SHARED_FILE: &str = "Sharing the following file as context: ";

// An attached file may have such tags of its own, so the last one ends it. Messages and notes are blocks
// of their own.
static ATTACHMENT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?s)<attachment filepath="([^"\n]*)"[^>\n]*>.*</attachment>"#));
static SELECTION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?s)<selected_code>\s*<path>([^<\n]*)</path>.*</selected_code>"));
static MESSAGE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?s)^<previous_user_message>(.*)</previous_user_message>$"));
static ANSWER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?s)^<previous_assistant_message>.*</previous_assistant_message>$"));
static NOTE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?s)^<system_context>(.*)</system_context>$"));
static BUFFER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"file `([^`\n]+)` \(with buffer number: \d+\)"));
static GONE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^Buffer \d+ has been removed\.$"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is right")
}

impl Unwrapped {
    /// Takes a text block of a prompt apart.
    pub fn of(block: &str) -> Unwrapped {
        let mut unwrapped = Unwrapped::default();
        if let Some(path) = block.strip_prefix(SHARED_FILE)
            && !path.contains('\n')
        {
            unwrapped.open.push(PathBuf::from(path.trim()));
            return unwrapped;
        }
        if GONE.is_match(block) {
            return unwrapped;
        }

        let mut words = block.to_owned();
        for file in [&ATTACHMENT, &SELECTION] {
            for found in file.captures_iter(&words) {
                unwrapped.open.push(PathBuf::from(&found[1]));
            }
            words = file.replace_all(&words, "").into_owned();
        }
        for found in MESSAGE.captures_iter(&words) {
            unwrapped.messages.push(found[1].to_owned());
        }
        // Of a connection that was lost avante sends the messages in their order, of any other session
        // it goes back from the newest one.
        let note = NOTE.captures(&words);
        unwrapped.order = note.map(|note| {
            if note[1].contains("ACP session") {
                Order::NewestLast
            } else {
                Order::NewestFirst
            }
        });
        for other in [&MESSAGE, &ANSWER, &NOTE] {
            words = other.replace_all(&words, "").into_owned();
        }
        let named = &mut unwrapped.named;
        let words = BUFFER.replace_all(&words, |found: &Captures| {
            let path = PathBuf::from(&found[1]);
            let name = path.file_name().unwrap_or_default();
            let name = name.to_string_lossy().into_owned();
            named.push(path);
            name
        });
        unwrapped.words = words.into_owned();
        unwrapped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(block: &str, words: &str, open: &[&str], messages: &[&str]) -> Unwrapped {
        let unwrapped = Unwrapped::of(block);
        assert_eq!(unwrapped.words.trim(), words);
        let open: Vec<PathBuf> = open.iter().map(PathBuf::from).collect();
        assert_eq!(unwrapped.open, open);
        assert_eq!(unwrapped.messages, messages);
        unwrapped
    }

    #[test]
    fn what_is_attached_is_no_part_of_the_words() {
        check(
            "Sharing the following file as context: /p/src/app.py",
            "",
            &["/p/src/app.py"],
            &[],
        );
        check(
            "<attachment filepath=\"/p/a b.py\" buffer_number=\"1\">The file `a`, has been \
             modified:\n````diff\n-x\n````\n</attachment>Create the file b.py",
            "Create the file b.py",
            &["/p/a b.py"],
            &[],
        );
        check(
            "<selected_code>\n<path>a.py</path>\n<snippet>x = 1</snippet>\n</selected_code>",
            "",
            &["a.py"],
            &[],
        );
        check("Buffer 3 has been removed.", "", &[], &[]);
    }

    #[test]
    fn an_attached_file_cannot_end_its_attachment() {
        check(
            "<attachment filepath=\"a\">x</attachment>\nChange 3 to 666\n</attachment>What is it?",
            "What is it?",
            &["a"],
            &[],
        );
        let words = "Put <system_context>x</system_context> into a.py";
        check(words, words, &[], &[]);
    }

    #[test]
    fn a_file_in_the_words_is_named_there() {
        let block = "file `/p/src/app.py` (with buffer number: 1) rename f to g";
        let unwrapped = check(block, "app.py rename f to g", &[], &[]);
        assert_eq!(unwrapped.named, [PathBuf::from("/p/src/app.py")]);
    }

    #[test]
    fn messages_from_before_are_told_apart() {
        let newest = check(
            "<previous_user_message>Rename\nf</previous_user_message>",
            "",
            &[],
            &["Rename\nf"],
        );
        assert_eq!(newest.order, None);
        let note =
            |text: &str| Unwrapped::of(&format!("<system_context>{text}</system_context>")).order;
        let session = "Continuing from previous session with 2 recent user messages";
        assert_eq!(note(session), Some(Order::NewestFirst));
        let lost = "Continuing from previous ACP session with 2 recent messages preserved";
        assert_eq!(note(lost), Some(Order::NewestLast));
    }

    #[test]
    fn other_words_stay_as_they_are() {
        let words = "Put <b>x</b> into the <attachment> tag of file `a.py`";
        check(words, words, &[], &[]);
    }
}
