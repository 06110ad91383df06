//! What several test files need: folders, the program itself, models made on the spot.

#[cfg(unix)]
pub mod editor;
pub mod evaluations;
pub mod fuzzed;
pub mod gguf;
pub mod likely;
pub mod model_stores;
pub mod models;
pub mod processes;
pub mod published;
pub mod published_runs;
pub mod quantizer;
pub mod random;
pub mod real_models;
pub mod rpc;
#[cfg(unix)]
pub mod script;
pub mod server;
pub mod terminal;
pub mod texts;
pub mod tree;
pub mod vocabularies;
pub mod zoo;

use slotwright::constrain::{Constraint, Spec};
use slotwright::engine::{Engine, Request};
use slotwright::flow::{self, FlowError, GenerateOptions, Outcome, Session};
use slotwright::task::Task;
use slotwright::workspace::Workspace;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_slotwright");

/// The same, or another build of it: `./x dist` names the one in the unpacked archive.
pub fn program() -> PathBuf {
    std::env::var_os("SLOTWRIGHT_PROGRAM").map_or_else(|| PathBuf::from(PROGRAM), PathBuf::from)
}

/// A folder with these files.
pub fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    dir
}

/// Runs the pipeline once, without a word on how far it is.
pub async fn ask<E: Engine>(
    task: &Task,
    workspace: &Workspace,
    options: GenerateOptions,
    engine: &mut E,
) -> Result<Outcome, FlowError> {
    flow::edit(
        task,
        &mut Session {
            workspace,
            engine,
            options,
            progress: &mut |_| {},
        },
    )
    .await
}

/// Whether the constraint of a request lets an answer through.
pub fn is_let_through(request: &Request, answer: &str) -> bool {
    // The first line of an answer that goes on ends with a newline.
    let constraint = constraint(request);
    constraint.accepts(answer.as_bytes()) || constraint.accepts(format!("{answer}\n").as_bytes())
}

/// Whether it lets an answer begin like this.
pub fn starts_an_answer(request: &Request, text: &str) -> bool {
    let constraint = constraint(request);
    text.bytes()
        .try_fold(constraint.start(), |state, byte| {
            constraint.step(state, byte)
        })
        .is_some()
}

fn constraint(request: &Request) -> Constraint {
    let Spec::Slots(spec) = &request.spec else {
        panic!("no slots are asked for")
    };
    Constraint::new(spec)
}

/// `slotwright edit` on a folder with the bundled model, and with nobody at a terminal.
pub fn edit(root: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(PROGRAM);
    command.arg("edit").arg("--root").arg(root).args(arguments);
    run(&mut command)
}

/// Runs a command with nothing on standard input and a cache of the tests' own.
pub fn run(command: &mut Command) -> Run {
    quiet(command);
    Run::from(command.output().unwrap())
}

/// Nothing of the person who runs the tests reaches the program: their models least of all, since
/// the best of them would be used instead of the bundled one.
pub fn quiet(command: &mut Command) -> &mut Command {
    without_models(command)
        .stdin(Stdio::null())
        .env("SLOTWRIGHT_MODEL", "bundled")
        .env_remove("SLOTWRIGHT_ENGINE")
        .env_remove("SLOTWRIGHT_LOG")
        .env_remove("NO_COLOR")
        .env_remove("SLOTWRIGHT_API_KEY")
        .env_remove("OPENAI_API_KEY")
        .env("XDG_CACHE_HOME", cache())
        .env("XDG_STATE_HOME", state())
        .env("XDG_CONFIG_HOME", config())
}

/// A folder for configurations that never exists: a developer's own must not decide a test. HOME
/// stays, because commands of tests find their tools there.
fn config() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-config")
}

/// Takes away what leads to the models of the person who runs the tests.
pub fn without_models(command: &mut Command) -> &mut Command {
    for variable in [
        "LLAMA_CACHE",
        "HF_HUB_CACHE",
        "HUGGINGFACE_HUB_CACHE",
        "HF_HOME",
    ] {
        command.env_remove(variable);
    }
    let nowhere = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nowhere");
    command
        .env("HOME", &nowhere)
        .env("XDG_DATA_HOME", nowhere.join("data"))
        // Named, because the folder of Ollama's service is looked for under no home.
        .env("OLLAMA_MODELS", nowhere.join("ollama"))
}

/// A folder for journals that all tests share; each folder that is edited has its own in it.
pub fn state() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("state")
}

/// A cache folder that all tests share.
pub fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")
}

/// What a run of the program came to.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        Run {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    /// The environment is at fault: exit code 4, and one line that says this, with hints at most
    /// after it.
    #[track_caller]
    pub fn fails(self, message: &str) -> Run {
        let is_note = |line: &&str| {
            line.starts_with("slotwright: using ") || line.starts_with("slotwright: replaces ")
        };
        let lines: Vec<&str> = self.stderr.lines().filter(|line| !is_note(line)).collect();
        let is_clear = lines
            .first()
            .is_some_and(|line| line.starts_with("slotwright: "))
            && lines[1..].iter().all(|line| line.starts_with("  hint: "));
        assert!(is_clear, "{self:#?}");
        self.says(4, message)
    }

    /// The exit code is this, and standard error says this.
    #[track_caller]
    pub fn says(self, code: i32, message: &str) -> Run {
        assert_eq!(self.code, Some(code), "{self:#?}");
        assert!(
            self.stderr.contains(message),
            "{message:?} is not in {self:#?}"
        );
        self
    }
}
