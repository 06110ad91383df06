//! What the bundled model is trained on is what the program asks it: `examples/render_tasks` gives the prompts and
//! answers of training, and here the flow is asked the same tasks and given those answers.

mod support;

use slotwright::engine::tokenizer::Tokenizer;
use slotwright::engine::{ModelInfo, Part, Request};
use slotwright::flow::{self, Asking, Verdict};
use slotwright::prompt::Profile;
use slotwright::slots::Reason;
use slotwright::task::Task;
use slotwright::workspace::Workspace;
use std::path::PathBuf;
use std::process::Command;
use support::folder;
use support::models::{self, Recipe};

const FILE: &str =
    "import os\n\n\ndef load(path):\n    retries = 3\n    return path\n\n\ndef save(path):\n    print(path)\n    return path\n";

/// A task, what becomes of [`FILE`], and the answers that are taught.
struct Lesson {
    json: serde_json::Value,
    after: Option<String>,
    answers: Vec<&'static str>,
}

fn lessons() -> Vec<Lesson> {
    let edit = |task: &str, (old, new): (&str, &str), answers: [&'static str; 2]| {
        let after = FILE.replacen(old, new, 1);
        assert_ne!(after, FILE);
        let json = serde_json::json!({ "task": task, "path": "src/store.py", "after": after, "pick": true });
        Lesson { json, after: Some(after), answers: answers.to_vec() }
    };
    const REPLACE: &str = r#"{"path":"src/store.py","operation":"replace"}"#;
    const INSERT: &str = r#"{"path":"src/store.py","operation":"insert"}"#;
    let mut lessons = vec![
        edit("Set retries to 5", ("retries = 3", "retries = 5"), [REPLACE, r#"{"old":"retries = 3","new":"retries = 5"}"#]),
        edit("Remove the print", ("    print(path)\n", ""), [REPLACE, r#"{"old":"print(path)","new":""}"#]),
        edit(
            "Remove load",
            ("def load(path):\n    retries = 3\n    return path\n\n\n", ""),
            [REPLACE, r#"{"old":"def load(path):","through":"    return path","new":""}"#],
        ),
        edit(
            "Make load async",
            ("def load", "async def load"),
            [REPLACE, r#"{"old":"def load(path):","new":"async def load(path):"}"#],
        ),
        edit(
            "In save, return None",
            ("print(path)\n    return path", "print(path)\n    return None"),
            [REPLACE, r#"{"old":"return path","place":"save, line 11","new":"return None"}"#],
        ),
        edit(
            "Import sys after os",
            ("import os\n", "import os\nimport sys\n"),
            [INSERT, r#"{"anchor":"import os","position":"after","text":"import sys"}"#],
        ),
        edit(
            "Add a comment above save: writes it",
            ("def save", "# writes it\ndef save"),
            [INSERT, r##"{"anchor":"def save(path):","position":"before","text":"# writes it"}"##],
        ),
        edit(
            "The first thing that load does is to check the path",
            ("    retries", "    check(path)\n    retries"),
            [INSERT, r#"{"anchor":"def load(path):","position":"after","text":"check(path)"}"#],
        ),
    ];
    let everywhere = FILE.replace("path", "name");
    lessons.push(Lesson {
        json: serde_json::json!({
            "task": "Rename path to name", "path": "src/store.py", "after": everywhere, "all": ["path", "name"], "pick": true
        }),
        after: Some(everywhere),
        answers: vec![r#"{"path":"src/store.py","operation":"replace_all"}"#, r#"{"old":"path","new":"name"}"#],
    });
    lessons.push(Lesson {
        json: serde_json::json!({ "task": "Create b.py with x = 1", "path": "b.py", "after": "x = 1\n", "create": true, "pick": true }),
        after: Some("x = 1\n".to_owned()),
        answers: vec![r#"{"operation":"create"}"#, r#"{"path":"b.py","text":"x = 1"}"#],
    });
    lessons.push(Lesson {
        json: serde_json::json!({ "task": "Make the boat faster", "decline": Reason::NotInTheseFiles, "pick": true }),
        after: None,
        answers: vec![r#"{"operation":"none","reason":"not_in_these_files"}"#],
    });
    lessons
}

fn files() -> [(&'static str, &'static [u8]); 2] {
    [("src/store.py", FILE.as_bytes()), ("README.md", b"# Store\n\nIt keeps paths.\n")]
}

/// Runs the example on the lessons as one group; gives its standard output.
fn render(folder: &std::path::Path, out: &str) -> String {
    let vocabulary = folder.join("vocabulary.gguf");
    models::write(&vocabulary, &Recipe { has_weights: false, ..Recipe::default() });
    let tasks: Vec<_> = lessons().into_iter().map(|lesson| lesson.json).collect();
    let files: serde_json::Map<String, serde_json::Value> =
        files().iter().map(|(path, text)| (path.to_string(), String::from_utf8_lossy(text).into())).collect();
    let group = folder.join("tasks.jsonl");
    std::fs::write(&group, serde_json::json!({ "files": files, "tasks": tasks }).to_string()).unwrap();
    let program = PathBuf::from(std::env::current_exe().unwrap().ancestors().nth(2).unwrap()).join("examples/render_tasks");
    let run = Command::new(program).arg(vocabulary).arg(group).arg(out).output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "{said}");
    assert!(said.trim_end().ends_with("left out:"), "nothing is left out: {said}");
    String::from_utf8(run.stdout).unwrap()
}

/// What the flow asks when it is given these answers, and what comes of it.
async fn asked(lesson: &Lesson) -> (Vec<Request>, Verdict) {
    let dir = folder(&files());
    let workspace = Workspace::open(dir.path()).unwrap();
    let model = ModelInfo { context_tokens: 2_560, profile: Some("compact-4".to_owned()), ..ModelInfo::default() };
    let asking = Asking { weighs_answers: false, ..Asking::new(Profile::of(&model).unwrap().0) };
    let mut engine = slotwright::engine::scripted::ScriptedEngine::new(model, lesson.answers.iter().copied());
    let task = Task::new(lesson.json["task"].as_str().unwrap(), vec![]).unwrap();
    let outcome = flow::edit(&task, &workspace, &asking, &mut engine, &mut |_| {}).await.unwrap();
    (engine.requests, outcome.verdict)
}

#[tokio::test]
async fn training_asks_what_the_program_asks() {
    let dir = tempfile::tempdir().unwrap();
    let rendered = render(dir.path(), "--text");
    let mut rendered = rendered.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    for lesson in lessons() {
        let (requests, verdict) = asked(&lesson).await;
        match (verdict, &lesson.after) {
            (Verdict::Proposed(patched), Some(after)) => assert_eq!(String::from_utf8(patched.after).unwrap(), *after),
            (Verdict::Declined(reason), None) => assert_eq!(reason, Reason::NotInTheseFiles),
            (other, _) => panic!("{}: {other:?}", lesson.json["task"]),
        }
        assert_eq!(requests.len(), lesson.answers.len());
        for (request, answer) in requests.iter().zip(&lesson.answers) {
            let spelled: String = request.prompt.iter().map(|(Part::Control(text) | Part::Text(text))| text.as_str()).collect();
            let taught = rendered.next().expect("a question more");
            assert_eq!(taught["prompt"], spelled);
            assert_eq!(taught["answer"], **answer, "{}", lesson.json["task"]);
        }
    }
    assert!(rendered.next().is_none());
}

#[tokio::test]
async fn training_spells_it_in_the_same_tokens() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out.bin");
    render(dir.path(), out.to_str().unwrap());
    let bytes = std::fs::read(out).unwrap();
    let mut numbers = bytes.chunks_exact(2).map(|two| u32::from(u16::from_le_bytes([two[0], two[1]])));
    let mut take = |n: u32| -> Vec<u32> { numbers.by_ref().take(n as usize).collect() };
    let mut written: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
    while let [n_prefix, n_suffixes] = take(2)[..] {
        let prefix = take(n_prefix);
        for _ in 0..n_suffixes {
            let lengths = take(2);
            let question = take(lengths[0]);
            written.push(([prefix.clone(), question].concat(), take(lengths[1])));
        }
    }
    let tokenizer = Tokenizer::load(&dir.path().join("vocabulary.gguf")).unwrap();
    let end = tokenizer.prompt(&[Part::Control("<|end|>".to_owned())]);
    assert_eq!(end.len(), 1, "a control token");
    let mut n = 0;
    for lesson in lessons() {
        let (requests, _) = asked(&lesson).await;
        for (request, answer) in requests.iter().zip(&lesson.answers) {
            let pair = (tokenizer.prompt(&request.prompt), [tokenizer.text(answer), end.clone()].concat());
            assert!(written.contains(&pair), "{}: {answer}", lesson.json["task"]);
            n += 1;
        }
    }
    assert_eq!(written.len(), n);
}
