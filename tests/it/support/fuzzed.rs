//! What must hold for any text, whoever wrote it: nothing panics, and what is to be written can be
//! written. Used by the fuzz targets (`fuzz/`) and, with a bounded number of texts, by
//! `bounded_fuzz.rs`.

use slotwright::apply::{self, InMemory, Plan};
use slotwright::diff::{Choice, Hunks, to_type, typed};
use slotwright::edit::Replacement;
use slotwright::format::{Format, Patch};
use slotwright::hunk::{Count, Hunk};
use slotwright::locate::Haystack;
use slotwright::locate::miss::Miss;
use slotwright::locate::{Lookup, locate};
use slotwright::syntax::{Language, breaks, highlights};
use slotwright::text::Text;

/// Names and lines that random patches may hit.
fn small() -> InMemory {
    InMemory::from_iter([
        ("a", b"a\n\n    a\nb\n\tb\n}\n" as &[u8]),
        ("a.txt", b"one\r\ntwo\nthree"),
        (
            "b.py",
            "def f(x):\n    return \u{201c}x\u{201d}\n".as_bytes(),
        ),
        ("sub/c.txt", b"\xff\xfea\0\n\0"),
        ("sub/latin", b"\xe4\n\xf6\n"),
        ("empty", b""),
    ])
}

/// A patch is applied and taken back.
pub fn patch(patch: &Patch, files: &InMemory) {
    let n_edits = patch.file_edits().count();
    assert!(n_edits > 0);
    for file in [None, Some("a"), Some("empty")] {
        let Plan { outcomes, .. } = apply::apply(patch, file, files);
        assert_eq!(outcomes.len(), n_edits);
    }
    if let Some(reversed) = patch.reversed() {
        let _ = apply::apply(&reversed, Some("a"), files);
    }
}

/// A text is read as one format.
pub fn format(format: Format, data: &[u8]) {
    if let Ok(read) = format.parse(&String::from_utf8_lossy(data)) {
        patch(&read, &small());
    }
}

pub fn search_replace(data: &[u8]) {
    format(Format::SearchReplace, data);
}

pub fn codex(data: &[u8]) {
    format(Format::Codex, data);
}

pub fn unified(data: &[u8]) {
    format(Format::Unified, data);
}

pub fn json(data: &[u8]) {
    format(Format::Json, data);
}

pub fn whole_file(data: &[u8]) {
    format(Format::WholeFile, data);
}

pub fn context(data: &[u8]) {
    format(Format::Context, data);
}

pub fn normal(data: &[u8]) {
    format(Format::Normal, data);
}

pub fn ed(data: &[u8]) {
    format(Format::Ed, data);
}

pub fn rcs(data: &[u8]) {
    format(Format::Rcs, data);
}

/// A text is read as whatever it is.
pub fn any_format(data: &[u8]) {
    if let Ok(read) = Patch::parse(&String::from_utf8_lossy(data)) {
        patch(&read, &small());
    }
}

/// An answer made of pieces of several formats. Its parts follow each other, and every edit has its
/// line.
pub fn mixed(data: &[u8]) {
    const WHOLE: [&str; 17] = [
        "<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n",
        "c.txt\n<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n",
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n",
        "diff --git a/b.py b/c.py\ncopy from b.py\ncopy to c.py\n",
        "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n",
        "diff --git a/x b/x\nGIT binary patch\nliteral 0\n",
        "*** Begin Patch\n*** Update File: a.txt\n@@\n-three\n+3\n*** End Patch\n",
        "{\"path\": \"a.txt\", \"old_string\": \"two\", \"new_string\": \"2\"}\n",
        "```\n*** a.txt\n--- a.txt\n***************\n*** 1 ****\n! one\n--- 1 ----\n! 1\n```\n",
        "```diff\n@@ ... @@\n-two\n+2\n```\n",
        "### b.py (modified)\n````python\ndef f(x):\n    return x\n````\n",
        "a.txt\n```\none\n... existing code ...\n```\n",
        "```sh\nrun it\n```\n",
        "In `sub/c.txt`:\n",
        "As in a.txt, `b.py` has one.\n",
        "empty\n",
        "\n",
    ];
    const BROKEN: [&str; 10] = [
        "<<<<<<< SEARCH\n",
        "=======\n",
        ">>>>>>> REPLACE\n",
        "@@ ... @@\n-two\n+2\n",
        "*** Begin Patch\n",
        "*** End Patch\n",
        "[{\"path\": \"new\", \"content\": \"x\"},\n",
        "```\n",
        "```diff\n",
        "````python\n",
    ];
    // Most pieces are whole, and the answers are short: nearly any other is refused.
    let piece = |byte: &u8| match usize::from(*byte) {
        byte if byte < 240 => WHOLE[byte % WHOLE.len()],
        byte => BROKEN[byte % BROKEN.len()],
    };
    let text: String = data.iter().take(20).map(piece).collect();
    let Ok(read) = Patch::parse(&text) else {
        return;
    };
    let mut above = 1;
    for part in &read.parts {
        let lines = || part.file_edits.iter().map(|file_edit| file_edit.line);
        assert!(lines().all(|line| above <= line), "{read:?} of {text}");
        above = lines().max().expect("a part has an edit");
    }
    assert!(above <= text.lines().count(), "{read:?} of {text}");
    patch(&read, &small());
}

/// A file, what is searched and what it becomes, with NUL bytes between them; the first byte says
/// how it is searched.
pub fn locate_in(data: &[u8]) {
    let (&how, data) = data.split_first().unwrap_or((&0, &[]));
    let [file, old, new] = texts(data);
    let mut hunk = match how % 2 {
        0 => Hunk::of_text(&old, &new),
        _ => Hunk::of_lines(
            &old.split('\n').collect::<Vec<_>>(),
            &new.split('\n').collect::<Vec<_>>(),
        ),
    };
    hunk.count = [Count::One, Count::One, Count::All, Count::Exactly(2)][usize::from(how / 2 % 4)];
    if how & 8 != 0 {
        hunk.hints.line = Some(usize::from(how / 16));
    }
    if let Ok(text) = Text::decode(file.into_bytes()) {
        let _ = one(&text, &hunk);
    }
}

/// What a hunk makes of a text, if it can be made: whatever is to be done can be done, and touches
/// nothing else.
pub fn one(text: &Text, hunk: &Hunk) -> Result<String, Miss> {
    let haystack = Haystack::new("a.py", text);
    let replacements = match locate(&haystack, hunk) {
        Ok(Lookup::Here(located)) => located.replacements,
        Ok(Lookup::AlreadyThere(_)) => Vec::new(),
        Err(miss) => {
            assert!(!miss.explained().is_empty());
            return Err(miss);
        }
    };
    let shown = text.shown();
    let mut end = 0;
    for Replacement { range, .. } in &replacements {
        assert!(
            range.start >= end && range.end >= range.start,
            "sorted and disjoint: {replacements:?}"
        );
        assert!(
            shown.is_char_boundary(range.start) && shown.is_char_boundary(range.end),
            "{range:?}"
        );
        end = range.end;
    }
    let replaced = replacements
        .iter()
        .map(|r| (r.range.clone(), r.new.as_str()));
    Ok(String::from_utf8_lossy(&text.splice(replaced).expect("it is UTF-8")).into_owned())
}

/// One file of each language that is parsed.
const CODE: [&str; 20] = [
    "a.sh", "a.c", "a.cpp", "a.cs", "a.css", "a.go", "a.html", "a.java", "a.js", "a.json", "a.kt",
    "a.php", "a.py", "a.rb", "a.rs", "a.swift", "a.toml", "a.tsx", "a.ts", "a.yaml",
];

/// Texts with NUL bytes between them, as text.
fn texts<const N: usize>(data: &[u8]) -> [String; N] {
    let mut parts = data
        .splitn(N, |&byte| byte == 0)
        .map(|part| String::from_utf8_lossy(part).replace('\0', " "));
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

/// Code before and after a change; the first byte says in which language, and whether it is
/// coloured too.
pub fn syntax(data: &[u8]) {
    let (&how, data) = data.split_first().unwrap_or((&0, &[]));
    let path = CODE[usize::from(how) % CODE.len()];
    let [before, after] = texts(data);
    if let Some(found) = breaks(path, Some(&before), &after) {
        assert!(
            found.line <= after.lines().count() + 1,
            "{found:?} of {after}"
        );
    }
    assert_eq!(breaks(path, Some(&after), &after), None, "nothing changed");
    let language = Language::of(path).expect("each is of a language");
    if how >= 250 {
        let mut end = 0;
        for (part, _) in highlights(language, &after, 0..after.len()) {
            assert!(end <= part.start && part.start < part.end && part.end <= after.len());
            end = part.end;
        }
    }
}

/// A file before and after a change, and what a person types in place of it.
pub fn review(data: &[u8]) {
    let [before, after, by_person] = texts(data);
    let Ok(text) = Text::decode(before.clone().into_bytes()) else {
        return;
    };
    let hunks = Hunks::of(Some(&text), after.as_bytes());
    let n = hunks.hunks().len();
    assert_eq!(
        hunks.chosen(&vec![Choice::Take; n]).unwrap(),
        after.as_bytes()
    );
    assert_eq!(
        hunks.chosen(&vec![Choice::Leave; n]).unwrap(),
        before.as_bytes()
    );
    for hunk in hunks.hunks() {
        let text = hunks.new_text(hunk);
        assert_eq!(typed(&text, &to_type(&text)), text, "nothing was typed");
        let _ = typed(&text, &by_person);
    }
}
