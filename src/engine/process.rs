//! The parent's side of a model in a child process of the same binary.

use super::answer::Answer;
use super::device::{DeviceChoice, Devices};
use super::error::EngineError;
use super::interface::{Engine, Progress};
use super::model_info::ModelInfo;
use super::protocol::{ChildCommand, ChildEvent, Load};
use super::request::Request;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;
use tracing::debug;
use tracing::level_filters::LevelFilter;

/// The hidden argument that makes the binary a model process.
pub const CHILD_ARGUMENT: &str = "model-process";

/// The number of lines of the child's standard error that are kept for an error message.
const KEPT_LINES: usize = 12;

/// The longest event, in bytes. An answer has some thousand tokens.
const MAX_EVENT: u64 = 64 << 20;

/// A model process that is silent this long is considered stuck. While it computes it gives a sign
/// of life every second.
pub const SILENCE: Duration = Duration::from_secs(60);

/// How the threads of OpenMP wait for each other, more than a thousand times in an evaluation. By
/// default they spin for milliseconds, which makes them a hundred times slower on a busy machine. If
/// they sleep at once, an evaluation of a few tokens takes 1.5 times as long. So they spin for tens of
/// microseconds: the first variable says so to GCC's OpenMP, and others wait as the second one says.
/// Both are read when a process starts. Neither is set where the person has set one of them.
const THREADS_WAIT: [(&str, &str); 2] =
    [("GOMP_SPINCOUNT", "1000"), ("OMP_WAIT_POLICY", "passive")];

/// A running model process. Dropping this kills it.
#[derive(Debug)]
pub struct ModelProcess {
    child: Child,
    commands: ChildStdin,
    events: BufReader<ChildStdout>,
    silence: Duration,
    log: Arc<Mutex<VecDeque<String>>>,
    model: ModelInfo,
    started: Started,
    /// The device whose fault a failure may be, as the process has said last.
    device: Option<String>,
    notes: Mutex<Vec<String>>,
}

/// How a process was started, to start another one.
#[derive(Clone, Debug)]
struct Started {
    program: PathBuf,
    load: Load,
}

impl ModelProcess {
    /// Starts `program` (this binary: [`std::env::current_exe`]) as a model process and loads a
    /// model.
    pub async fn start(
        program: &Path,
        load: Load,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<ModelProcess, EngineError> {
        ModelProcess::start_within(program, load, SILENCE, progress).await
    }

    /// As [`ModelProcess::start`], but with another limit for silence. If the device fails, the
    /// processor computes.
    pub async fn start_within(
        program: &Path,
        mut load: Load,
        silence: Duration,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<ModelProcess, EngineError> {
        check_processor()?;
        load.model = checked_path(&load.model).map_err(|reason| EngineError::Load {
            path: load.model.display().to_string(),
            reason,
        })?;

        let program = program.to_owned();
        let mut process = ModelProcess::spawn(Started { program, load }, silence)?;
        process.load(progress).await?;
        if let Some(placement) = process.model.placement.take() {
            process.note(placement);
        }
        Ok(process)
    }

    /// What models can compute on here, as a process of `program` finds it.
    pub async fn devices(program: &Path) -> Result<Devices, EngineError> {
        check_processor()?;
        let nothing = Started {
            program: program.to_owned(),
            load: Load::default(),
        };
        let mut process = ModelProcess::spawn(nothing, SILENCE)?;
        match process.ask(&ChildCommand::Devices, &mut |_| {}).await? {
            ChildEvent::Devices(devices) => Ok(devices),
            other => Err(unexpected(&other)),
        }
    }

    /// What the person should know of where the model computes, said once.
    pub fn take_notes(&self) -> Vec<String> {
        let notes = self.notes.lock();
        notes.map_or_else(|_| Vec::new(), |mut notes| std::mem::take(&mut *notes))
    }

    fn note(&self, note: String) {
        if let Ok(mut notes) = self.notes.lock() {
            notes.push(note);
        }
    }

    /// Loads the model.
    async fn load(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), EngineError> {
        let load = ChildCommand::Load(self.started.load.clone());
        match self.ask(&load, progress).await {
            Ok(ChildEvent::Loaded(model)) => self.model = model,
            Ok(other) => return Err(unexpected(&other)),
            Err(error) => return self.fall_back(error, progress).await,
        }
        debug!(
            name = self.model.name,
            adapter = self.model.adapter,
            computes_on = self.model.computes_on,
            "the model is loaded"
        );
        Ok(())
    }

    /// After a device failed: has the processor compute, in another process. A driver may have ended
    /// this one, or hold it.
    async fn fall_back(
        &mut self,
        error: EngineError,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), EngineError> {
        let may_be_the_device = matches!(
            error,
            EngineError::Load { .. }
                | EngineError::Memory { .. }
                | EngineError::Compute { .. }
                | EngineError::Crashed { .. }
                | EngineError::Hangs { .. }
        );
        let Some(device) = self.device.take().filter(|_| may_be_the_device) else {
            return Err(error);
        };
        let mut started = self.started.clone();
        started.load.device = DeviceChoice::Cpu;
        let mut process = ModelProcess::spawn(started, self.silence)?;
        Box::pin(process.load(progress)).await?;
        process.notes = std::mem::take(&mut self.notes);
        process.note(format!("{device} failed, and the CPU goes on: {error}"));
        *self = process;
        Ok(())
    }

    /// Sends a command; if the device fails, once more to the processor.
    async fn ask_on(
        &mut self,
        command: &ChildCommand,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<ChildEvent, EngineError> {
        match self.ask(command, progress).await {
            Err(error) if self.device.is_some() => {
                self.fall_back(error, progress).await?;
                self.ask(command, progress).await
            }
            answered => answered,
        }
    }

    /// Starts the process. No model is loaded yet.
    fn spawn(started: Started, silence: Duration) -> Result<ModelProcess, EngineError> {
        let Started { program, load } = &started;
        let mut command = Command::new(program);
        if THREADS_WAIT
            .iter()
            .all(|(name, _)| std::env::var_os(name).is_none())
        {
            command.envs(THREADS_WAIT);
        }
        let shows_log = load.verbose || LevelFilter::current() > LevelFilter::OFF;
        command
            .arg(CHILD_ARGUMENT)
            // A backtrace allocates while std holds a lock. When memory has run out, the process
            // would wait for itself forever.
            .env("RUST_BACKTRACE", "0")
            // On an abort llama.cpp would start a debugger if it found one.
            .env("GGML_NO_BACKTRACE", "1")
            // Nothing may be loaded from the folder being edited.
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(if shows_log {
                Stdio::inherit()
            } else {
                Stdio::piped()
            })
            .kill_on_drop(true);
        // Ctrl-C is for the parent, which knows what must be finished first.
        #[cfg(unix)]
        command.process_group(0);

        let mut child = command
            .spawn()
            .map_err(|error| EngineError::Process(format!("{}: {error}", program.display())))?;
        let (Some(commands), Some(events)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(EngineError::Process("it has no pipes".to_owned()));
        };
        debug!(pid = child.id(), model = %load.model.display(), "started a model process");
        let log = Arc::new(Mutex::new(VecDeque::new()));
        if let Some(stderr) = child.stderr.take() {
            tokio::spawn(keep_last_lines(stderr, Arc::clone(&log)));
        }
        Ok(ModelProcess {
            child,
            commands,
            events: BufReader::new(events),
            silence,
            log,
            model: ModelInfo::default(),
            started,
            device: None,
            notes: Mutex::default(),
        })
    }

    /// Sends a command and waits for the event that ends it.
    async fn ask(
        &mut self,
        command: &ChildCommand,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<ChildEvent, EngineError> {
        let mut line = serde_json::to_vec(command).expect("commands are plain data");
        line.push(b'\n');
        match timeout(self.silence, self.commands.write_all(&line)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return Err(self.ended().await),
            Err(_) => return Err(self.hangs()),
        }

        loop {
            match self.next_event().await? {
                ChildEvent::Progress(step) => progress(step),
                ChildEvent::Alive => {}
                ChildEvent::Placing(device) => self.device = device,
                ChildEvent::Failed(error) => return Err(error),
                event => return Ok(event),
            }
        }
    }

    async fn next_event(&mut self) -> Result<ChildEvent, EngineError> {
        let mut line = Vec::new();
        let read = read_line(&mut self.events, MAX_EVENT, &mut line);
        match timeout(self.silence, read).await {
            Ok(Ok(0)) => return Err(self.ended().await),
            Ok(Ok(_)) => {}
            Ok(Err(error)) => return Err(EngineError::Process(error.to_string())),
            Err(_) => return Err(self.hangs()),
        }

        match serde_json::from_slice(&line) {
            Ok(event) => Ok(event),
            // A line without an end was cut off: the process ended while writing it.
            Err(_) if !line.ends_with(b"\n") && (line.len() as u64) < MAX_EVENT => {
                Err(self.ended().await)
            }
            Err(_) => Err(EngineError::Process(format!(
                "it does not speak our protocol: {}",
                beginning(&line)
            ))),
        }
    }

    fn hangs(&mut self) -> EngineError {
        let _ = self.child.start_kill(); // the process may have ended already
        debug!(silence = ?self.silence, "the model process hangs and is killed");
        EngineError::Hangs {
            silence: self.silence,
        }
    }

    async fn ended(&mut self) -> EngineError {
        // The process may have closed its pipe and still run.
        let how = match timeout(self.silence, self.child.wait()).await {
            Ok(Ok(status)) => describe(status),
            Ok(Err(error)) => error.to_string(),
            Err(_) => return self.hangs(),
        };
        debug!(how, "the model process ended unexpectedly");

        tokio::task::yield_now().await; // so that the last lines of its log arrive
        let log = self
            .log
            .lock()
            .map(|lines| lines.iter().cloned().collect())
            .unwrap_or_default();
        EngineError::Crashed { how, log }
    }
}

impl Drop for ModelProcess {
    fn drop(&mut self) {
        debug!(
            pid = self.child.id(),
            "the model process is not needed any more"
        );
    }
}

impl Engine for ModelProcess {
    fn model(&self) -> &ModelInfo {
        &self.model
    }

    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        let n_texts = texts.len();
        match self
            .ask_on(&ChildCommand::CountTokens(texts), &mut |_| {})
            .await?
        {
            ChildEvent::Counts(counts) if counts.len() == n_texts => Ok(counts),
            other => Err(unexpected(&other)),
        }
    }

    async fn complete(
        &mut self,
        request: &Request,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Answer, EngineError> {
        let command = ChildCommand::Complete(Box::new(request.clone()));
        match self.ask_on(&command, progress).await? {
            ChildEvent::Answer(answer) => Ok(answer),
            other => Err(unexpected(&other)),
        }
    }

    async fn keep_read(&mut self) -> Result<(), EngineError> {
        match self.ask(&ChildCommand::Keep, &mut |_| {}).await? {
            ChildEvent::Kept => Ok(()),
            other => Err(unexpected(&other)),
        }
    }
}

fn unexpected(event: &ChildEvent) -> EngineError {
    EngineError::Process(format!("it answered something else: {event:?}"))
}

/// Reads up to and including the next newline, or `max` bytes, or to the end. Returns the number of
/// bytes.
async fn read_line(
    from: &mut (impl AsyncRead + AsyncBufReadExt + Unpin),
    max: u64,
    line: &mut Vec<u8>,
) -> std::io::Result<usize> {
    from.take(max).read_until(b'\n', line).await
}

/// The beginning of a line that should have been an event.
fn beginning(line: &[u8]) -> String {
    const SHOWN: usize = 60;
    let text = String::from_utf8_lossy(&line[..line.len().min(SHOWN)]);
    let end = if line.len() > SHOWN { " …" } else { "" };
    format!("{:?}{end}", text.trim_end())
}

async fn keep_last_lines(stderr: ChildStderr, log: Arc<Mutex<VecDeque<String>>>) {
    const MAX_LINE: u64 = 1 << 10;
    let mut stderr = BufReader::new(stderr);
    let mut line = Vec::new();
    while let Ok(1..) = read_line(&mut stderr, MAX_LINE, &mut line).await {
        let text = String::from_utf8_lossy(&line).trim().to_owned();
        line.clear();
        if let Ok(mut kept) = log.lock()
            && !text.is_empty()
        {
            kept.push_back(text);
            while kept.len() > KEPT_LINES {
                kept.pop_front();
            }
        }
    }
}

/// The path of a model without links. Finds problems that llama.cpp would at most mention in its
/// log.
fn checked_path(path: &Path) -> Result<PathBuf, String> {
    let metadata = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if metadata.is_dir() {
        return Err("it is a folder; name a GGUF file".to_owned());
    }
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }

    let mut magic = [0; 4];
    let read = std::fs::File::open(path)
        .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut magic));
    match read {
        Ok(()) if &magic == b"GGUF" => path.canonicalize().map_err(|error| error.to_string()),
        Err(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => Err(error.to_string()),
        _ => Err("it is not a GGUF file".to_owned()),
    }
}

/// Checks that the processor has the instructions that llama.cpp was built with. Without them it
/// would crash without a message. A portable build has code for every processor.
fn check_processor() -> Result<(), EngineError> {
    #[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
    {
        let missing = super::instructions::missing();
        if !missing.is_empty() {
            let missing = missing.join(", ");
            return Err(EngineError::Process(format!(
                "this processor lacks {missing}; \
                 build slotwright for it (docs/guide.md, \"Building for this machine\")"
            )));
        }
    }
    Ok(())
}

fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let name = match signal {
            4 => "illegal instruction: built for another processor",
            6 => "it gave up",
            9 => "killed, perhaps for want of memory",
            11 => "segmentation fault; if this is a build for target-cpu=native, see docs/guide.md",
            _ => "a signal",
        };
        return format!("signal {signal}: {name}");
    }
    status.to_string()
}
