//! Other places that have a text which an edit replaced.

use crate::support::folder;
use slotwright::constrain::Spec;
use slotwright::engine::scripted::ScriptedEngine;
use slotwright::engine::{Given, MESSAGES, ModelInfo, Weights};
use slotwright::flow::follow::follow;
use slotwright::flow::steps::{Steps, edit_in_steps};
use slotwright::flow::{Follow, GenerateOptions, Session};
use slotwright::prompt::Profile;
use slotwright::task::{Context, Task};
use slotwright::workspace::Workspace;

const STORE: &str = "def save(path):\n    make(path, 0o666)\n\n\ndef touch(path):\n    \
                     make(path, 0o666)\n\n\ndef spool(path):\n    pipe(path, 0o666)\n";

const PICK: &str = r#"{"path":"store.py","operation":"replace"}"#;
const SLOTS: &str =
    r#"{"old":"    make(path, 0o666)","place":"save, line 2","new":"    make(path, 0o644)"}"#;

/// The logarithms of the probabilities of a line as it is, and with the new text.
type Logs = (f64, f64);

const MEANT: Logs = (-8.0, -1.0);
/// The new text is likelier, but not by enough.
const NOT_MEANT: Logs = (-7.0, -1.0);

struct Scene {
    profile: Option<&'static str>,
    files: Vec<(&'static str, &'static str)>,
    task: Task,
}

impl Scene {
    fn new() -> Scene {
        Scene {
            profile: None,
            files: vec![("store.py", STORE)],
            task: Task::new("Use 0644", vec![]).unwrap(),
        }
    }

    /// Makes the edit of `save`, where the places have these probabilities one after the other.
    async fn run(self, logs: &[Logs]) -> (Steps, ScriptedEngine) {
        let files: Vec<(&str, &[u8])> = self
            .files
            .iter()
            .map(|(path, text)| (*path, text.as_bytes()))
            .collect();
        let dir = folder(&files);
        let workspace = Workspace::open(dir.path()).unwrap();
        let model = ModelInfo {
            context_tokens: 4_096,
            profile: self.profile.map(str::to_owned),
            ..ModelInfo::default()
        };
        let profile = Profile::of(&model).unwrap().0;
        let mut engine = ScriptedEngine::new(model, [PICK, SLOTS]);
        for (kept, replaced) in logs {
            engine.logs.extend([*kept, *replaced]);
        }

        let mut session = Session {
            workspace: &workspace,
            engine: &mut engine,
            options: GenerateOptions {
                follow: Follow::Named,
                ..GenerateOptions::new(profile)
            },
            progress: &mut |_| {},
        };
        let mut steps = edit_in_steps(&self.task, &mut session).await.unwrap();
        follow(&self.task, &mut steps, &mut session).await;
        assert_eq!(engine.requests.len(), 2 + 2 * logs.len());
        (steps, engine)
    }
}

fn after(steps: &Steps) -> Vec<(String, String)> {
    let changes = steps.changes().into_iter();
    changes
        .map(|it| (it.path, String::from_utf8(it.after).unwrap()))
        .collect()
}

fn file(path: &str, text: &str) -> (String, String) {
    (path.to_owned(), text.to_owned())
}

#[tokio::test]
async fn each_other_place_is_the_models_to_decide() {
    let (steps, engine) = Scene::new().run(&[MEANT, NOT_MEANT]).await;
    let expected = STORE.replacen("0o666", "0o644", 2);
    assert_eq!(after(&steps), [file("store.py", &expected)]);
    let elsewhere = &steps.elsewhere[0];
    assert_eq!(elsewhere.replaced, [("store.py".to_owned(), 6)]);
    assert_eq!(elsewhere.kept, [("store.py".to_owned(), 10)]);

    // Asked is the model without its adapter. It continues what it has decided so far.
    let request = &engine.requests[5];
    assert_eq!(request.weights, Weights::Base);
    assert_eq!(request.spec, Spec::Free);
    let given = Given::Whole(" 0o644)".to_owned());
    assert_eq!(request.given, Some(given));
    let begun = request.prompt.last().unwrap().as_str();
    assert_eq!(begun.matches("0o644").count(), 2, "{begun}");
    assert!(
        begun.ends_with("def spool(path):\n    pipe(path,"),
        "{begun}"
    );
}

#[tokio::test]
async fn other_files_follow_if_no_file_is_named() {
    let doc = "Files are made with mode 0o666.\n";
    let mut scene = Scene::new();
    scene.files.push(("doc.md", doc));
    let (steps, _) = scene.run(&[MEANT, MEANT, MEANT]).await;
    let all = [
        file("store.py", &STORE.replace("666", "644")),
        file("doc.md", &doc.replace("666", "644")),
    ];
    assert_eq!(after(&steps), all);

    let mut scene = Scene::new();
    scene.files.push(("doc.md", doc));
    scene.task = Task::new("Use 0644", vec!["store.py".to_owned()]).unwrap();
    let (steps, _) = scene.run(&[MEANT, MEANT]).await;
    assert_eq!(after(&steps), all[..1]);
}

#[tokio::test]
async fn where_the_model_takes_all_it_is_asked_about_the_rest_follows() {
    let rest: String = (0..12).map(|n| format!("pipe({n}, 0o666)\n")).collect();
    let text: &'static str = (STORE.to_owned() + &rest).leak();
    let scene = |logs: usize| {
        let mut scene = Scene::new();
        scene.files = vec![("store.py", text)];
        (scene, vec![MEANT; logs])
    };
    let (first, mut logs) = scene(8);
    let (steps, _) = first.run(&logs).await;
    assert_eq!(after(&steps)[0].1, text.replace("666", "644"));
    assert_eq!(steps.elsewhere[0].replaced.len(), 14);

    logs[3] = NOT_MEANT;
    let (steps, _) = scene(8).0.run(&logs).await;
    assert_eq!(steps.elsewhere[0].replaced.len(), 7);
    assert_eq!(steps.elsewhere[0].kept.len(), 7);
}

#[tokio::test]
async fn given_lines_and_models_on_a_server_are_not_asked() {
    let mut scene = Scene::new();
    let context = Context {
        lines: Some(1..=2),
        ..Context::default()
    };
    scene.task = Task::new("Use 0644", vec!["store.py".to_owned()])
        .unwrap()
        .within(context);
    let (steps, _) = scene.run(&[]).await;
    assert_eq!(steps.elsewhere, []);

    let mut scene = Scene::new();
    scene.profile = Some(MESSAGES);
    let (steps, _) = scene.run(&[]).await;
    assert_eq!(steps.elsewhere[0].replaced, []);
    assert_eq!(steps.elsewhere[0].kept.len(), 2);
}
