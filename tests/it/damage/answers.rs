//! Whole answers with something beside the edit that is no request, or a second edit that is one.

use super::corpus::Corpus;
use super::meant::Meant;
use super::{Tally, from_environment, n_places};
use crate::support::random::Random;
use slotwright::apply::{self, InMemory};
use slotwright::format::Patch;
use std::collections::BTreeMap;

const KINDS: [&str; 4] = [
    "an example inside",
    "a draft thought",
    "a second frame",
    "an outer folder",
];

/// A file, an edit of it, and what it becomes.
struct Case {
    lines: Vec<String>,
    meant: Meant,
}

impl Case {
    fn of(random: &mut Random, corpus: &Corpus) -> Option<Case> {
        let lines = corpus.file(random);
        let meant = Meant::of(random, &lines);
        let is_plain = |line: &String| {
            let text = line.trim_start();
            let marks = [
                "```", "~~~", "<", ">", "=", "***", "---", "+++", "@@", "{", "[", "diff ",
            ];
            !marks.iter().any(|mark| text.starts_with(mark)) && !line.contains("\\")
        };
        let is_usual = meant.old.iter().chain(&meant.new).all(is_plain)
            && n_places(&lines, &meant.old) == 1
            && meant.old.iter().any(|line| !line.trim().is_empty())
            && !meant.new.is_empty();
        is_usual.then_some(Case { lines, meant })
    }

    fn before(&self) -> Vec<u8> {
        (self.lines.join("\n") + "\n").into_bytes()
    }

    fn after(&self) -> Vec<u8> {
        (self.meant.done(&self.lines).join("\n") + "\n").into_bytes()
    }

    /// The edit of the file in one of the formats.
    fn written(&self, random: &mut Random, path: &str) -> String {
        let (old, new) = (&self.meant.old, &self.meant.new);
        let marked = |mark: char, lines: &[String]| -> String {
            lines
                .iter()
                .flat_map(|line| [mark.to_string(), line.clone(), "\n".to_owned()])
                .collect()
        };
        match random.below(4) {
            0 => {
                let all = |lines: &[String]| -> String {
                    lines
                        .iter()
                        .flat_map(|line| [line.as_str(), "\n"])
                        .collect()
                };
                format!(
                    "{path}\n<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n",
                    all(old),
                    all(new)
                )
            }
            1 => {
                let (line, n_old, n_new) = (self.meant.from + 1, old.len(), new.len());
                format!(
                    "--- a/{path}\n+++ b/{path}\n@@ -{line},{n_old} +{line},{n_new} @@\n{}{}",
                    marked('-', old),
                    marked('+', new)
                )
            }
            2 => self.framed(random, path, 9),
            _ => {
                let edit = serde_json::json!({
                    "path": path, "old_string": old.join("\n"), "new_string": new.join("\n"),
                });
                [
                    format!("{edit}\n"),
                    format!("<tool_call>{edit}</tool_call>\n"),
                ][random.below(2)]
                .clone()
            }
        }
    }

    /// The edit as a Codex patch in one of the frames that models put around it.
    fn framed(&self, random: &mut Random, path: &str, quoting: usize) -> String {
        let marked = |mark: &str, lines: &[String]| -> String {
            lines.iter().map(|line| format!("{mark}{line}\n")).collect()
        };
        let (old, new) = (marked("-", &self.meant.old), marked("+", &self.meant.new));
        let body = format!("*** Update File: {path}\n@@\n{old}{new}");
        let patch = format!("*** Begin Patch\n{body}*** End Patch");
        match if quoting < 2 {
            quoting + 4
        } else {
            [0, 1, 2, 3, 6][random.below(5)]
        } {
            0 => format!("apply_patch <<'END-1'\n{patch}\nEND-1\n"),
            1 => format!("```bash\napply_patch <<\\EOF\n{patch}\nEOF\n```\n"),
            2 if !body.contains(['"', '$', '`']) => format!("apply_patch \"{patch}\"\n"),
            3 => format!("*** Begin Patch ***\n{body}*** End Patch ***\n"),
            4 => patch.lines().map(|line| format!("> {line}\n")).collect(),
            5 => patch.lines().map(|line| format!("    {line}\n")).collect(),
            _ => format!("{patch}\n"),
        }
    }
}

#[test]
fn whole_answers_are_read_as_they_are_meant() {
    let n_cases = from_environment("SLOTWRIGHT_CASES", 2_000) / 4;
    let random = &mut Random(from_environment("SLOTWRIGHT_SEED", 4) as u64);
    let corpus = Corpus::read();
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut n = 0;
    while n < n_cases {
        let cases = (Case::of(random, &corpus), Case::of(random, &corpus));
        let (Some(other), Some(case)) = cases else {
            continue;
        };
        let kind = *random.pick(&KINDS);
        n += 1;
        let (answer, before, expected) = answer(random, kind, &other, &case);
        let files = InMemory::from_iter(before.clone());
        let (after, is_warned) = match Patch::parse(&answer) {
            Ok(patch) => {
                let plan = apply::apply(&patch, None, &files);
                let has_failed = plan.failed().next().is_some();
                let mut after = before.clone();
                for file in plan.files.into_iter().filter(|_| !has_failed) {
                    after.extend(file.after.map(|bytes| (file.path, bytes)));
                }
                (after, !patch.not_read.is_empty())
            }
            Err(_) => (before.clone(), false),
        };
        let tally = tallies.entry(kind).or_default();
        tally.cases += 1;
        let result = if after == expected {
            tally.right += 1;
            "right"
        } else if after == before || is_warned {
            tally.refused += 1;
            "refused"
        } else {
            tally.wrong += 1;
            "wrong"
        };
        if std::env::var("SLOTWRIGHT_SHOW")
            .is_ok_and(|show| format!("{result} {kind}").contains(&show))
        {
            println!("--- {result} {kind}\n{answer}\n");
        }
    }
    for (kind, t) in &tallies {
        println!(
            "{kind:50} {:6} cases {:6} right {:6} refused {:6} wrong",
            t.cases, t.right, t.refused, t.wrong
        );
        assert_eq!(
            t.wrong, 0,
            "something was written that was not meant: {kind}"
        );
        assert!(
            t.right * 10 >= t.cases * 9,
            "less than nine tenths are read: {kind}"
        );
    }
}

type Tree = BTreeMap<String, Vec<u8>>;

/// An answer, the files before it, and the files that it means. It asks for the edit of `case`.
fn answer(random: &mut Random, kind: &str, other: &Case, case: &Case) -> (String, Tree, Tree) {
    let mut before: Tree = [
        ("src/a.txt".to_owned(), other.before()),
        ("src/b.txt".to_owned(), case.before()),
    ]
    .into();
    let mut expected = before.clone();
    expected.insert("src/b.txt".to_owned(), case.after());
    let request = case.written(random, "src/b.txt");
    let draft = other.written(random, "src/a.txt");
    let answer = match kind {
        "an example inside" => {
            let page =
                format!("# How to ask\n\nLike this:\n\n```text\n{draft}```\n\nThat is all.\n");
            let fence = [
                ("````markdown", "````"),
                ("~~~~", "~~~~"),
                ("`````md", "`````"),
            ];
            let (open, close) = fence[random.below(3)];
            let name = ["docs/ask.md\n", "### `docs/ask.md`\n\n"][random.below(2)];
            if random.below(2) == 0 {
                before.insert(
                    "docs/ask.md".to_owned(),
                    page.replace("Like", "As").into_bytes(),
                );
            }
            expected.insert("docs/ask.md".to_owned(), page.clone().into_bytes());
            let page = format!("{name}{open}\n{page}{close}\n");
            match random.below(2) {
                0 => format!("The page:\n\n{page}\nAnd the edit:\n\n{request}"),
                _ => format!("The edit:\n\n{request}\nAnd the page:\n\n{page}"),
            }
        }
        "a draft thought" => {
            let (open, close) = [
                ("<think>\n", "</think>\n"),
                ("<thinking>", "</thinking>\n"),
                ("", "\n</think>\n\n"),
                ("<reasoning>\nMaybe:\n\n", "No.</reasoning>"),
                (
                    "<|channel|>analysis<|message|>",
                    "<|end|><|start|>assistant<|channel|>final<|message|>",
                ),
            ][random.below(5)];
            format!("{open}{draft}{close}{request}")
        }
        "a second frame" => {
            expected.insert("src/a.txt".to_owned(), other.after());
            // An answer is indented or quoted as a whole.
            let quoting = random.below(5);
            let first = other.framed(random, "src/a.txt", quoting);
            let second = case.framed(random, "src/b.txt", quoting);
            let between = ["", "\nThen:\n\n", "\n\n"][random.below(3)];
            format!("{first}{between}{second}")
        }
        _ => {
            let outer = ["shop/", "/home/me/shop/", "~/shop/", "old/"][random.below(4)];
            let request = case.written(random, &format!("{outer}src/b.txt"));
            expected.insert("src/c.txt".to_owned(), b"made\n".to_vec());
            let made = match random.below(2) {
                0 => format!("{{\"path\": \"{outer}src/c.txt\", \"content\": \"made\\n\"}}\n"),
                _ => format!(
                    "*** Begin Patch\n*** Add File: {outer}src/c.txt\n+made\n*** End Patch\n"
                ),
            };
            format!("{request}\n{made}")
        }
    };
    (answer, before, expected)
}
