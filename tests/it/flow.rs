//! The pipeline with answers given beforehand: what it asks, and what it makes of each kind of
//! answer.

use crate::support::{ask, folder, is_let_through};
use slotwright::constrain::{SlotSpec, Spec};
use slotwright::engine::MESSAGES;
use slotwright::engine::scripted::ScriptedEngine;
use slotwright::engine::{Answer, End, Engine, EngineError, ModelInfo, Part, Progress, Request};
use slotwright::flow::{FlowError, GenerateOptions, Outcome, Verdict};
use slotwright::prompt::Profile;
use slotwright::review;
use slotwright::search::SearchError;
use slotwright::slots::{FilePick, Operation, Pick, Reason};
use slotwright::task::{Context, Task};
use slotwright::workspace::{Change, CommitError, Workspace};

const FILES: &[(&str, &[u8])] = &[
    (
        "src/a.py",
        b"def load(path):\n    return path\n\n\ndef save(path):\n    return path\n",
    ),
    ("b.txt", b"nothing\n"),
];

fn model(profile: Option<&str>) -> ModelInfo {
    ModelInfo {
        context_tokens: 4_096,
        profile: profile.map(str::to_owned),
        ..ModelInfo::default()
    }
}

/// Runs a task on files with these answers; every one of them must be one that the constraint lets
/// through.
async fn run(
    files: &[(&str, &[u8])],
    profile: Option<&str>,
    task: &str,
    answers: &[&str],
) -> (Result<Outcome, FlowError>, ScriptedEngine) {
    let dir = folder(files);
    let workspace = Workspace::open(dir.path()).unwrap();
    let mut engine = ScriptedEngine::new(model(profile), answers.iter().copied());
    let (profile, _) = Profile::of(&model(profile)).unwrap();
    let options = GenerateOptions::new(profile);
    let outcome = ask(
        &Task::new(task, vec![]).unwrap(),
        &workspace,
        options,
        &mut engine,
    )
    .await;
    for (request, answer) in engine.requests.iter().zip(answers) {
        assert!(
            is_let_through(request, answer),
            "the constraint does not let {answer} through"
        );
    }
    (outcome, engine)
}

/// The file after a task with these answers.
#[track_caller]
fn patched(outcome: (Result<Outcome, FlowError>, ScriptedEngine)) -> (String, String) {
    match outcome.0.unwrap().verdict {
        Verdict::Proposed(patched) => (patched.path, String::from_utf8(patched.after).unwrap()),
        other => panic!("{other:?}"),
    }
}

/// The slots that the n-th request asks for.
fn slots_of(engine: &ScriptedEngine, n: usize) -> &SlotSpec {
    let Spec::Slots(spec) = &engine.requests[n].spec else {
        panic!("no slots are asked for")
    };
    spec
}

fn text_of(parts: &[Part]) -> String {
    parts
        .iter()
        .map(|part| match part {
            Part::Control(text) | Part::Text(text) => text.as_str(),
        })
        .collect()
}

#[tokio::test]
async fn a_file_of_one_long_word_is_shown_whole() {
    // One word is never cut.
    let long = "a".repeat(612);
    let replace = r#"{"path":"a.py","operation":"replace"}"#;
    let slots = format!(r#"{{"old":"{long}","new":"b"}}"#);
    let file = FilePick {
        path: "a.py".to_owned(),
        operation: Operation::Replace,
    };
    for pick in [None, Some(Pick::File(file))] {
        let dir = folder(&[("a.py", long.as_bytes())]);
        let workspace = Workspace::open(dir.path()).unwrap();
        let mut engine = ScriptedEngine::new(model(Some("compact-4")), []);
        if pick.is_none() {
            engine.push(replace, End::Complete);
        }
        engine.push(&slots, End::Complete);
        let profile = Profile::of(&model(Some("compact-4"))).unwrap().0;
        let options = GenerateOptions {
            pick,
            ..GenerateOptions::new(profile)
        };
        let task = Task::new("Put a b there", vec![]).unwrap();
        let outcome = ask(&task, &workspace, options.clone(), &mut engine)
            .await
            .unwrap();
        let Verdict::Proposed(patched) = &outcome.verdict else {
            panic!("{:?}", outcome.verdict)
        };
        assert_eq!(patched.after, b"b");
    }
}

#[tokio::test]
async fn the_list_is_in_the_order_of_the_search() {
    let files: &[(&str, &[u8])] = &[
        ("a.py", b"x = 1\n"),
        ("b.py", b"limit = 3\n"),
        ("z.py", b"limit = limit_of(b)\n"),
    ];
    for profile in [None, Some("compact-4")] {
        let (_, engine) = run(files, profile, "Raise the limit to 5", &[]).await;
        let SlotSpec::Pick { files, .. } = slots_of(&engine, 0) else {
            panic!()
        };
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["b.py", "z.py", "a.py"]);
        let prompt = text_of(&engine.requests[0].prompt);
        assert!(
            prompt.find("b.py").unwrap() < prompt.find("a.py").unwrap(),
            "{prompt}"
        );
    }
}

#[tokio::test]
async fn two_questions_make_an_edit() {
    let pick = r#"{"path":"src/a.py","operation":"replace"}"#;
    let slots = r#"{"old":"return path","place":"save, line 6","new":"return None"}"#;
    let (outcome, engine) = run(
        FILES,
        Some("compact-4"),
        "Make save return None",
        &[pick, slots],
    )
    .await;
    assert_eq!(
        engine
            .requests
            .iter()
            .map(|r| text_of(&r.prompt))
            .collect::<Vec<_>>(),
        [
            "<|file|>src/a.py\ndef load(path):\n    return path\
             \n\n\ndef save(path):\n    return path\
             <|pick|>src/a.py\treturn save\nb.txt<|task|>Make save return None\
             <|lines|>save\tdef save(path):\
             \nsave, line 6\t    return path\nload, line 2\t    return path<|answer|>",
            "<|file|>src/a.py\ndef load(path):\n    return path\
             \n\n\ndef save(path):\n    return path\
             <|task|>Make save return None\
             <|lines|>save\tdef save(path):\
             \nsave, line 6\t    return path\nload, line 2\t    return path<|replace|>",
        ]
    );
    let outcome = outcome.unwrap();
    assert_eq!(
        outcome.stages.iter().map(|s| s.name).collect::<Vec<_>>(),
        ["pick", "replace"]
    );
    let Verdict::Proposed(patched) = outcome.verdict else {
        panic!("{:?}", outcome.verdict)
    };
    assert_eq!(
        patched.after,
        b"def load(path):\n    return path\n\n\ndef save(path):\n    return None\n"
    );
}

#[tokio::test]
async fn every_operation() {
    let all = run(
        FILES,
        None,
        "x",
        &[
            r#"{"path":"src/a.py","operation":"replace_all"}"#,
            r#"{"old":"path","new":"file"}"#,
        ],
    )
    .await;
    assert!(!patched(all).1.contains("path"));
    // Models that were trained for it say the side after the line, others before it.
    for (profile, insert) in [
        (
            Some("compact-4"),
            concat!(
                r#"{"anchor":"    return path","place":"load, line 2","#,
                r#""position":"before","text":"check(path)"}"#
            ),
        ),
        (
            None,
            concat!(
                r#"{"position":"above","anchor":"    return path","place":"load, line 2","#,
                r#""text":"check(path)"}"#
            ),
        ),
    ] {
        let pick = r#"{"path":"src/a.py","operation":"insert"}"#;
        let inserted = run(FILES, profile, "x", &[pick, insert]).await;
        let expected = "def load(path):\n    check(path)\n    return path\n";
        assert!(patched(inserted).1.starts_with(expected));
    }
    let created = run(
        FILES,
        None,
        "x",
        &[
            r#"{"operation":"create"}"#,
            r#"{"path":"src/c.py","text":"import a"}"#,
        ],
    )
    .await;
    assert_eq!(
        patched(created),
        ("src/c.py".to_owned(), "import a\n".to_owned())
    );
}

#[tokio::test]
async fn a_rename_of_the_definition_alone_is_completed_where_the_task_has_both_names() {
    const FILES: &[(&str, &[u8])] = &[("src/a.js", b"const ROWS = 28;\ndraw(ROWS);\n")];
    let slots = r#"{"old":"ROWS = 28","new":"LANES = 28"}"#;
    for operation in ["replace", "rename"] {
        let pick = format!(r#"{{"path":"src/a.js","operation":"{operation}"}}"#);
        for (task, expected) in [
            (
                "ROWS should be called LANES.",
                "const LANES = 28;\ndraw(LANES);\n",
            ),
            (
                "ROWS needs a better name",
                "const LANES = 28;\ndraw(ROWS);\n",
            ),
        ] {
            let outcome = run(FILES, None, task, &[&pick, slots]).await;
            assert_eq!(patched(outcome).1, expected, "{task}");
        }
    }
}

#[tokio::test]
async fn a_block_is_named_by_its_ends() {
    const FILES: &[(&str, &[u8])] = &[(
        "src/a.py",
        b"def load(path):\n    check(path)\n    x = 1\n    return path\n\n\ndef save(path):\n    pass\n",
    )];
    let pick = r#"{"path":"src/a.py","operation":"replace"}"#;
    let slots = r#"{"old":"def load(path):","through":"    return path","new":""}"#;
    let outcome = run(FILES, Some("compact-4"), "Remove load", &[pick, slots]).await;
    assert_eq!(patched(outcome).1, "def save(path):\n    pass\n");
    // A model that was not trained for it is not asked.
    let (_, engine) = run(
        FILES,
        None,
        "Remove load",
        &[pick, r#"{"old":"def save(path):","new":""}"#],
    )
    .await;
    assert!(matches!(
        slots_of(&engine, 1),
        SlotSpec::Replace { blocks: false, .. }
    ));
    assert!(!text_of(&engine.requests[1].prompt).contains("through"));
    // Nothing holds a server to the lines there are.
    let (_, engine) = run(
        FILES,
        Some(MESSAGES),
        "Make save return None",
        &[pick, r#"{"old":"def save(path):","new":""}"#],
    )
    .await;
    assert!(matches!(
        slots_of(&engine, 1),
        SlotSpec::Replace { blocks: false, .. }
    ));
    assert!(!text_of(&engine.requests[1].prompt).contains("through"));
}

#[tokio::test]
async fn a_model_may_always_decline() {
    let declined = |outcome: Result<Outcome, FlowError>| match outcome.unwrap().verdict {
        Verdict::Declined(reason) => reason,
        other => panic!("{other:?}"),
    };
    let (outcome, engine) = run(
        FILES,
        None,
        "x",
        &[r#"{"operation":"none","reason":"unclear"}"#],
    )
    .await;
    assert_eq!(declined(outcome), Reason::Unclear);
    assert_eq!(engine.requests.len(), 1, "nothing more is asked");
    let pick = r#"{"path":"src/a.py","operation":"replace"}"#;
    let (outcome, _) = run(
        FILES,
        None,
        "x",
        &[pick, r#"{"old":"return path","place":"none","new":""}"#],
    )
    .await;
    assert_eq!(declined(outcome), Reason::NotInTheseFiles);
}

#[tokio::test]
async fn what_changes_nothing_is_already_done() {
    let pick = r#"{"path":"src/a.py","operation":"replace"}"#;
    let (outcome, _) = run(FILES, None, "x", &[pick, r#"{"old":"load","new":"load"}"#]).await;
    let Verdict::AlreadyDone(Some(evidence)) = outcome.unwrap().verdict else {
        panic!("the file has it")
    };
    assert_eq!((evidence.path.as_str(), evidence.line), ("src/a.py", 1));
}

#[tokio::test]
async fn a_truncated_answer_is_never_applied() {
    let dir = folder(FILES);
    let workspace = Workspace::open(dir.path()).unwrap();
    let options = GenerateOptions::new(Profile::of(&model(None)).unwrap().0);
    // Cut off after what would parse as complete, too.
    for cut in [
        r#"{"old":"load","new":"sa"#,
        r#"{"old":"load","new":"save"}"#,
    ] {
        let mut engine = ScriptedEngine::new(
            model(None),
            [r#"{"path":"src/a.py","operation":"replace"}"#],
        );
        engine.push(cut, End::Budget);
        let task = Task::new("x", vec![]).unwrap();
        let outcome = ask(&task, &workspace, options.clone(), &mut engine)
            .await
            .unwrap();
        assert!(matches!(outcome.verdict, Verdict::Truncated(End::Budget)));
    }
}

/// A script during which somebody else writes to the file: in stage 1 or in stage 2.
struct Meddling {
    script: ScriptedEngine,
    file: std::path::PathBuf,
    in_stage: usize,
    text: &'static str,
}

impl Engine for Meddling {
    fn model(&self) -> &ModelInfo {
        self.script.model()
    }

    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        self.script.count_tokens(texts).await
    }

    async fn complete(
        &mut self,
        request: &Request,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Answer, EngineError> {
        let stage = if matches!(request.spec, Spec::Slots(SlotSpec::Pick { .. })) {
            1
        } else {
            2
        };
        if stage == self.in_stage {
            std::fs::write(&self.file, self.text).unwrap();
        }
        self.script.complete(request, progress).await
    }
}

#[tokio::test]
async fn a_file_changed_while_the_model_thinks_is_not_overwritten() {
    let dir = folder(FILES);
    let workspace = Workspace::open(dir.path()).unwrap();
    let options = GenerateOptions::new(Profile::of(&model(None)).unwrap().0);
    let script = ScriptedEngine::new(
        model(None),
        [
            r#"{"path":"src/a.py","operation":"replace"}"#,
            r#"{"old":"load","new":"read"}"#,
        ],
    );
    let mut engine = Meddling {
        script,
        file: dir.path().join("src/a.py"),
        in_stage: 2,
        text: "their work\n",
    };
    let outcome = ask(
        &Task::new("x", vec![]).unwrap(),
        &workspace,
        options,
        &mut engine,
    )
    .await
    .unwrap();
    let Verdict::Proposed(patched) = outcome.verdict else {
        panic!("{:?}", outcome.verdict)
    };
    let refused = workspace.write(&Change::replace(
        &patched.path,
        patched.before.bytes(),
        &patched.after,
    ));
    assert!(
        matches!(refused, Err(CommitError::Stale { .. })),
        "{refused:?}"
    );
    assert_eq!(
        std::fs::read(dir.path().join("src/a.py")).unwrap(),
        b"their work\n"
    );
}

#[tokio::test]
async fn a_file_emptied_while_the_model_picks_it_is_said() {
    let dir = folder(FILES);
    let workspace = Workspace::open(dir.path()).unwrap();
    let options = GenerateOptions::new(Profile::of(&model(None)).unwrap().0);
    let script = ScriptedEngine::new(
        model(None),
        [r#"{"path":"src/a.py","operation":"replace"}"#],
    );
    let mut engine = Meddling {
        script,
        file: dir.path().join("src/a.py"),
        in_stage: 1,
        text: "\n",
    };
    // The likeliest file is another one, so the picked one is read after stage 1.
    let task = Task::new("change nothing in b.txt", vec![]).unwrap();
    let outcome = ask(&task, &workspace, options, &mut engine).await;
    assert!(
        matches!(outcome, Err(FlowError::Emptied { .. })),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn text_that_the_file_cannot_hold_is_refused() {
    let files: &[(&str, &[u8])] = &[("latin.txt", b"caf\xe9 = 1\n")];
    let pick = r#"{"path":"latin.txt","operation":"replace"}"#;
    let (outcome, _) = run(
        files,
        None,
        "x",
        &[pick, "{\"old\":\"1\",\"new\":\"\u{4e2d}\"}"],
    )
    .await;
    assert!(matches!(outcome.unwrap().verdict, Verdict::Refused(_)));
}

#[tokio::test]
async fn answers_of_an_engine_without_our_constraint_are_mechanics_failures() {
    let dir = folder(FILES);
    let workspace = Workspace::open(dir.path()).unwrap();
    let options = GenerateOptions::new(Profile::of(&model(None)).unwrap().0);
    let pick = r#"{"path":"src/a.py","operation":"replace"}"#;
    for answer in [
        r#"{"old":"not there","new":""}"#,
        r#"{"old":"return path","new":""}"#,
        "no JSON",
    ] {
        let mut engine = ScriptedEngine::new(model(None), [pick, answer]);
        let task = Task::new("x", vec![]).unwrap();
        let outcome = ask(&task, &workspace, options.clone(), &mut engine)
            .await
            .unwrap();
        assert!(matches!(outcome.verdict, Verdict::Mechanics(_)), "{answer}");
    }
}

#[tokio::test]
async fn only_what_is_possible_is_offered() {
    let files: &[(&str, &[u8])] = &[("blank.txt", b"\n\n"), ("a.txt", b"x = 1\n")];
    let (_, engine) = run(files, None, "x", &[]).await;
    let SlotSpec::Pick {
        files, may_create, ..
    } = slots_of(&engine, 0)
    else {
        panic!()
    };
    let operations = |path: &str| {
        files
            .iter()
            .find(|f| f.path == path)
            .unwrap()
            .operations
            .clone()
    };
    assert_eq!(operations("blank.txt"), [Insert]);
    use Operation::{Insert, Replace, ReplaceAll, Rewrite};
    assert_eq!(operations("a.txt"), [Replace, ReplaceAll, Insert, Rewrite]);
    assert!(may_create);
}

#[tokio::test]
async fn an_excerpt_of_a_cut_line_is_one_of_the_file() {
    // One line without an end, and words that a cut at a fixed length would halve.
    let text = "foobarbaz_quux ".repeat(2_000) + "needle";
    let pick = r#"{"path":"long.txt","operation":"replace_all"}"#;
    let (outcome, engine) = run(
        &[("long.txt", text.as_bytes())],
        None,
        "needle",
        &[pick, r#"{"old":"foobarbaz_quux","new":"x"}"#],
    )
    .await;
    let SlotSpec::ReplaceAll { shown } = slots_of(&engine, 1) else {
        panic!()
    };
    assert!(shown.windows.len() > 1, "the line is shown in pieces");
    let words: Vec<&str> = shown
        .windows
        .iter()
        .flat_map(|w| w.text.split_whitespace())
        .collect();
    assert!(
        words
            .iter()
            .all(|w| ["foobarbaz_quux", "needle"].contains(w))
    );
    assert_eq!(
        patched((outcome, engine)).1,
        text.replace("foobarbaz_quux", "x")
    );
}

#[tokio::test]
async fn a_hidden_file_is_made_where_the_task_spells_its_path() {
    let answers = [
        r#"{"operation":"create"}"#,
        r#"{"path":".dockerignore","text":"node_modules"}"#,
    ];
    let task = "Create a .dockerignore with node_modules, not .git or ../x";
    let made = run(&[("a.py", b"x = 1\n")], None, task, &answers).await;
    let SlotSpec::Create { spelled, .. } = slots_of(&made.1, 1) else {
        panic!()
    };
    assert_eq!(
        spelled,
        &[".dockerignore"],
        "a repository's own data is no new file"
    );
    assert_eq!(
        patched(made),
        (".dockerignore".to_owned(), "node_modules\n".to_owned())
    );
}

/// A route looks like a missing file, and stands in a file.
#[tokio::test]
async fn a_task_may_open_with_what_looks_like_a_path() {
    let answers = [
        r#"{"path":"a.py","operation":"replace"}"#,
        r#"{"old":"return 1","new":"return 2"}"#,
    ];
    let text = b"@get('/help')\ndef help():\n    return 1\n";
    let edited = run(&[("a.py", text)], None, "In /help, return 2", &answers).await;
    assert_eq!(patched(edited).0, "a.py");
    let (missing, _) = run(&[("a.py", text)], None, "In /helper, return 2", &[]).await;
    let Err(FlowError::Search(SearchError::NotListed { path, .. })) = missing else {
        panic!()
    };
    assert_eq!(path, "/helper");
}

#[tokio::test]
async fn the_files_that_matter_are_listed() {
    let many: Vec<(String, Vec<u8>)> = (0..400)
        .map(|i| {
            (
                format!("d{}/f{i}.txt", i % 7),
                format!("word{i}\n").into_bytes(),
            )
        })
        .collect();
    let many: Vec<(&str, &[u8])> = many
        .iter()
        .map(|(p, b)| (p.as_str(), b.as_slice()))
        .collect();
    let (_, engine) = run(&many, None, "Change word399 in f7.txt", &[]).await;
    let SlotSpec::Pick { files, .. } = slots_of(&engine, 0) else {
        panic!()
    };
    assert!(
        files.iter().any(|f| f.path == "d0/f399.txt"),
        "its text has a word of the task"
    );
    assert!(
        files.iter().any(|f| f.path == "d0/f7.txt"),
        "the task names it"
    );
    assert_eq!(files.len(), 12);
    for profile in [Some("compact-4"), None] {
        let (missing, _) = run(&many, profile, "In f7777.txt, change word7", &[]).await;
        let Err(FlowError::Search(SearchError::NotListed { path, .. })) = missing else {
            panic!()
        };
        assert_eq!(path, "f7777.txt");
    }
    let (_, engine) = run(&many, None, "In f7.txt, change word7", &[]).await;
    let SlotSpec::Pick { files, .. } = slots_of(&engine, 0) else {
        panic!()
    };
    assert_eq!(
        files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(),
        ["d0/f7.txt"],
        "the task says which it is about"
    );
}

#[tokio::test]
async fn long_files_are_shown_as_windows() {
    let text: String = (0..5_000)
        .map(|i| format!("def f{i}():\n    return {i}\n\n"))
        .collect();
    let pick = r#"{"path":"long.py","operation":"replace"}"#;
    let (outcome, engine) = run(
        &[("long.py", text.as_bytes())],
        None,
        "Make f4321 return 0",
        &[pick, r#"{"old":"return 4321","new":"return 0"}"#],
    )
    .await;
    let SlotSpec::Replace { shown, .. } = slots_of(&engine, 1) else {
        panic!()
    };
    assert!(shown.windows.len() > 1 && shown.prompt_text().len() < 16_000);
    assert_eq!(
        patched((outcome, engine)).1,
        text.replace("return 4321\n", "return 0\n")
    );
}

#[tokio::test]
async fn what_is_replaced_out_of_sight_is_known() {
    let text: String = (0..5_000)
        .map(|i| format!("def f{i}():\n    return value\n\n"))
        .collect();
    let pick = r#"{"path":"long.py","operation":"replace_all"}"#;
    let (outcome, engine) = run(
        &[("long.py", text.as_bytes())],
        None,
        "Rename value in f4321",
        &[pick, r#"{"old":"value","new":"result"}"#],
    )
    .await;
    let SlotSpec::ReplaceAll { shown } = slots_of(&engine, 1) else {
        panic!()
    };
    let n_shown = shown.prompt_text().matches("value").count();
    let Verdict::Proposed(patched) = outcome.unwrap().verdict else {
        panic!()
    };
    let warning = review::unseen(&patched).unwrap();
    let n_unseen = 5_000 - n_shown;
    let unseen = format!("{n_unseen} of 5000 occurrences are in parts of the file");
    assert!(warning.message.starts_with(&unseen), "{warning:?}");
    assert!(
        shown.prompt_text().contains("def f4321()"),
        "the function that the task names was not shown"
    );
}

const DONE: &str = r#"{"operation":"none","reason":"already_done"}"#;

#[tokio::test]
async fn a_context_says_what_is_listed_told_and_done() {
    let dir = folder(FILES);
    let workspace = Workspace::open(dir.path()).unwrap();
    let check = async |profile: Option<&str>, sentence: &str| {
        let editable = Some(std::collections::BTreeSet::from(["b.txt".to_owned()]));
        let context = Context {
            notes: "It printed 7.".to_owned(),
            editable,
            operations: vec![Operation::Insert],
            ..Context::default()
        };
        let options = GenerateOptions::new(Profile::of(&model(profile)).unwrap().0);
        let mut engine = ScriptedEngine::new(model(profile), [DONE]);
        let task = Task::new(sentence, vec![]).unwrap().within(context);
        ask(&task, &workspace, options.clone(), &mut engine)
            .await
            .unwrap();
        engine.requests.remove(0)
    };
    for sentence in ["Fix nothing", "In src/a.py, fix nothing"] {
        let request = check(None, sentence).await;
        let Spec::Slots(SlotSpec::Pick {
            files, may_create, ..
        }) = &request.spec
        else {
            panic!()
        };
        let listed: Vec<_> = files
            .iter()
            .map(|file| (file.path.as_str(), file.operations.clone()))
            .collect();
        assert_eq!(
            (listed, *may_create),
            (vec![("b.txt", vec![Operation::Insert])], false)
        );
        assert!(text_of(&request.prompt).contains(&format!("Task: {sentence}\n\nIt printed 7.")));
    }
    let compact = text_of(&check(Some("compact-4"), "Fix nothing").await.prompt);
    assert!(
        compact.ends_with("<|task|>Fix nothing<|lines|>\tnothing<|answer|>"),
        "{compact}"
    );
}
