//! What a prompt asks for: its words, and the files that it mentions.

use super::session::Session;
use super::wrapped::{Order, Unwrapped};
use crate::app::arguments::LinePlace;
use crate::app::talk;
use agent_client_protocol::v1::schema::{ContentBlock, EmbeddedResourceResource};
use std::path::{Path, PathBuf};

/// What a prompt asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// Make the edit that this sentence asks for, in these files if there are any. `open`: files that
    /// go with it. `at`: the line of the only one that the person points at.
    Edit {
        sentence: String,
        files: Vec<PathBuf>,
        open: Vec<PathBuf>,
        at: Option<LinePlace>,
    },
    /// Nothing but an answer.
    Answer(String),
    /// Go on with the edits that were shown last.
    More,
    /// Change those edits as this sentence says, or add to them.
    Also(String),
    /// Apply the patch that follows, or what is attached.
    Apply {
        patch: String,
        attached: Vec<Attached>,
    },
    /// Take back an edit.
    Undo(UndoWish),
    /// Mend a bug, with this line for the shell as the test.
    Repair { command: String, issue: String },
}

/// A patch that is attached to `/apply`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Attached {
    Text(String),
    /// The absolute path of a file that has it.
    File(PathBuf),
}

/// What is to be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum UndoWish {
    /// What was written last.
    Last,
    /// The edit with this number in the folder's journal, if it is the last one.
    Number(u64),
    /// Nothing: show the numbers.
    List,
    /// These words say none of it.
    Unclear(String),
}

/// The commands: name, what it does, and what follows it.
pub(super) const COMMANDS: [(&str, &str, Option<&str>); 5] = [
    (
        "more",
        "The edits shown last are right, and one is missing: have the model go on",
        None,
    ),
    (
        "also",
        "Change the edits shown last, or add to them",
        Some("what else, or what otherwise: no, only in save()"),
    ),
    (
        "apply",
        "Apply a patch that another model wrote",
        Some("the patch, in any usual format"),
    ),
    (
        "undo",
        "Take back what was written last in this folder",
        Some("nothing, the number of the last edit, or list"),
    ),
    (
        "repair",
        "Mend a bug, proved by a test: it fails before the edit and passes after it",
        Some("the test command, and on the next line what is wrong"),
    ),
];

impl Wish {
    /// The folder of the session that it is about.
    pub fn folder(&self, session: &Session) -> PathBuf {
        match self {
            Wish::Edit { files, open, .. } if files.is_empty() => session.folder_of(open),
            Wish::Edit { files, .. } => session.folder_of(files),
            Wish::More | Wish::Also(_) | Wish::Undo(_) => session.last_folder(),
            Wish::Answer(_) | Wish::Apply { .. } | Wish::Repair { .. } => {
                session.own_folder().to_owned()
            }
        }
    }

    pub fn of(blocks: &[ContentBlock]) -> Wish {
        if let Some(attached) = attached_to_apply(blocks) {
            return Wish::Apply {
                patch: String::new(),
                attached,
            };
        }
        if let Some(patch) = pasted_after_apply(blocks) {
            return Wish::Apply {
                patch,
                attached: Vec::new(),
            };
        }
        let words = Words::of(blocks, Wrapping::Removed);
        let text = words.sentence();
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let argument = rest.trim();
        match word.to_lowercase().as_str() {
            "/more" => Wish::More,
            "/also" if !argument.is_empty() => Wish::Also(argument.to_owned()),
            "/undo" => Wish::Undo(UndoWish::of(argument)),
            "/repair" if argument.contains('\n') => {
                let (command, issue) = argument.split_once('\n').unwrap_or_default();
                Wish::Repair {
                    command: command.trim().to_owned(),
                    issue: issue.trim().to_owned(),
                }
            }
            "" | "/help" => Wish::Answer(help()),
            word if is_command(word) => Wish::Answer(help_with(word)),
            _ => match talk::answer(text) {
                Some(answer) => Wish::Answer(answer.to_owned()),
                None => Wish::Edit {
                    sentence: text.to_owned(),
                    files: words.files,
                    open: words.open,
                    at: words.at,
                },
            },
        }
    }
}

/// The patch in the words of `/apply`, byte for byte: what editors put around words may be a part of it.
fn pasted_after_apply(blocks: &[ContentBlock]) -> Option<String> {
    let words = Words::of(blocks, Wrapping::Kept).text;
    let (word, patch) = words.trim_start().split_once(char::is_whitespace)?;
    let is_patch = word.eq_ignore_ascii_case("/apply") && !patch.trim().is_empty();
    is_patch.then(|| patch.to_owned())
}

/// Whether a word is meant as a command: `/udno` is, and `/src/app.py` is not.
fn is_command(word: &str) -> bool {
    let name = word.strip_prefix('/').unwrap_or_default();
    !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

/// Says how a command is used, or that there is none of this name.
fn help_with(word: &str) -> String {
    let mut commands = COMMANDS.iter();
    let known = commands.find(|(name, ..)| word.strip_prefix('/') == Some(name));
    match known {
        Some((name, _, Some(argument))) => format!("After /{name} comes {argument}"),
        _ => format!("There is no command {word}.\n{}", help()),
    }
}

/// Says what can be written.
fn help() -> String {
    let mut help =
        "Say what is to change, as in: In config.py, change max_retries from 3 to 5. The \
                    edit is shown, and written when you say yes. Or:\n"
            .to_owned();
    for (name, description, _) in COMMANDS {
        help += &format!("- /{name}: {description}\n");
    }
    help
}

impl UndoWish {
    fn of(words: &str) -> UndoWish {
        match words {
            "" => UndoWish::Last,
            "list" => UndoWish::List,
            words => match words.parse() {
                Ok(number) => UndoWish::Number(number),
                Err(_) => UndoWish::Unclear(words.to_owned()),
            },
        }
    }
}

/// What becomes of the text that editors put around words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrapping {
    Kept,
    Removed,
}

/// The words of a prompt, and the files that go with them.
#[derive(Default)]
struct Words {
    text: String,
    /// Those that it mentions.
    files: Vec<PathBuf>,
    /// Those that stand before its words, or around them: some editors always send the open one.
    open: Vec<PathBuf>,
    /// The line of the only one that it mentions.
    at: Option<LinePlace>,
    /// The messages that it has once more.
    messages: Vec<String>,
    order: Option<Order>,
}

impl Words {
    fn of(blocks: &[ContentBlock], wrapping: Wrapping) -> Words {
        let mut words = Words::default();
        let mut is_after_text = false;
        for block in blocks {
            let is_text = matches!(block, ContentBlock::Text(_));
            if is_text && is_after_text && !words.text.ends_with('\n') {
                words.text.push('\n');
            }
            is_after_text = is_text;
            match block {
                ContentBlock::Text(block) if wrapping == Wrapping::Kept => {
                    add(&mut words.text, &block.text);
                }
                block => words.add(block),
            }
        }

        words.files.dedup();
        words.open.dedup();
        let n_files = words.files.len() + words.open.len();
        words.at = words.at.filter(|_| n_files == 1);
        words
    }

    /// What the person wrote last.
    fn sentence(&self) -> &str {
        let text = self.text.trim();
        if !text.is_empty() {
            return text;
        }
        let newest = match self.order {
            Some(Order::NewestLast) => self.messages.last(),
            Some(Order::NewestFirst) | None => self.messages.first(),
        };
        newest.map_or("", |message| message.trim())
    }

    fn add(&mut self, block: &ContentBlock) {
        match block {
            ContentBlock::Text(block) => {
                let unwrapped = Unwrapped::of(&block.text);
                add(&mut self.text, &unwrapped.words);
                self.files.extend(unwrapped.named);
                self.open.extend(unwrapped.open);
                self.messages.extend(unwrapped.messages);
                self.order = self.order.or(unwrapped.order);
            }
            ContentBlock::ResourceLink(link) => match file_of(&link.uri) {
                Some(path) => self.add_file(path, &link.uri),
                None => add(&mut self.text, &link.name),
            },
            ContentBlock::Resource(embedded) => {
                let EmbeddedResourceResource::TextResourceContents(contents) = &embedded.resource
                else {
                    return;
                };
                let Some(path) = file_of(&contents.uri) else {
                    self.text += &format!("\n{}\n", contents.text);
                    return;
                };
                // Its text is read where the others are, from the editor or from disk.
                self.add_file(path, &contents.uri);
            }
            _ => {} // images and sounds, which the program says that it does not take
        }
    }

    /// A file among the words is one that they mention. One before them goes with them.
    fn add_file(&mut self, path: PathBuf, uri: &str) {
        let at = line_of(uri).map(|line| LinePlace {
            path: path.to_string_lossy().into_owned(),
            line,
        });
        self.at = self.at.take().or(at);
        if self.text.trim().is_empty() {
            self.open.push(path);
        } else {
            add(&mut self.text, &mentioned(&path));
            self.files.push(path);
        }
    }
}

/// A prompt as its author sees it again.
pub(super) fn text_of(blocks: &[ContentBlock]) -> String {
    let words = Words::of(blocks, Wrapping::Removed);
    let open = words.open.iter().map(|path| mentioned(path));
    let open: Vec<String> = open.collect();
    if open.is_empty() {
        words.sentence().to_owned()
    } else {
        format!("{} ({})", words.sentence(), open.join(", "))
    }
}

/// What stands beside `/apply`, if the words have no patch themselves.
fn attached_to_apply(blocks: &[ContentBlock]) -> Option<Vec<Attached>> {
    let mut words = String::new();
    let mut attached = Vec::new();
    for block in blocks {
        match block {
            ContentBlock::Text(block) => words += &block.text,
            ContentBlock::ResourceLink(link) => {
                attached.extend(file_of(&link.uri).map(Attached::File));
            }
            ContentBlock::Resource(embedded) => match &embedded.resource {
                EmbeddedResourceResource::TextResourceContents(contents) => {
                    attached.push(Attached::Text(contents.text.clone()));
                }
                EmbeddedResourceResource::BlobResourceContents(contents) => {
                    attached.extend(file_of(&contents.uri).map(Attached::File));
                }
                _ => {}
            },
            _ => {}
        }
    }
    (words.trim() == "/apply" && !attached.is_empty()).then_some(attached)
}

/// Adds a piece of a sentence. Two words do not become one.
fn add(text: &mut String, piece: &str) {
    if text.ends_with(is_of_word) && piece.starts_with(is_of_word) {
        text.push(' ');
    }
    text.push_str(piece);
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What stands for a file in the sentence: its name.
fn mentioned(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The line of an address: of `#L3`, and the first one of `#L3:9` and `#L3-L9`.
fn line_of(uri: &str) -> Option<usize> {
    let (_, place) = uri.rsplit_once('#')?;
    let digits = place
        .strip_prefix('L')?
        .split(|c: char| !c.is_ascii_digit());
    digits
        .into_iter()
        .next()?
        .parse()
        .ok()
        .filter(|line| *line > 0)
}

/// The path of a `file:` address, without a place in the file.
fn file_of(uri: &str) -> Option<PathBuf> {
    let uri = reqwest::Url::parse(uri).ok()?;
    if uri.scheme() == "file" {
        uri.to_file_path().ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(blocks: serde_json::Value, expected: Wish) {
        let blocks: Vec<ContentBlock> = serde_json::from_value(blocks).unwrap();
        assert_eq!(Wish::of(&blocks), expected);
    }

    fn edit(sentence: &str, files: &[&str]) -> Wish {
        with_open(sentence, files, &[])
    }

    fn with_open(sentence: &str, files: &[&str], open: &[&str]) -> Wish {
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect();
        Wish::Edit {
            sentence: sentence.to_owned(),
            files: paths(files),
            open: paths(open),
            at: None,
        }
    }

    #[test]
    fn a_link_may_have_a_line() {
        let link = |uri: &str| json!({"type": "resource_link", "name": "x", "uri": uri.to_owned()});
        let text = json!({"type": "text", "text": "Change it in "});
        let line = |blocks: serde_json::Value| {
            let blocks: Vec<ContentBlock> = serde_json::from_value(blocks).unwrap();
            let Wish::Edit { at, .. } = Wish::of(&blocks) else {
                panic!("{blocks:?}")
            };
            at.map(|at| (at.path, at.line))
        };
        for (uri, expected) in [
            ("file:///p/a.py#L3", Some(3)),
            ("file:///p/a.py#L3:9", Some(3)),
            ("file:///p/a.py#L3-L9", Some(3)),
            ("file:///p/a.py?symbol=f#L12:14", Some(12)),
            ("file:///p/a.py#L0", None),
            ("file:///p/a.py#top", None),
            ("file:///p/a.py", None),
        ] {
            let expected = expected.map(|line| ("/p/a.py".to_owned(), line));
            assert_eq!(line(json!([link(uri), text])), expected, "{uri}");
            assert_eq!(line(json!([text, link(uri)])), expected, "{uri}");
        }
        let two = json!([link("file:///p/a.py#L3"), text, link("file:///p/b.py")]);
        assert_eq!(line(two), None, "it is not clear which file is meant");
    }

    fn patch(patch: &str) -> Wish {
        Wish::Apply {
            patch: patch.to_owned(),
            attached: Vec::new(),
        }
    }

    #[test]
    fn texts_are_joined_by_newlines() {
        let texts = |texts: &[&str]| {
            texts
                .iter()
                .map(|text| json!({"type": "text", "text": text}))
                .collect::<Vec<_>>()
        };
        check(
            json!(texts(&["/apply", "--- a/a.txt\n"])),
            patch("--- a/a.txt\n"),
        );
        check(json!(texts(&["/apply\n", "a", "b"])), patch("a\nb"));
        check(
            json!(texts(&["Rename a to b.", "Also c."])),
            edit("Rename a to b.\nAlso c.", &[]),
        );
        let issue = Wish::Repair {
            command: "make".to_owned(),
            issue: "It fails".to_owned(),
        };
        check(json!(texts(&["/repair make", "It fails"])), issue);
        check(
            json!(texts(&["/undo", "3"])),
            Wish::Undo(UndoWish::Number(3)),
        );
    }

    #[test]
    fn what_is_attached_to_apply_is_the_patch() {
        let command = json!({"type": "text", "text": "/apply "});
        let link = json!({"type": "resource_link", "name": "p", "uri": "file:///p/fix.patch"});
        let resource =
            |uri: &str| json!({"type": "resource", "resource": {"uri": uri, "text": "x"}});
        let attached = |attached: &[Attached]| Wish::Apply {
            patch: String::new(),
            attached: attached.to_vec(),
        };
        let file = Attached::File(PathBuf::from("/p/fix.patch"));
        let text = Attached::Text("x".to_owned());
        check(
            json!([command, link]),
            attached(std::slice::from_ref(&file)),
        );
        check(
            json!([link, command]),
            attached(std::slice::from_ref(&file)),
        );
        check(
            json!([command, resource("file:///p/fix.patch")]),
            attached(std::slice::from_ref(&text)),
        );
        check(
            json!([command, resource("zed:///selection")]),
            attached(std::slice::from_ref(&text)),
        );
        check(
            json!([command, link, resource("file:///q")]),
            attached(&[file, text]),
        );
        // A file beside a patch is one that the patch is about.
        let patched = json!({"type": "text", "text": "\n```\nx\n```"});
        check(
            json!([command, link, patched]),
            patch("fix.patch\n```\nx\n```"),
        );
    }

    #[test]
    fn mentions_are_files_and_stay_in_the_sentence() {
        check(
            json!([{"type": "text", "text": " Rename a to b "}]),
            edit("Rename a to b", &[]),
        );
        check(
            json!([
                {"type": "text", "text": "In "},
                {"type": "resource_link", "name": "x", "uri": "file:///p/my%20tool.py#L3"},
                {"type": "text", "text": ", rename a to b"},
            ]),
            Wish::Edit {
                sentence: "In my tool.py, rename a to b".to_owned(),
                files: vec![PathBuf::from("/p/my tool.py")],
                open: Vec::new(),
                at: "/p/my tool.py:3".parse().ok(),
            },
        );
        check(
            json!([
                {"type": "resource", "resource": {"uri": "file:///p/a.py", "text": "x = 1"}},
                {"type": "text", "text": "Change x to 2"},
            ]),
            with_open("Change x to 2", &[], &["/p/a.py"]),
        );
        check(
            json!([
                {"type": "text", "text": "Change x to 2 in"},
                {"type": "resource", "resource": {"uri": "file:///p/a.py", "text": "x = 1"}},
            ]),
            edit("Change x to 2 in a.py", &["/p/a.py"]),
        );
        check(
            json!([{"type": "resource_link", "name": "the page", "uri": "https://a.example/b"}]),
            edit("the page", &[]),
        );
    }

    #[test]
    fn commands_are_first_words() {
        let text = |text: &str| json!([{"type": "text", "text": text}]);
        check(text("/more"), Wish::More);
        check(text("/also in b.py "), Wish::Also("in b.py".to_owned()));
        check(text("/More of it"), Wish::More);
        check(
            text("/src/app.py is wrong"),
            edit("/src/app.py is wrong", &[]),
        );
        check(text("/undo"), Wish::Undo(UndoWish::Last));
        check(text("/undo 12 "), Wish::Undo(UndoWish::Number(12)));
        check(text("/undo list"), Wish::Undo(UndoWish::List));
        check(
            text("/undo that"),
            Wish::Undo(UndoWish::Unclear("that".to_owned())),
        );
        check(text("/apply a.py\n```\nx\n```"), patch("a.py\n```\nx\n```"));
        let repair = |command: &str, issue: &str| Wish::Repair {
            command: command.to_owned(),
            issue: issue.to_owned(),
        };
        check(
            text("/repair make test\nIt is wrong"),
            repair("make test", "It is wrong"),
        );
        for word in ["/repair make test", "/etc is no command", "/also", "/apply"] {
            let name = word.split(' ').next().unwrap();
            check(text(word), Wish::Answer(help_with(name)));
        }
        check(text("/help me"), Wish::Answer(help()));
        check(
            text("say /undo in help.txt"),
            edit("say /undo in help.txt", &[]),
        );
    }
}
