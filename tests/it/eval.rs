//! What an evaluation makes of answers: each strategy's, right and wrong ones, and what goes wrong
//! beside them. The answers are given beforehand; the bundled model's own are in `eval_command.rs`.

use serde_json::json;
use slotwright::check::Against;
use slotwright::engine::scripted::ScriptedEngine;
use slotwright::engine::{Answer, End, Engine, EngineError, ModelInfo, Progress, Request};
use slotwright::eval::EvalConfig;
use slotwright::eval::checks::{Checks, unsound};
use slotwright::eval::public_set;
use slotwright::eval::record::{Row, Verdict};
use slotwright::eval::run::{Follow, Job, Source, problems, run};
use slotwright::eval::strategy::Strategy;
use slotwright::eval::task::{Check, EvalTask, Suites};
use slotwright::eval::tree::Tree;
use slotwright::prompt::Profile;
use slotwright::sandbox::SandboxOptions;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What an engine does when it is asked.
#[derive(Clone)]
enum Act {
    Answer(String),
    Truncate,
    Crash,
    Hang,
}

/// Gives the acts in order, over all the engines that it starts.
struct Script {
    acts: RefCell<VecDeque<Act>>,
    started: RefCell<Vec<Strategy>>,
    jobs: usize,
}

impl Script {
    fn new(acts: &[Act]) -> Script {
        Script {
            acts: RefCell::new(acts.iter().cloned().collect()),
            started: RefCell::default(),
            jobs: 1,
        }
    }
}

struct Actor<'s> {
    script: &'s Script,
    info: ModelInfo,
}

impl Engine for Actor<'_> {
    fn model(&self) -> &ModelInfo {
        &self.info
    }

    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        ScriptedEngine::new(ModelInfo::default(), [])
            .count_tokens(texts)
            .await
    }

    async fn complete(
        &mut self,
        request: &Request,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Answer, EngineError> {
        let act = self
            .script
            .acts
            .borrow_mut()
            .pop_front()
            .expect("more was asked than the script has");
        let mut engine = ScriptedEngine::new(self.info.clone(), []);
        match act {
            Act::Answer(text) => engine.push(&text, End::Complete),
            Act::Truncate => engine.push("{", End::Budget),
            Act::Crash => {
                return Err(EngineError::Crashed {
                    how: "signal 11".to_owned(),
                    log: vec![],
                });
            }
            Act::Hang => return std::future::pending().await,
        }
        engine.complete(request, progress).await
    }
}

impl<'s> Source for &'s Script {
    type Engine = Actor<'s>;

    fn name(&self) -> &str {
        "script"
    }

    fn jobs(&self) -> usize {
        self.jobs
    }

    async fn start(&self, strategy: Strategy) -> Result<(Actor<'s>, Profile), String> {
        self.started.borrow_mut().push(strategy);
        let info = ModelInfo {
            context_tokens: 16_000,
            ..ModelInfo::default()
        };
        let (profile, _) = Profile::of(&info).unwrap();
        Ok((Actor { script: self, info }, profile))
    }
}

fn config() -> EvalConfig {
    let checks = Checks {
        program: PathBuf::from(crate::support::PROGRAM),
        options: SandboxOptions {
            allow_none: true,
            ..SandboxOptions::default()
        },
    };
    let time = Duration::from_millis(1500);
    EvalConfig {
        temperature: 0.0,
        seed: 1,
        time,
        most_edits: None,
        least_edits: 1,
        follow: Some(Follow::No),
        gives_pick: false,
        asks_claim: false,
        edits_against: None,
        checks,
    }
}

fn tree(files: &[(&str, &str)]) -> Tree {
    files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()))
        .collect()
}

/// Change 3 to 5 in one of two files.
fn retries() -> EvalTask {
    let before = tree(&[
        ("src/net.py", "retries = 3\nwait = 3\n"),
        ("src/disk.py", "blocks = 3\n"),
    ]);
    let mut after = before.clone();
    after.insert("src/net.py".to_owned(), b"retries = 5\nwait = 3\n".to_vec());
    EvalTask {
        name: "suite/retries".to_owned(),
        suite: "suite".to_owned(),
        wordings: vec![
            "Set retries to 5".to_owned(),
            "Five retries, please".to_owned(),
        ],
        category: "number".to_owned(),
        level: "seed".to_owned(),
        language: "python".to_owned(),
        earlier: None,
        declines: false,
        before,
        accepted: vec![after],
        check: None,
    }
}

/// Runs a strategy once on each task; an act for each question.
fn rows(
    strategy: Strategy,
    tasks: &[EvalTask],
    config: &EvalConfig,
    acts: &[Act],
) -> (Vec<Row>, Vec<String>, usize) {
    let script = Script::new(acts);
    let jobs: Vec<Job> = tasks
        .iter()
        .map(|task| Job {
            strategy,
            label: strategy.name(),
            task,
            run: 1,
        })
        .collect();
    let mut rows = Vec::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut sink = |row| {
        rows.push(row);
        Ok(())
    };
    runtime
        .block_on(run(&&script, &jobs, config, &mut sink))
        .unwrap();
    assert!(
        script.acts.borrow().is_empty(),
        "less was asked than the script has"
    );
    let problems = problems(&rows)
        .into_iter()
        .map(|problem| problem.message)
        .collect();
    (rows, problems, script.started.borrow().len())
}

#[test]
fn free_answers_are_asked_of_a_model_of_their_own() {
    use Strategy::{Naive, Schema, SearchReplace, Slots};
    for (strategies, started) in [
        (
            vec![Slots, Naive, SearchReplace, Slots],
            vec![Slots, Naive, Slots],
        ),
        (vec![Slots, Schema], vec![Slots]),
        (vec![SearchReplace, Naive], vec![SearchReplace]),
    ] {
        let script = Script::new(&vec![Act::Truncate; strategies.len()]);
        let task = retries();
        let job = |&strategy: &Strategy| Job {
            strategy,
            label: "",
            task: &task,
            run: 1,
        };
        let jobs: Vec<Job> = strategies.iter().map(job).collect();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime
            .block_on(run(&&script, &jobs, &config(), &mut |_| Ok(())))
            .unwrap();
        assert_eq!(*script.started.borrow(), started, "{strategies:?}");
    }
}

fn says(text: impl ToString) -> Act {
    Act::Answer(text.to_string())
}

/// One strategy, one task, these answers: the verdict and its kind.
fn check(strategy: Strategy, task: EvalTask, answers: &[Act], verdict: Verdict, kind: &str) -> Row {
    let (mut rows, ..) = rows(strategy, &[task], &config(), answers);
    let row = rows.pop().unwrap();
    assert_eq!((row.verdict, row.kind.as_str()), (verdict, kind), "{row:?}");
    assert_eq!(
        row.passed,
        verdict == Verdict::Right || kind == "rightly",
        "{row:?}"
    );
    row
}

fn declined_task() -> EvalTask {
    EvalTask {
        earlier: None,
        declines: true,
        accepted: vec![],
        level: "decline".to_owned(),
        ..retries()
    }
}

const PICK: &str = r#"{"path":"src/net.py","operation":"replace"}"#;

#[test]
fn two_stages_come_to_their_verdicts() {
    for strategy in [Strategy::Slots, Strategy::Schema] {
        let right = json!({"old":"retries = 3","new":"retries = 5"});
        let row = check(
            strategy,
            retries(),
            &[says(PICK), says(&right)],
            Verdict::Right,
            "",
        );
        assert!(
            row.diff.contains("+retries = 5") && row.answers.len() == 2,
            "{row:?}"
        );
        let wrong = json!({"old":"wait = 3","new":"wait = 5"});
        check(
            strategy,
            retries(),
            &[says(PICK), says(wrong)],
            Verdict::Judgment,
            "wrong_place",
        );
        let other = json!({"old":"retries = 3","new":"retries = 6"});
        check(
            strategy,
            retries(),
            &[says(PICK), says(other)],
            Verdict::Judgment,
            "wrong_text",
        );
        let blanks = json!({"old":"retries = 3","new":"retries  = 5"});
        check(
            strategy,
            retries(),
            &[says(PICK), says(blanks)],
            Verdict::Judgment,
            "white_space",
        );
        let nothing = json!({"old":"retries = 3","new":"retries = 3"});
        check(
            strategy,
            retries(),
            &[says(PICK), says(&nothing)],
            Verdict::Judgment,
            "no_change",
        );
        let other = says(r#"{"path":"src/disk.py","operation":"replace"}"#);
        let blocks = says(json!({"old":"3","new":"5"}));
        check(
            strategy,
            retries(),
            &[other, blocks],
            Verdict::Judgment,
            "wrong_file",
        );
        let no = says(r#"{"operation":"none","reason":"already_done"}"#);
        check(
            strategy,
            retries(),
            std::slice::from_ref(&no),
            Verdict::Declined,
            "wrongly",
        );
        check(
            strategy,
            declined_task(),
            &[no],
            Verdict::Declined,
            "rightly",
        );
        check(
            strategy,
            declined_task(),
            &[says(PICK), says(right)],
            Verdict::Judgment,
            "edited",
        );
        check(
            strategy,
            declined_task(),
            &[says(PICK), says(nothing)],
            Verdict::Declined,
            "rightly",
        );
        check(
            strategy,
            retries(),
            &[Act::Truncate],
            Verdict::Truncated,
            "",
        );
        check(strategy, retries(), &[Act::Hang], Verdict::Timeout, "");
    }
}

#[test]
fn what_is_no_edit_is_told_apart() {
    let schema = |answers: &[Act], kind: &str| {
        check(
            Strategy::Schema,
            retries(),
            answers,
            Verdict::Mechanics,
            kind,
        )
    };
    schema(&[says("I would edit net.py")], "no_json");
    schema(
        &[
            says(PICK),
            says(json!({"before":"retries = 3","after":"5"})),
        ],
        "unknown_key",
    );
    schema(
        &[
            says(PICK),
            says(json!({"old":"retry = 3","new":"retry = 5"})),
        ],
        "text_not_found",
    );
    schema(
        &[says(PICK), says(json!({"old":"3","new":"5"}))],
        "ambiguous",
    );
    schema(
        &[says(r#"{"path":"src/network.py","operation":"replace"}"#)],
        "path_not_real",
    );
}

#[test]
fn one_free_answer_comes_to_its_verdict() {
    let call = |path: &str, text: &str| {
        says(json!({"tool":"write_file","arguments":{"path":path,"content":text}}))
    };
    check(
        Strategy::Naive,
        retries(),
        &[call("src/net.py", "retries = 5\nwait = 3\n")],
        Verdict::Right,
        "",
    );
    check(
        Strategy::Naive,
        retries(),
        &[call("net.py", "retries = 5\nwait = 3\n")],
        Verdict::Right,
        "",
    );
    check(
        Strategy::Naive,
        retries(),
        &[call("src/net.py", "retries = 5\n# rest\n")],
        Verdict::Judgment,
        "wrong_text",
    );
    check(
        Strategy::Naive,
        retries(),
        &[call("src/net.py", "retries = = 5\n")],
        Verdict::Judgment,
        "syntax",
    );
    check(
        Strategy::Naive,
        retries(),
        &[says("Done!")],
        Verdict::Mechanics,
        "no_json",
    );
    let block = |old: &str| {
        says(format!(
            "src/net.py\n<<<<<<< SEARCH\n{old}\n=======\nretries = 5\n>>>>>>> REPLACE\n"
        ))
    };
    check(
        Strategy::SearchReplace,
        retries(),
        &[block("retries = 3")],
        Verdict::Right,
        "",
    );
    check(
        Strategy::SearchReplace,
        retries(),
        &[block("tries = 4")],
        Verdict::Mechanics,
        "text_not_found",
    );
    check(
        Strategy::SearchReplace,
        declined_task(),
        &[says("NO EDIT: it is 5 already")],
        Verdict::Declined,
        "rightly",
    );
}

#[test]
fn a_crash_is_a_row_and_the_next_task_is_run_by_a_new_process() {
    let right = says(json!({"old":"retries = 3","new":"retries = 5"}));
    let acts = [Act::Crash, says(PICK), right];
    let (rows, problems, n_started) =
        rows(Strategy::Slots, &[retries(), retries()], &config(), &acts);
    assert_eq!(
        rows.iter().map(|row| row.kind.as_str()).collect::<Vec<_>>(),
        ["no_answer", ""]
    );
    assert!(
        rows[0].message.contains("signal 11") && problems == [rows[0].message.clone()],
        "{problems:?}"
    );
    assert_eq!(n_started, 2);
}

#[test]
fn several_answers_are_asked_for_at_once_and_none_is_lost() {
    let call = says(
        json!({"tool":"write_file","arguments":{"path":"src/net.py","content":"retries = 5\n\
            wait = 3\n"}}),
    );
    let script = Script {
        jobs: 3,
        ..Script::new(&vec![call; 7])
    };
    let tasks: Vec<EvalTask> = (0..7)
        .map(|i| EvalTask {
            name: format!("suite/{i}"),
            ..retries()
        })
        .collect();
    let job = |task| Job {
        strategy: Strategy::Naive,
        label: "naive",
        task,
        run: 1,
    };
    let jobs: Vec<Job> = tasks.iter().map(job).collect();
    let mut names = std::collections::BTreeSet::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut sink = |row: Row| {
        assert!(row.passed, "{row:?}");
        names.insert(row.task);
        Ok(())
    };
    runtime
        .block_on(run(&&script, &jobs, &config(), &mut sink))
        .unwrap();
    assert_eq!((names.len(), script.started.borrow().len()), (7, 3));
}

#[test]
fn the_right_pick_is_given_and_only_the_writing_is_asked() {
    let config = EvalConfig {
        gives_pick: true,
        ..config()
    };
    let (rows, ..) = rows(
        Strategy::Slots,
        &[retries()],
        &config,
        &[says(json!({"old":"retries = 3","new":"retries = 5"}))],
    );
    assert_eq!(rows[0].verdict, Verdict::Right);
    // To decline is the model's own.
    let (rows, ..) = self::rows(
        Strategy::Slots,
        &[declined_task()],
        &config,
        &[says(r#"{"operation":"none","reason":"unclear"}"#)],
    );
    assert_eq!(rows[0].kind, "rightly");
}

#[test]
fn a_claim_is_kept_beside_the_verdict_and_changes_nothing() {
    let config = EvalConfig {
        asks_claim: true,
        ..config()
    };
    let wrong = says(json!({"old":"wait = 3","new":"wait = 5"}));
    let (rows, ..) = rows(
        Strategy::Slots,
        &[retries()],
        &config,
        &[says(PICK), wrong, says(r#"{"done":true}"#)],
    );
    assert_eq!(
        (rows[0].verdict, rows[0].passed, rows[0].claim),
        (Verdict::Judgment, false, Some(true))
    );
    let (rows, ..) = self::rows(
        Strategy::Naive,
        &[retries()],
        &config,
        &[says("Done!"), says("maybe")],
    );
    assert_eq!(rows[0].claim, None);
}

fn checked(command: &[&str], files: &[(&str, &str)]) -> EvalTask {
    let command = command.iter().copied().map(str::to_owned).collect();
    let check = Check {
        command,
        time: Duration::from_secs(3),
        files: tree(files),
    };
    EvalTask {
        accepted: vec![],
        check: Some(check),
        ..retries()
    }
}

#[test]
fn a_check_decides() {
    let answers = [
        says(PICK),
        says(json!({"old":"retries = 3","new":"retries = 5"})),
    ];
    let judged =
        |task: EvalTask, verdict, kind| check(Strategy::Slots, task, &answers, verdict, kind);
    let greps = |what: &str| {
        format!("grep -q '{what}' src/net.py || {{ echo it is not there; exit 1; }}\n")
    };
    judged(
        checked(&["sh", "check.sh"], &[("check.sh", &greps("retries = 5"))]),
        Verdict::Right,
        "",
    );
    let row = judged(
        checked(&["sh", "check.sh"], &[("check.sh", &greps("retries = 6"))]),
        Verdict::Judgment,
        "check_failed",
    );
    assert!(row.message.contains("it is not there"), "{row:?}");
    // An edit of what checks it is overwritten.
    let weakened = checked(&["sh", "src/net.py"], &[("src/net.py", "exit 3\n")]);
    judged(weakened, Verdict::Judgment, "check_failed");
}

#[test]
fn a_check_that_hangs_or_cannot_be_run_is_reported_and_the_run_goes_on() {
    let answers = [
        says(PICK),
        says(json!({"old":"retries = 3","new":"retries = 5"})),
    ];
    let acts: Vec<Act> = std::iter::repeat_n(answers, 3).flatten().collect();
    let tasks = [
        checked(&["sh", "-c", "sleep 600"], &[]),
        checked(&["no-such-program"], &[]),
        retries(),
    ];
    let (rows, problems, _) = rows(Strategy::Slots, &tasks, &config(), &acts);
    assert_eq!(
        rows.iter().map(|row| row.kind.as_str()).collect::<Vec<_>>(),
        ["not_checked", "not_checked", ""]
    );
    assert!(
        problems
            .iter()
            .any(|problem| problem.contains("did not end within 3 s")),
        "{problems:?}"
    );
    assert_eq!(problems.len(), 2, "{problems:?}");
}

fn public_set(name: &str) -> Suites {
    public_set::read(
        &Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/public_sets")
            .join(name),
    )
    .unwrap()
}

/// Runs answers to a task of a public set through its check: a right one that is written otherwise
/// than the known one, one that changes nothing but whitespace, and one that ends the process.
fn check_set_task(task: &EvalTask, old: &str, new: &str, exits: &str) {
    assert_eq!(reason_against(task), None);
    let path = task.before.keys().next().unwrap();
    let pick = says(json!({"path":path,"operation":"replace"}));
    let becomes = |new: &str| [pick.clone(), says(json!({"old":old,"new":new}))];
    let row = check(
        Strategy::Slots,
        task.clone(),
        &becomes(new),
        Verdict::Right,
        "",
    );
    assert_eq!(row.message, "its check passes");
    let wrong = becomes(&format!("{old} "));
    check(
        Strategy::Slots,
        task.clone(),
        &wrong,
        Verdict::Judgment,
        "check_failed",
    );
    let ended = becomes(exits);
    let row = check(
        Strategy::Slots,
        task.clone(),
        &ended,
        Verdict::Judgment,
        "check_failed",
    );
    assert!(
        row.message.contains("it ended before its test did"),
        "{row:?}"
    );
}

/// Why a task is not run, if so.
fn reason_against(task: &EvalTask) -> Option<String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(unsound(task, &config().checks))
}

fn has(program: &str, version: &str) -> bool {
    let runs = std::process::Command::new(program)
        .arg(version)
        .output()
        .is_ok_and(|output| output.status.success());
    if !runs {
        println!("skipped in part: there is no {program}");
    }
    runs
}

#[test]
fn rows_of_human_eval_fix_are_tasks() {
    let suites = public_set("human_eval_fix.jsonl");
    let names: Vec<&str> = suites.tasks.iter().map(|task| task.name.as_str()).collect();
    let rows = ["python-0", "rust-0", "javascript-0", "go-0", "python-1"];
    assert_eq!(names, rows.map(|row| format!("human_eval_fix/{row}")));
    assert!(
        suites.broken[0].reason.contains("Java"),
        "{:?}",
        suites.broken
    );
    let [python, rust, javascript, go, mended] = suites.tasks.as_slice() else {
        unreachable!()
    };
    assert_eq!(python.wordings, ["Fix bugs in widest_gap."]);
    if has("python3", "--version") {
        check_set_task(python, "min((", "1 * max((", "exit(0) or min((");
        let reason = reason_against(mended).unwrap();
        assert_eq!(reason, "its check passes before any edit");
    }
    if has("rustc", "--version") {
        let exits = "std::process::exit(0)";
        let right = "(bottles + per_crate - 1) / per_crate";
        check_set_task(rust, "bottles / per_crate", right, exits);
    }
    if has("node", "--version") {
        check_set_task(
            javascript,
            "line.split(' ')",
            "line.trim().split(/ +/)",
            "process.exit(0)",
        );
    }
    if has("go", "version") {
        assert_eq!(reason_against(go), None);
    } else {
        let reason = reason_against(go).unwrap();
        assert!(reason.contains("cannot be run"), "{reason}");
    }
}

#[test]
fn rows_of_edit_eval_are_tasks() {
    let suites = public_set("edit_eval.jsonl");
    assert_eq!((suites.tasks.len(), suites.broken.len()), (5, 0));
    let [greeting, total, numbered, hello, square] = suites.tasks.as_slice() else {
        unreachable!()
    };
    if has("python3", "--version") {
        check_set_task(greeting, "+ name", "+ name + chr(33)", "+ exit(0)");
        // Its context has the solution twice: as code, and as text.
        let right = "def other(): 0\n\n    def sum_of";
        check_set_task(
            total,
            "def total",
            right,
            "def total(_=exit(0)): 0\n    def other",
        );
        check_set_task(
            numbered,
            "enumerate(lines)",
            "enumerate(lines, start=1)",
            "exit(0)",
        );
        assert_eq!(
            reason_against(hello).unwrap(),
            "its check passes before any edit"
        );
        let reason = reason_against(square).unwrap();
        let fails = "its known right answer fails its check: ModuleNotFoundError";
        assert!(reason.starts_with(fails), "{reason}");
    }
}

#[test]
fn rows_of_can_it_edit_and_quix_bugs_are_tasks() {
    let seats = public_set("can_it_edit.jsonl").tasks;
    let [seats] = seats.as_slice() else {
        panic!("{seats:?}")
    };
    assert_eq!(seats.name, "can_it_edit/seats");
    assert_eq!(seats.wordings[1], "sort the free seats");
    let bugs = public_set("quix_bugs.jsonl").tasks;
    let [longest, sound] = bugs.as_slice() else {
        panic!("{bugs:?}")
    };
    assert_eq!(longest.wordings, ["Fix the bug in longest."]);
    if has("python3", "--version") {
        let list = "[s for s in seats if s > 0]";
        check_set_task(seats, list, &format!("sorted({list})"), "exit(0) or [0]");
        check_set_task(longest, "< len", "> 0 + len", "< exit(0) or len");
        assert_eq!(
            reason_against(sound).unwrap(),
            "its check passes before any edit"
        );
    }
}

#[test]
fn a_file_that_is_no_set_says_so() {
    let dir = crate::support::folder(&[("a.jsonl", b"{\"question\":1}\n"), ("b.jsonl", b"")]);
    for name in ["a.jsonl", "b.jsonl"] {
        let said = public_set::read(&dir.path().join(name))
            .unwrap_err()
            .to_string();
        assert!(said.contains(public_set::NAMES), "{said}");
    }
}

#[test]
fn a_tasks_check_mends_edits_where_it_may() {
    let complains =
        "grep -q 'wait = 5' src/net.py || { echo 'src/net.py:2: error: wait'; exit 1; }";
    let mut task = retries();
    let both = b"retries = 5\nwait = 5\n".to_vec();
    task.accepted[0].insert("src/net.py".to_owned(), both);
    task.check = Some(Check {
        command: ["sh", "-c", complains].map(str::to_owned).to_vec(),
        time: Duration::from_secs(30),
        files: Tree::new(),
    });
    let first = [
        says(PICK),
        says(json!({"old":"retries = 3","new":"retries = 5"})),
    ];
    let further = [says(PICK), says(json!({"old":"wait = 3","new":"wait = 5"}))];
    let all = [first.as_slice(), &further].concat();
    for (against, acts, verdict) in [
        (None, first.as_slice(), Verdict::Judgment),
        // It complains of the same without the edit.
        (Some(Against::Before), &first, Verdict::Judgment),
        (Some(Against::Nothing), &all, Verdict::Right),
    ] {
        let config = EvalConfig {
            edits_against: against,
            time: Duration::from_secs(60),
            ..config()
        };
        let (rows, ..) = rows(Strategy::Slots, &[task.clone()], &config, acts);
        assert_eq!(rows[0].verdict, verdict, "{against:?}: {:?}", rows[0]);
    }
}
