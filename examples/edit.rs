//! One edit by the library: a folder, a task and a model in, a diff out. Nothing is written.
//!
//! With a model: `cargo run --release --example edit -- FOLDER "TASK" MODEL.gguf`. Without
//! arguments the answers are given beforehand, and the folder is made up.

use slotwright::diff::unified;
use slotwright::engine::adapter::AdapterChoice;
use slotwright::engine::process::{CHILD_ARGUMENT, ModelProcess};
use slotwright::engine::protocol::Load;
use slotwright::engine::scripted::ScriptedEngine;
use slotwright::engine::{Engine, ModelInfo, child};
use slotwright::flow::{self, GenerateOptions, Session, Verdict};
use slotwright::prompt::Profile;
use slotwright::task::Task;
use slotwright::workspace::Workspace;
use std::error::Error;
use std::path::Path;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        // The model runs in a process of its own: this program, started once more.
        [argument] if *argument == CHILD_ARGUMENT => child::run(),
        [] => {
            let folder = tempfile::tempdir()?;
            std::fs::write(folder.path().join("greet.py"), "print('hello')\n")?;
            let pick = r#"{"path":"greet.py","operation":"replace"}"#;
            let slots = r#"{"old":"hello","new":"good morning"}"#;
            let model = ModelInfo { context_tokens: 8_192, ..ModelInfo::default() };
            let mut engine = ScriptedEngine::new(model, [pick, slots]);
            propose(folder.path(), "Say good morning", &mut engine).await
        }
        [folder, task, model] => {
            let load = Load {
                model: model.into(),
                adapter: AdapterChoice::Own { folder: std::env::temp_dir().join("slotwright") },
                threads: std::thread::available_parallelism()?.get(),
                verbose: false,
                check_memory: true,
                prefixes: None,
            };
            let program = std::env::current_exe()?;
            let mut engine = ModelProcess::start(&program, load, &mut |_| {}).await?;
            propose(Path::new(folder), task, &mut engine).await
        }
        _ => Err("usage: edit [FOLDER TASK MODEL]".into()),
    }
}

/// Asks the model for the edit, and prints it.
async fn propose<E: Engine>(
    folder: &Path,
    task: &str,
    engine: &mut E,
) -> Result<(), Box<dyn Error>> {
    let workspace = Workspace::open(folder)?;
    let (profile, _) = Profile::of(engine.model())?;
    let mut session = Session {
        workspace: &workspace,
        engine,
        options: GenerateOptions::new(profile),
        progress: &mut |_| {},
    };
    let outcome = flow::edit(&Task::new(task, vec![])?, &mut session).await?;
    match outcome.verdict {
        Verdict::Proposed(patched) => print!("{}", unified(&patched.diff())),
        other => println!("no edit: {other:?}"),
    }
    Ok(())
}
