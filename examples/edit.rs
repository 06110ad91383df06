//! What `slotwright mcp` and `slotwright acp` do, by the library: a model that stays loaded makes
//! edits, and the gate writes them.
//!
//! `cargo run --release --example edit -- FOLDER MODEL.gguf "TASK" "TASK" …` shows each edit and
//! asks. Without arguments the answers are given beforehand, and the folder is made up.

use slotwright::diff::unified;
use slotwright::engine::adapter::AdapterChoice;
use slotwright::engine::process::{CHILD_ARGUMENT, ModelProcess};
use slotwright::engine::protocol::Load;
use slotwright::engine::scripted::ScriptedEngine;
use slotwright::engine::{Engine, EngineError, ModelInfo, Progress, child};
use slotwright::flow::{self, GenerateOptions, Session, Verdict};
use slotwright::prompt::Profile;
use slotwright::review::gate::{Decision, Gate, Notice, Policy, Proposal, ProposedFile, Reviewer};
use slotwright::serve::{Resident, StartEngine};
use slotwright::task::Task;
use slotwright::workspace::{Change, Workspace};
use std::error::Error;
use std::io::{self, IsTerminal};
use std::path::Path;

/// Makes the edits of some tasks, one after the other. The engine is started once.
async fn edit_all<S: StartEngine<Error = EngineError>>(
    folder: &Path,
    tasks: &[&str],
    starter: S,
) -> Result<(), Box<dyn Error>> {
    let mut resident = Resident::new(starter);
    let state = std::env::temp_dir().join("slotwright-example"); // for undo
    for sentence in tasks {
        let task = Task::new(sentence, vec![])?;
        let workspace = Workspace::open(folder)?;
        let progress = &mut |_| {};
        let work = resident.run(progress, async |engine, progress| {
            let options = GenerateOptions::new(Profile::of(engine.model())?.0);
            let mut session = Session {
                workspace: &workspace,
                engine,
                options,
                progress,
            };
            Ok::<_, Box<dyn Error>>(flow::edit(&task, &mut session).await?)
        });
        let patched = match work.await??.verdict {
            Verdict::Proposed(patched) => patched,
            other => {
                println!("no edit: {other:?}");
                continue;
            }
        };
        let diff = patched.diff();
        let change = match diff.before {
            Some(before) => Change::replace(&patched.path, before.bytes(), &patched.after),
            None => Change::create(&patched.path, &patched.after),
        };
        let (path, changes) = (patched.path.clone(), vec![change]);
        let files = [ProposedFile {
            path,
            changes,
            diff: unified(&diff),
            seams: Vec::new(),
        }];
        let proposal = Proposal {
            files: &files,
            remarks: &[],
            warnings: &[],
            description: sentence,
        };
        let policy = if io::stdin().is_terminal() {
            Policy::Ask
        } else {
            Policy::DryRun
        };
        let mut gate = Gate {
            workspace: &workspace,
            state: &state,
            policy,
            reviewer: Terminal,
        };
        if let Err(error) = gate.pass(&proposal).await {
            println!("{error}");
        }
    }
    Ok(())
}

/// The person at the gate.
struct Terminal;

impl Reviewer for Terminal {
    fn show(&mut self, files: &[ProposedFile], _: Policy) -> io::Result<()> {
        files.iter().for_each(|file| print!("{}", file.diff));
        Ok(())
    }

    fn tell(&mut self, notice: Notice<'_>) {
        println!("{notice:?}");
    }

    fn can_be_asked(&self) -> bool {
        true
    }

    async fn decide(&mut self, question: &str, _: &[ProposedFile]) -> Decision {
        println!("{question} [y/N]");
        match io::stdin().lines().next() {
            Some(Ok(line)) if line == "y" => Decision::All,
            _ => Decision::No,
        }
    }
}

/// A model on this machine. It runs in a process of its own: this program, started once more.
struct Local(Load);

impl StartEngine for Local {
    type Engine = ModelProcess;
    type Error = EngineError;

    async fn start(
        &mut self,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<ModelProcess, EngineError> {
        let program = std::env::current_exe().map_err(|e| EngineError::Process(e.to_string()))?;
        ModelProcess::start(&program, self.0.clone(), progress).await
    }
}

/// Answers that are given beforehand.
struct Scripted([&'static str; 2]);

impl StartEngine for Scripted {
    type Engine = ScriptedEngine;
    type Error = EngineError;

    async fn start(&mut self, _: &mut dyn FnMut(Progress)) -> Result<ScriptedEngine, EngineError> {
        let model = ModelInfo {
            context_tokens: 8_192,
            ..ModelInfo::default()
        };
        Ok(ScriptedEngine::new(model, self.0))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        [argument] if *argument == CHILD_ARGUMENT => child::run(),
        [] => {
            let folder = tempfile::tempdir()?;
            std::fs::write(folder.path().join("greet.py"), "print('hello')\n")?;
            let pick = r#"{"path":"greet.py","operation":"replace"}"#;
            let slots = r#"{"old":"hello","new":"good morning"}"#;
            edit_all(
                folder.path(),
                &["Say good morning"],
                Scripted([pick, slots]),
            )
            .await
        }
        [folder, model, tasks @ ..] => {
            let load = Load {
                model: model.into(),
                adapter: AdapterChoice::Own {
                    folder: std::env::temp_dir().join("slotwright"),
                },
                threads: std::thread::available_parallelism()?.get(),
                check_memory: true,
                ..Load::default()
            };
            edit_all(Path::new(folder), tasks, Local(load)).await
        }
        _ => Err("usage: edit [FOLDER MODEL TASK…]".into()),
    }
}
