//! Edits in several places: asked for again and again, or as one answer.

use crate::support::random::Random;
use crate::support::{folder, is_let_through};
use slotwright::constrain::{NoEdit, SlotSpec, Spec};
use slotwright::engine::scripted::ScriptedEngine;
use slotwright::engine::{
    Answer, AnswerStats, End, Engine, Likelihood, MESSAGES, ModelInfo, Part, Weights,
};
use slotwright::flow::steps::{MOST_EDITS, Steps, edit_in_steps, go_on};
use slotwright::flow::{GenerateOptions, Session, Verdict};
use slotwright::patched::Patched;
use slotwright::prompt::{ADAPTED, Profile};
use slotwright::slots::{Operation, Reason, Slot};
use slotwright::task::Task;
use slotwright::workspace::Workspace;

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

fn text_of(parts: &[Part]) -> String {
    parts
        .iter()
        .map(|part| match part {
            Part::Control(text) | Part::Text(text) => text.as_str(),
        })
        .collect()
}

/// Runs a task on files in several steps; every answer must be one that the constraint lets
/// through.
async fn run_steps(
    files: &[(&str, &[u8])],
    most_edits: Option<usize>,
    answers: &[&str],
) -> (Steps, ScriptedEngine) {
    run(files, None, most_edits, answers).await
}

async fn run(
    files: &[(&str, &[u8])],
    profile: Option<&str>,
    most_edits: Option<usize>,
    answers: &[&str],
) -> (Steps, ScriptedEngine) {
    let dir = folder(files);
    let workspace = Workspace::open(dir.path()).unwrap();
    let mut engine = ScriptedEngine::new(model(profile), answers.iter().copied());
    let profile = Profile::of(&model(profile)).unwrap().0;
    let options = GenerateOptions {
        most_edits,
        ..GenerateOptions::new(profile)
    };
    let task = Task::new("Rename path to file", vec![]).unwrap();
    let mut session = Session {
        workspace: &workspace,
        engine: &mut engine,
        options,
        progress: &mut |_| {},
    };
    let steps = edit_in_steps(&task, &mut session).await.unwrap();
    assert_eq!(
        engine.requests.len(),
        answers.len(),
        "all answers are asked for"
    );
    for (request, answer) in engine.requests.iter().zip(answers) {
        assert!(
            is_let_through(request, answer),
            "the constraint does not let {answer} through"
        );
    }
    for (path, bytes) in files {
        assert_eq!(
            std::fs::read(dir.path().join(path)).unwrap(),
            *bytes,
            "nothing is written"
        );
    }
    (steps, engine)
}

const PICK_A: &str = r#"{"path":"src/a.py","operation":"replace_all"}"#;
const DONE: &str = r#"{"operation":"none","reason":"already_done"}"#;

#[tokio::test]
async fn steps_make_one_edit_set_over_several_files() {
    let create = [
        r#"{"operation":"create"}"#,
        r#"{"path":"c.py","text":"path = 1"}"#,
    ];
    let insert = [
        r#"{"path":"c.py","operation":"insert"}"#,
        r#"{"position":"after","anchor":"path = 1","text":"file = 2"}"#,
    ];
    let rename = [PICK_A, r#"{"old":"path","new":"name"}"#];
    let again = [PICK_A, r#"{"old":"name","new":"file"}"#];
    let answers = [rename, create, insert, again].concat();
    let (steps, engine) = run_steps(FILES, Some(5), &[answers.as_slice(), &[DONE]].concat()).await;
    assert!(steps.failed.is_none());
    assert_eq!((steps.edits.len(), steps.stages.len()), (4, 9));
    let changes = steps.changes();
    let after: Vec<(&str, &[u8])> = changes
        .iter()
        .map(|change| (change.path.as_str(), change.after.as_slice()))
        .collect();
    let renamed = std::str::from_utf8(FILES[0].1)
        .unwrap()
        .replace("path", "file");
    assert_eq!(
        after,
        [
            ("src/a.py", renamed.as_bytes()),
            ("c.py", &b"path = 1\nfile = 2\n"[..])
        ]
    );
    assert!(
        changes[1].diff().starts_with("--- /dev/null\n+++ b/c.py\n"),
        "{}",
        changes[1].diff()
    );
    assert!(!text_of(&engine.requests[0].prompt).contains("is done"));
    let told = text_of(&engine.requests[2].prompt);
    assert!(
        told.contains("This part of the task is done") && told.contains("+def load(name):"),
        "{told}"
    );
    // As many as are allowed, and no more is asked then.
    let (steps, _) = run_steps(FILES, Some(2), &[rename, again].concat()).await;
    assert_eq!((steps.edits.len(), steps.changes().len()), (2, 1));
}

#[tokio::test]
async fn steps_that_come_to_nothing_are_no_edit() {
    let (steps, _) = run_steps(FILES, Some(3), &[DONE]).await;
    assert!(matches!(
        steps.failed.unwrap().verdict,
        Verdict::Declined(Reason::AlreadyDone)
    ));
    let there = [PICK_A, r#"{"old":"path","new":"name"}"#];
    let back = [PICK_A, r#"{"old":"name","new":"path"}"#];
    let (steps, _) = run_steps(FILES, Some(2), &[there, back].concat()).await;
    assert!(
        matches!(steps.failed.unwrap().verdict, Verdict::AlreadyDone(_)),
        "one took back what the other did"
    );
    // A step that fails leaves those before it.
    let latin: &[(&str, &[u8])] = &[FILES[0], ("latin.txt", b"caf\xe9 = 1\n")];
    let fails = [
        r#"{"path":"latin.txt","operation":"replace"}"#,
        "{\"old\":\"1\",\"new\":\"\u{4e2d}\"}",
    ];
    let (steps, _) = run_steps(latin, Some(3), &[there, fails].concat()).await;
    assert!(steps.failed.is_none());
    assert_eq!(steps.changes().len(), 1);
    let why = steps.left_out().unwrap();
    assert!(
        why.starts_with("the model's next edit cannot be written: "),
        "{why}"
    );
}

/// Answers that break a file, first or later, and what is kept of them.
#[tokio::test]
async fn later_edits_that_break_a_file_are_left_out() {
    let files: &[(&str, &[u8])] = &[FILES[0], ("c.py", b"x = 1\ny = 2\n")];
    let pick_c = r#"{"path":"c.py","operation":"replace"}"#;
    let breaks_c = r#"{"old":"x = 1","new":"x = ("}"#;
    let mends_c = r#"{"old":"y = 2","new":"2)"}"#;
    let breaks_a = r#"{"old":"def load(path):","new":"def load(path:"}"#;
    let a = ("src/a.py".to_owned(), "def save(path, mode):".to_owned());

    // The other file keeps its edit.
    let answers = [REPLACE_A, SAVE, pick_c, breaks_c, DONE];
    let (steps, _) = one_answer(files, &answers).await;
    let kept = texts(&steps);
    assert_eq!((kept.len(), &kept[0].0), (1, &a.0));
    assert!(kept[0].1.contains(&a.1) && !steps.can_go_on());
    let why = steps.left_out().unwrap();
    assert!(
        why.starts_with("with the model's next edit c.py no longer parses"),
        "{why}"
    );

    // The same file keeps its first one, and what follows what breaks goes along.
    let load = r#"{"old":"    return path","place":"load, line 2","new":"    return 1"}"#;
    let anew = ANEW.replace("mode):", "mode:");
    let answers = [REPLACE_A, SAVE, REPLACE_A, breaks_a, REPLACE_A, load, DONE];
    let answers = [&answers[..], &[&anew]].concat();
    let (steps, _) = one_answer(files, &answers).await;
    assert_eq!((steps.edits.len(), steps.changes().len()), (1, 1));
    assert!(
        steps
            .left_out()
            .unwrap()
            .starts_with("with the model's next 2 edits")
    );

    // What a later edit mends does not break anything.
    let answers = [pick_c, breaks_c, pick_c, mends_c, DONE];
    let (steps, _) = one_answer(files, &answers).await;
    assert_eq!((steps.edits.len(), steps.left_out()), (2, None));
    // A first edit that breaks its file stays, for the person to see.
    let answers = [pick_c, breaks_c, REPLACE_A, SAVE, DONE];
    let (steps, _) = one_answer(files, &answers).await;
    assert_eq!((steps.edits.len(), steps.left_out()), (2, None));
}

/// The files after some edits of one answer.
async fn one_answer(files: &[(&str, &[u8])], answers: &[&str]) -> (Steps, ScriptedEngine) {
    run(files, Some(ADAPTED), None, answers).await
}

fn texts(steps: &Steps) -> Vec<(String, String)> {
    let text = |after: Vec<u8>| String::from_utf8(after).unwrap();
    steps
        .changes()
        .into_iter()
        .map(|change| (change.path, text(change.after)))
        .collect()
}

const REPLACE_A: &str = r#"{"path":"src/a.py","operation":"replace"}"#;
const INSERT_A: &str = r#"{"path":"src/a.py","operation":"insert"}"#;
const REPLACE_B: &str = r#"{"path":"b.txt","operation":"replace"}"#;
const IMPORT: &str = r#"{"anchor":"def load(path):","position":"above","text":"import os\n\n"}"#;
const SAVE: &str = r#"{"old":"def save(path):","new":"def save(path, mode):"}"#;
const B: &str = r#"{"old":"nothing","new":"save(path, mode)"}"#;

#[tokio::test]
async fn one_answer_has_edits_in_several_places() {
    let answers = [INSERT_A, IMPORT, REPLACE_A, SAVE, REPLACE_B, B, DONE];
    let (steps, engine) = one_answer(FILES, &answers).await;
    assert!(steps.failed.is_none());
    assert_eq!(steps.ended(), Some(Reason::AlreadyDone));
    let a = "import os\n\ndef load(path):\n    return path\n\n\n\
             def save(path, mode):\n    return path\n";
    assert_eq!(
        texts(&steps),
        [("src/a.py", a), ("b.txt", "save(path, mode)\n")].map(|(p, t)| (p.into(), t.into()))
    );
    // Each edit is of the file as it was, and leaves what all of them make of it.
    let Patched {
        before,
        replacements,
        after,
        ..
    } = &steps.edits[1].patched;
    assert!(before.shown().starts_with("def load(path):"));
    assert_eq!(*after, steps.changes()[0].after);
    assert_eq!(
        &before.shown()[replacements[0].range.clone()],
        "def save(path):"
    );
    // Nothing is read again: a prompt is the one before and the answer to it.
    let prompts: Vec<String> = engine.requests.iter().map(|r| text_of(&r.prompt)).collect();
    assert_eq!(prompts[2], format!("{}{INSERT_A}\n{IMPORT}\n", prompts[0]));
    assert_eq!(prompts[4], format!("{}{REPLACE_A}\n{SAVE}\n", prompts[2]));
    // Only another file is shown anew, as the first one was.
    let lines = [INSERT_A, IMPORT, REPLACE_A, SAVE, REPLACE_B, ""].join("\n");
    assert!(prompts[5].contains("File b.txt:\nnothing\n") && prompts[5].ends_with(&lines));
    assert_eq!(prompts[6], format!("{}{B}\n", prompts[5]));
}

#[tokio::test]
async fn lines_that_were_replaced_are_not_offered_again() {
    let (_, engine) = one_answer(FILES, &[REPLACE_A, SAVE, DONE]).await;
    let Spec::Slots(SlotSpec::Pick {
        files,
        no_edit: NoEdit::AsTheEnd,
        ..
    }) = &engine.requests[2].spec
    else {
        panic!("{:?}", engine.requests[2].spec)
    };
    assert_eq!(files.len(), 2);
    // "None" needs no other reason any more.
    let unclear = r#"{"operation":"none","reason":"unclear"}"#;
    assert!(is_let_through(&engine.requests[0], unclear));
    assert!(!is_let_through(&engine.requests[2], unclear));
    let load = r#"{"old":"def load(path):","new":"def load():"}"#;
    let (steps, engine) = one_answer(FILES, &[REPLACE_A, SAVE, REPLACE_A, load, DONE]).await;
    assert_eq!(steps.edits.len(), 2);
    assert!(
        is_let_through(&engine.requests[1], SAVE) && !is_let_through(&engine.requests[3], SAVE)
    );
    // Nor is a block around lines that were inserted.
    let block = r#"{"old":"def load(path):\n    return path","new":"pass"}"#;
    let inside = r#"{"anchor":"def load(path):","position":"below","text":"x()"}"#;
    let (_, engine) = one_answer(FILES, &[INSERT_A, inside, REPLACE_A, load, DONE]).await;
    assert!(!is_let_through(&engine.requests[3], block));
    let (_, engine) = one_answer(FILES, &[INSERT_A, IMPORT, REPLACE_A, block, DONE]).await;
    assert!(is_let_through(&engine.requests[3], block));
    // A line that has new ones above and below it gets no more of them, but can still be replaced.
    let other = r#"{"anchor":"def save(path):","position":"below","text":"x()"}"#;
    let both = [INSERT_A, IMPORT, INSERT_A, inside, INSERT_A, other, DONE];
    let (steps, engine) = one_answer(FILES, &both).await;
    assert_eq!(steps.edits.len(), 3);
    for again in [IMPORT, inside] {
        assert!(is_let_through(&engine.requests[3], again));
        assert!(!is_let_through(&engine.requests[5], again));
    }
    // Of a file whose every line was replaced nothing is offered.
    let (_, engine) = one_answer(FILES, &[REPLACE_B, B, DONE]).await;
    let Spec::Slots(SlotSpec::Pick { files, .. }) = &engine.requests[2].spec else {
        panic!()
    };
    assert_eq!(
        files
            .iter()
            .map(|file| file.path.as_str())
            .collect::<Vec<_>>(),
        ["src/a.py"]
    );
    // And if there is no other, nothing is asked.
    let (steps, _) = one_answer(&FILES[1..], &[REPLACE_B, B]).await;
    assert_eq!(
        (steps.edits.len(), steps.ended()),
        (1, Some(Reason::AlreadyDone))
    );
}

#[tokio::test]
async fn an_answer_has_as_many_edits_as_it_may() {
    let (steps, _) = run(FILES, Some(ADAPTED), Some(1), &[REPLACE_A, SAVE]).await;
    assert_eq!((steps.edits.len(), steps.ended()), (1, None));
    let text: String = (0..20).map(|i| format!("line_{i} = {i}\n")).collect();
    let pick = r#"{"path":"n.py","operation":"replace"}"#.to_owned();
    let answers: Vec<String> = (0..MOST_EDITS)
        .flat_map(|i| {
            [
                pick.clone(),
                format!(r#"{{"old":"line_{i} = {i}","new":"line_{i} = x"}}"#),
            ]
        })
        .collect();
    let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
    let (steps, _) = one_answer(&[("n.py", text.as_bytes())], &answers).await;
    assert_eq!((steps.edits.len(), steps.ended()), (MOST_EDITS, None));
    assert_eq!(steps.cut(), Some("an answer may have 8 edits at most"));
    // A model without an adapter of ours is not asked for more than one.
    let (steps, _) = run(FILES, None, None, &[REPLACE_A, SAVE]).await;
    assert_eq!(steps.edits.len(), 1);
}

#[tokio::test]
async fn edits_before_one_that_fails_stay_and_that_is_said() {
    let latin: &[(&str, &[u8])] = &[FILES[0], ("latin.txt", b"caf\xe9 = 1\nb = 2\n")];
    let pick = r#"{"path":"latin.txt","operation":"replace"}"#;
    let ok = r#"{"old":"b = 2","new":"b = 3"}"#;
    let fails = r#"{"old":"1","new":"中"}"#;
    let (steps, _) = one_answer(latin, &[pick, ok, pick, fails]).await;
    assert!(steps.failed.is_none() && steps.ended().is_none());
    let cut = steps.cut().unwrap();
    assert!(
        cut.starts_with("the model's next edit cannot be written: the new text has '中'"),
        "{cut}"
    );
    assert_eq!(steps.changes()[0].after, b"caf\xe9 = 1\nb = 3\n");
    // The encoding is kept where it can be.
    let fine = r#"{"old":"1","new":"é"}"#;
    let (steps, _) = one_answer(latin, &[pick, ok, pick, fine, DONE]).await;
    assert_eq!(steps.changes()[0].after, b"caf\xe9 = \xe9\nb = 3\n");
    // One that fails at once is no edit.
    let (steps, _) = one_answer(latin, &[pick, fails]).await;
    assert!(matches!(steps.failed.unwrap().verdict, Verdict::Refused(_)));
}

#[tokio::test]
async fn a_long_answer_is_not_made_longer() {
    // A quarter of this context is for answers: 1,024 tokens, which are four bytes here.
    let long = "x".repeat(2_900);
    let long = format!(r#"{{"old":"nothing","new":"{long}"}}"#);
    let (steps, _) = one_answer(FILES, &[REPLACE_B, &long]).await;
    assert_eq!(steps.edits.len(), 1);
    assert_eq!(steps.cut(), Some("the answer is as long as it may be"));
}

#[tokio::test]
async fn an_edit_that_changes_nothing_does_not_end_an_answer() {
    let same = r#"{"old":"def load(path):","new":"def load(path):"}"#;
    let answers = [REPLACE_A, SAVE, REPLACE_A, same, REPLACE_B, B, DONE];
    let (steps, _) = one_answer(FILES, &answers).await;
    assert_eq!((steps.edits.len(), steps.changes().len()), (2, 2));
    assert_eq!(steps.ended(), Some(Reason::AlreadyDone));
}

#[tokio::test]
async fn what_is_replaced_everywhere_is_so_in_new_lines_too() {
    let everywhere = r#"{"old":"path","new":"file"}"#;
    for pick in [PICK_A, r#"{"path":"src/a.py","operation":"rename"}"#] {
        let (steps, _) = one_answer(FILES, &[REPLACE_A, SAVE, pick, everywhere, DONE]).await;
        let after = "def load(file):\n    return file\n\n\n\
                     def save(file, mode):\n    return file\n";
        assert_eq!(texts(&steps)[0].1, after);
    }
}

/// The edits of an answer, made to go on so many times.
async fn gone_on(n_times: usize, answers: &[&str]) -> (Steps, ScriptedEngine) {
    let dir = folder(FILES);
    let workspace = Workspace::open(dir.path()).unwrap();
    let mut engine = ScriptedEngine::new(model(Some(ADAPTED)), answers.iter().copied());
    let options = GenerateOptions::new(Profile::of(&model(Some(ADAPTED))).unwrap().0);
    let task = Task::new("Rename path to file", vec![]).unwrap();
    let mut session = Session {
        workspace: &workspace,
        engine: &mut engine,
        options,
        progress: &mut |_| {},
    };
    let mut steps = edit_in_steps(&task, &mut session).await.unwrap();
    for _ in 0..n_times {
        assert!(steps.can_go_on());
        let n_before = steps.edits.len();
        let why = go_on(&task, &mut steps, &mut session).await.unwrap();
        let is_made = steps.edits.len() > n_before;
        assert_ne!(why.is_some(), is_made, "{why:?}");
    }
    (steps, engine)
}

#[tokio::test]
async fn a_model_that_ended_can_be_made_to_go_on() {
    let (steps, engine) = gone_on(1, &[REPLACE_A, SAVE, DONE, REPLACE_B, B, DONE]).await;
    assert_eq!(
        (steps.edits.len(), steps.ended()),
        (2, Some(Reason::AlreadyDone))
    );
    assert_eq!((steps.stages.len(), steps.can_go_on()), (6, true));
    let paths: Vec<String> = steps
        .changes()
        .into_iter()
        .map(|change| change.path)
        .collect();
    assert_eq!(paths, ["src/a.py", "b.txt"]);
    // The same question again, but for the end.
    let [ended, forced] = [2, 3].map(|i| &engine.requests[i]);
    assert_eq!(text_of(&ended.prompt), text_of(&forced.prompt));
    assert!(is_let_through(ended, DONE) && !is_let_through(forced, DONE));
    assert!(is_let_through(forced, REPLACE_B) && is_let_through(&engine.requests[5], DONE));
}

#[tokio::test]
async fn further_edits_that_change_nothing_are_not_asked_for_without_end() {
    let same = r#"{"old":"def load(path):","new":"def load(path):"}"#;
    let (first, idle) = ([REPLACE_A, SAVE, DONE], [REPLACE_A, same, REPLACE_A, same]);
    let (steps, _) = gone_on(1, &[&first[..], &idle, &[DONE]].concat()).await;
    assert_eq!(steps.edits.len(), 1);
    assert_eq!(steps.cut(), None, "it ended as before");
    // It can be asked once more.
    let more = [DONE, REPLACE_B, B, DONE];
    let (steps, _) = gone_on(2, &[&first[..], &idle, &more].concat()).await;
    assert_eq!((steps.edits.len(), steps.cut()), (2, None));
    // Fewer edits than were wanted are said, too.
    let answers = [&first[..2], &idle, &[DONE]].concat();
    let (steps, _) = two_at_least(Some(ADAPTED), &answers).await;
    assert_eq!(steps.edits.len(), 1);
    assert_eq!(steps.cut(), Some("the model makes no further edit"));
}

/// The same lines at one place, named by the line before and by the one after.
#[tokio::test]
async fn the_same_lines_are_not_inserted_twice_at_a_place() {
    let below = r#"{"anchor":"a","position":"below","text":"x"}"#;
    let above = r#"{"anchor":"b","position":"above","text":"x"}"#;
    let pick = r#"{"path":"w.txt","operation":"insert"}"#;
    let (steps, _) = one_answer(&[("w.txt", b"a\nb\n")], &[pick, below, pick, above, DONE]).await;
    assert_eq!(
        texts(&steps),
        [("w.txt".to_owned(), "a\nx\nb\n".to_owned())]
    );
}

#[tokio::test]
async fn new_lines_go_above_and_below_the_same_line_once_each() {
    let pick = r#"{"path":"w.txt","operation":"insert"}"#;
    let above = r#"{"anchor":"a","position":"above","text":"x"}"#;
    let below = r#"{"anchor":"a","position":"below","text":"y"}"#;
    let more = r#"{"anchor":"a","position":"above","text":"z"}"#;
    let same = r#"{"anchor":"a","position":"below","text":"x"}"#;
    for (second, expected) in [
        (below, "x\na\ny\nb\n"),
        (more, "x\na\nb\n"),
        (same, "x\na\nb\n"),
    ] {
        let answers = [pick, above, pick, second, DONE];
        let (steps, _) = one_answer(&[("w.txt", b"a\nb\n"), FILES[1]], &answers).await;
        assert_eq!(texts(&steps), [("w.txt".to_owned(), expected.to_owned())]);
    }
    // After lines that are there already, the line is not offered again.
    let third = r#"{"anchor":"b","position":"below","text":"z"}"#;
    let answers = [pick, above, pick, same, pick, third, DONE];
    let (_, engine) = one_answer(&[("w.txt", b"a\nb\n"), FILES[1]], &answers).await;
    assert!(is_let_through(&engine.requests[3], below));
    assert!(!is_let_through(&engine.requests[5], below));
}

/// The same with two edits at least.
async fn two_at_least(profile: Option<&str>, answers: &[&str]) -> (Steps, ScriptedEngine) {
    let dir = folder(FILES);
    let workspace = Workspace::open(dir.path()).unwrap();
    let mut engine = ScriptedEngine::new(model(profile), answers.iter().copied());
    let profile = Profile::of(&model(profile)).unwrap().0;
    let (most_edits, least_edits) = (Some(4), 2);
    let options = GenerateOptions {
        most_edits,
        least_edits,
        ..GenerateOptions::new(profile)
    };
    let task = Task::new("Rename path to file", vec![]).unwrap();
    let mut session = Session {
        workspace: &workspace,
        engine: &mut engine,
        options,
        progress: &mut |_| {},
    };
    let steps = edit_in_steps(&task, &mut session).await.unwrap();
    (steps, engine)
}

#[tokio::test]
async fn where_nothing_else_can_change_there_is_nothing_to_go_on_to() {
    let (steps, _) = one_answer(&FILES[1..], &[REPLACE_B, B]).await;
    assert!(!steps.can_go_on());
    // Neither after as many edits as are wanted, nor for a model that writes one.
    let (steps, _) = run(FILES, Some(ADAPTED), Some(1), &[REPLACE_A, SAVE]).await;
    assert!(!steps.can_go_on());
    let (steps, _) = run(FILES, None, None, &[REPLACE_A, SAVE]).await;
    assert!(!steps.can_go_on());
}

#[tokio::test]
async fn an_answer_has_as_many_edits_as_it_must() {
    // Asked within one answer, and one by one.
    for profile in [Some(ADAPTED), None] {
        let (steps, engine) = two_at_least(profile, &[REPLACE_A, SAVE, REPLACE_B, B, DONE]).await;
        assert_eq!(steps.edits.len(), 2);
        // Whether it is a task at all, the model still decides.
        let lets_end = [0, 2, 4].map(|i| is_let_through(&engine.requests[i], DONE));
        assert_eq!(lets_end, [true, false, true]);
    }
}

/// The file after edits of one answer. Each is an operation and its slots.
async fn edited(before: &[u8], edits: &[(&str, &str)]) -> Vec<u8> {
    let pick = |operation: &str| format!(r#"{{"path":"w.txt","operation":"{operation}"}}"#);
    let mut answers: Vec<String> = edits
        .iter()
        .flat_map(|(operation, slots)| [pick(operation), format!("{{{slots}}}")])
        .collect();
    if edits.len() < MOST_EDITS {
        answers.push(DONE.to_owned());
    }
    let asked: Vec<&str> = answers.iter().map(String::as_str).collect();
    let (steps, _) = one_answer(&[("w.txt", before), FILES[1]], &asked).await;
    assert_eq!(steps.edits.len(), edits.len(), "{answers:#?}");
    steps.changes().remove(0).after
}

#[tokio::test]
async fn edits_at_one_place() {
    let above = ("insert", r#""anchor":"b","position":"above","text":"x""#);
    let below = ("insert", r#""anchor":"a","position":"below","text":"y""#);
    let (replaced, removed) = (
        ("replace", r#""old":"b","new":"z""#),
        ("replace", r#""old":"b","new":"""#),
    );
    for (edits, after) in [
        (vec![above, below], "a\ny\nx\nb\nc\n"),
        (vec![below, above], "a\ny\nx\nb\nc\n"),
        (vec![above, replaced], "a\nx\nz\nc\n"),
        (vec![above, removed], "a\nx\nc\n"),
        (vec![above, below, removed], "a\ny\nx\nc\n"),
    ] {
        assert_eq!(
            edited(b"a\nb\nc\n", &edits).await,
            after.as_bytes(),
            "{edits:?}"
        );
    }
    // The last line goes with the newline before it, below which something was inserted.
    assert_eq!(edited(b"a\nb", &[below, removed]).await, b"a\ny\n");
    // And the line before it is still there to be changed.
    let a = ("replace", r#""old":"a","new":"d""#);
    assert_eq!(edited(b"a\nb", &[removed, a]).await, b"d");
    // What a file's encoding is taken for may change with an edit. The byte is shown as a sign of its own.
    let (first, second) = (
        ("replace", "\"old\":\"a = '\u{f7e9}'\",\"new\":\"a = 'e'\""),
        ("replace", r#""old":"c = 1","new":"c = 2""#),
    );
    let mixed = b"a = '\xe9'\nb = '\xc3\xa9'\nc = 1\n";
    assert_eq!(
        edited(mixed, &[first, second]).await,
        b"a = 'e'\nb = '\xc3\xa9'\nc = 2\n"
    );
}

/// However edits follow each other, the file afterwards is the one in which each was made by itself.
#[tokio::test]
async fn edits_of_one_answer_do_not_disturb_each_other() {
    let mut random = Random(11);
    for round in 0..300 {
        let n = 3 + random.below(8);
        let ending = if round % 2 == 0 { "\n" } else { "\r\n" };
        let line = |i: usize| format!("w{i} = {i} é");
        let before: String = (0..n).map(|i| line(i) + ending).collect();
        // Of each line: what comes above, what it becomes, what comes below.
        let mut wanted: Vec<[String; 3]> = (0..n)
            .map(|i| [String::new(), line(i) + ending, String::new()])
            .collect();
        // Lines that were replaced are not there to be named any more, and those with new ones on a
        // side get no more there; one line stays.
        let mut left: Vec<usize> = (0..n).collect();
        let mut has_new = vec![[false; 2]; n];
        let mut edits: Vec<(&str, String)> = Vec::new();
        for k in 0..1 + random.below(MOST_EDITS) {
            let at = random.below(left.len());
            let i = left[at];
            let old = line(i);
            let mut kinds: Vec<usize> = if left.len() > 1 {
                vec![0, 1]
            } else {
                Vec::new()
            };
            kinds.extend((2..4).filter(|kind| !has_new[i][kind - 2]));
            if kinds.is_empty() {
                break;
            }
            let kind = kinds[random.below(kinds.len())];
            if kind >= 2 {
                has_new[i][kind - 2] = true;
            }
            let slots = match kind {
                0 => {
                    wanted[i][1] = String::new();
                    format!(r#""old":"{old}","new":"""#)
                }
                1 => {
                    wanted[i][1] = format!("a{k}{ending}bb{k}{ending}");
                    format!(r#""old":"{old}","new":"a{k}\nbb{k}""#)
                }
                2 => {
                    wanted[i][0] += &format!("up{k}{ending}");
                    format!(r#""anchor":"{old}","position":"above","text":"up{k}""#)
                }
                _ => {
                    wanted[i][2] += &format!("down{k}{ending}");
                    format!(r#""anchor":"{old}","position":"below","text":"down{k}""#)
                }
            };
            if kind < 2 {
                left.remove(at);
            }
            edits.push((if kind < 2 { "replace" } else { "insert" }, slots));
        }
        let asked: Vec<(&str, &str)> = edits
            .iter()
            .map(|(op, slots)| (*op, slots.as_str()))
            .collect();
        let after = edited(before.as_bytes(), &asked).await;
        let wanted: String = wanted.into_iter().flatten().collect();
        assert_eq!(String::from_utf8_lossy(&after), wanted, "{edits:#?}");
    }
}

const ANEW: &str = "```python\ndef load(path):\n    return path\n\n\ndef save(path, mode):\n    \
                    return path, mode\n```";

/// Runs a task with these answers, the second of which has this certainty.
async fn doubted(
    files: &[(&str, &[u8])],
    profile: Option<&str>,
    certainty: f64,
    answers: &[&str],
) -> (Steps, ScriptedEngine) {
    let dir = folder(files);
    let workspace = Workspace::open(dir.path()).unwrap();
    let mut engine = ScriptedEngine::new(model(profile), []);
    for (i, answer) in answers.iter().enumerate() {
        let mut stats = AnswerStats::default();
        stats
            .certainty
            .insert(Slot::New, if i == 1 { certainty } else { 1.0 });
        let (text, likelihood) = ((*answer).to_owned(), Likelihood::default());
        engine.add(Answer {
            text,
            end: End::Complete,
            stats,
            likelihood,
        });
    }
    let options = GenerateOptions::new(Profile::of(&model(profile)).unwrap().0);
    let task = Task::new("save needs a mode", vec![]).unwrap();
    let mut session = Session {
        workspace: &workspace,
        engine: &mut engine,
        options,
        progress: &mut |_| {},
    };
    let steps = edit_in_steps(&task, &mut session).await.unwrap();
    for change in steps.changes() {
        assert_eq!(
            workspace.read(&change.path).unwrap().bytes(),
            change.after,
            "it is pending"
        );
    }
    assert_eq!(
        engine.requests.len(),
        answers.len(),
        "all answers are asked for"
    );
    for (request, answer) in engine.requests.iter().zip(answers) {
        assert!(
            is_let_through(request, answer),
            "the constraint does not let {answer} through"
        );
    }
    (steps, engine)
}

#[tokio::test]
async fn where_slots_are_doubted_a_block_is_written_anew() {
    let in_slots = [REPLACE_A, SAVE, DONE];
    let (steps, _) = doubted(FILES, Some(ADAPTED), 0.9, &in_slots).await;
    assert_eq!(steps.edits[0].patched.operation, Operation::Replace);
    assert!(steps.set_aside.is_none());

    let with_anew = [&in_slots[..], &[ANEW]].concat();
    let (steps, engine) = doubted(FILES, Some(ADAPTED), 0.5, &with_anew).await;
    let Patched {
        operation,
        replacements,
        ..
    } = &steps.edits[0].patched;
    assert_eq!(
        (*operation, replacements.len()),
        (Operation::Rewrite, 1),
        "only what differs"
    );
    let after =
        "def load(path):\n    return path\n\n\ndef save(path, mode):\n    return path, mode\n";
    assert_eq!(texts(&steps), [("src/a.py".to_owned(), after.to_owned())]);
    let names: Vec<&str> = steps.stages.iter().map(|stage| stage.name).collect();
    assert_eq!(names, ["pick", "replace", "pick", "rewrite"]);
    let slots = steps.set_aside.expect("the other edit can be offered");
    assert_eq!(slots.edits[0].patched.operation, Operation::Replace);
    // The model is asked as it was taught by its publisher, and not in our words.
    let weights: Vec<Weights> = engine
        .requests
        .iter()
        .map(|request| request.weights)
        .collect();
    let adapted = Weights::Adapted;
    assert_eq!(weights, [adapted, adapted, adapted, Weights::Base]);
    // It may become twice as long and a little, and not go on for ever.
    let n_tokens = FILES[0].1.len().div_ceil(4);
    assert_eq!(engine.requests[3].limits.answer_tokens, 2 * n_tokens + 300);
    let question = text_of(&engine.requests[3].prompt);
    assert!(
        question.contains("File src/a.py:\n```python\ndef load"),
        "{question}"
    );
    assert!(!question.contains("JSON"), "{question}");
}

#[tokio::test]
async fn what_breaks_is_doubted_and_what_is_declined_is_not() {
    let broken = r#"{"old":"def save(path):","new":"def save(path, mode:"}"#;
    let answers = [REPLACE_A, broken, DONE, ANEW];
    let (steps, _) = doubted(FILES, Some(ADAPTED), 1.0, &answers).await;
    assert_eq!(steps.edits[0].patched.operation, Operation::Rewrite);
    let (steps, _) = doubted(FILES, Some(ADAPTED), 1.0, &[DONE]).await;
    assert!(matches!(
        steps.failed.unwrap().verdict,
        Verdict::Declined(_)
    ));

    // Of two the one that parses is taken; if neither does, the slots.
    let both_broken = ANEW.replace("mode):", "mode:");
    let answers = [REPLACE_A, SAVE, DONE, &both_broken];
    let (steps, _) = doubted(FILES, Some(ADAPTED), 0.5, &answers).await;
    assert_eq!(steps.edits[0].patched.operation, Operation::Replace);
    // An edit of two files is more than a block.
    let two = [REPLACE_A, SAVE, REPLACE_B, B, DONE];
    let (steps, _) = doubted(FILES, Some(ADAPTED), 0.5, &two).await;
    assert_eq!(steps.edits.len(), 2);
}

#[tokio::test]
async fn a_model_without_an_adapter_chooses_to_write_a_block_anew() {
    let pick = r#"{"path":"src/a.py","operation":"rewrite"}"#;
    let (steps, _) = doubted(FILES, None, 0.5, &[pick, ANEW]).await;
    assert_eq!(steps.edits[0].patched.operation, Operation::Rewrite);
    // Of a long file the definitions are offered that are shown.
    let definitions = "def save(path):\n    return path\n\n\ndef saved():\n    return 1\n";
    let long = format!("{}{definitions}", "x = 1\n".repeat(6_000));
    let answer = "`def save(path):`:\n```python\ndef save(path, mode):\n    return mode\n```";
    let files: &[(&str, &[u8])] = &[("src/a.py", long.as_bytes())];
    let (steps, engine) = doubted(files, None, 0.5, &[pick, answer]).await;
    let end = "x = 1\ndef save(path, mode):\n    return mode\n\n\ndef saved():\n    return 1\n";
    assert!(texts(&steps)[0].1.ends_with(end));
    let twice = answer.replace("def save(path):", "x = 1");
    assert!(
        !is_let_through(&engine.requests[1], &twice),
        "it is no definition"
    );
}

#[tokio::test]
async fn a_text_that_leaves_parts_out_is_completed() {
    let pick = r#"{"path":"src/a.py","operation":"rewrite"}"#;
    let answer = "```python\n# ... existing code ...\n\ndef save(path):\n    return mode\n```";
    let (steps, _) = doubted(FILES, None, 1.0, &[pick, answer]).await;
    assert!(
        texts(&steps)[0]
            .1
            .starts_with("def load(path):\n    return path\n"),
        "{:?}",
        texts(&steps)
    );
}

/// A server's model writes as it always does. So does one whose answers have only the shape of slots.
#[tokio::test]
async fn a_model_that_nothing_forces_writes_a_block_in_a_fence() {
    let pick = r#"{"path":"src/a.py","operation":"rewrite"}"#;
    for (answer, is_made) in [
        (format!("Sure:\n{ANEW}\nDone."), true),
        ("No.".to_owned(), false),
    ] {
        let dir = folder(FILES);
        let workspace = Workspace::open(dir.path()).unwrap();
        let mut engine = ScriptedEngine::new(model(Some(MESSAGES)), [pick, &answer]);
        let options = GenerateOptions::new(Profile::of(engine.model()).unwrap().0);
        let task = Task::new("save needs a mode", vec![]).unwrap();
        let mut session = Session {
            workspace: &workspace,
            engine: &mut engine,
            options,
            progress: &mut |_| {},
        };
        let steps = edit_in_steps(&task, &mut session).await.unwrap();
        assert_eq!(engine.requests[1].spec, Spec::Free);
        assert_eq!(steps.failed.is_none(), is_made);
        if let Some(failed) = steps.failed {
            let Verdict::Mechanics(error) = failed.verdict else {
                panic!("{:?}", failed.verdict)
            };
            assert_eq!(
                error.to_string(),
                "the answer has no new text of a block in a code fence"
            );
        }
    }
    let local = Profile::of(&model(None)).unwrap().0.in_schema_words();
    assert!(
        local.offers_rewrite(),
        "it is told of it, and shown an example"
    );
}
