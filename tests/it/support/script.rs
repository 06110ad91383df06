//! Scripts: the program itself, with real arguments, and a model process whose answers are given
//! beforehand.
//!
//! A script is a file that the program takes for a GGUF file. `SLOTWRIGHT_ENGINE` names
//! `scripted_model`, a line of shell that starts this test binary once more. There the test
//! `scripted_model::it_answers_from_its_script` calls [`serve`], which speaks the engine protocol.
//! An answer that the request's constraint does not let through ends the process, and the test
//! that wrote the script fails.

use super::{PROGRAM, Run, is_let_through, quiet, starts_an_answer};
use serde::{Deserialize, Serialize};
use slotwright::constrain::{PickFile, SlotSpec, Spec};
use slotwright::engine::protocol::{ChildCommand, ChildEvent};
use slotwright::engine::{
    Answer, AnswerStats, End, Given, Likelihood, ModelInfo, Progress, Request,
};
use slotwright::prompt::ADAPTED;
use slotwright::slots::Slot;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;
use tempfile::TempDir;

/// Set for the process that answers: the test binary.
const TEST_BINARY: &str = "SLOTWRIGHT_TEST_BINARY";

/// What a file must begin with to be taken for a model.
const MAGIC: &str = "GGUF\n";

/// Room for the prompts and answers of any test that does not ask for less, in tokens.
const CONTEXT: usize = 32_768;

/// What the process does when it is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Turn {
    /// It answers.
    Answer(Box<Answer>),
    /// It says nothing for so many milliseconds, and goes on with the next turn.
    Wait(u64),
    /// It says nothing any more.
    Silence,
    /// It dies of a signal.
    Crash,
}

/// A complete answer of a model that was quite sure and wanted nothing else.
pub fn answer(text: &str) -> Turn {
    let slots: BTreeMap<String, serde_json::Value> = serde_json::from_str(text).unwrap();
    let slots = slots
        .into_keys()
        .map(|key| serde_json::from_value(key.into()).unwrap());
    let slots: Vec<Slot> = slots.collect();
    let all = |number: f64| slots.iter().map(|&slot| (slot, number)).collect();
    let stats = AnswerStats {
        certainty: all(1.0),
        masked_mass: all(0.0),
        ..Default::default()
    };
    answer_with(text, End::Complete, stats)
}

/// An answer that did not get further than this.
pub fn cut_off(text: &str, end: End) -> Turn {
    answer_with(text, end, AnswerStats::default())
}

fn answer_with(text: &str, end: End, stats: AnswerStats) -> Turn {
    let answer = Answer {
        text: text.to_owned(),
        end,
        stats,
        likelihood: Likelihood::default(),
    };
    Turn::Answer(Box::new(answer))
}

impl Turn {
    /// The same, but with this probability of what stands in a slot.
    pub fn sure(mut self, slot: Slot, certainty: f64) -> Turn {
        self.stats().certainty.insert(slot, certainty);
        self
    }

    /// The same, but with this probability of what the constraint did not let through there.
    pub fn masked(mut self, slot: Slot, mass: f64) -> Turn {
        self.stats().masked_mass.insert(slot, mass);
        self
    }

    fn stats(&mut self) -> &mut AnswerStats {
        let Turn::Answer(answer) = self else {
            panic!("{self:?} is no answer")
        };
        &mut answer.stats
    }
}

/// What the file of a script holds behind its [`MAGIC`].
#[derive(Serialize, Deserialize)]
struct Contents {
    context_tokens: usize,
    /// See [`ModelInfo::profile`].
    profile: Option<String>,
    turns: Vec<Turn>,
}

/// Answers given beforehand. Each process that is started with it begins with the first of them.
pub struct Script {
    folder: TempDir,
    n_answers: usize,
}

impl Script {
    /// These answers, of a model that was quite sure.
    pub fn of(answers: &[&str]) -> Script {
        Script::new(answers.iter().map(|text| answer(text)).collect())
    }

    /// Whatever is to happen.
    pub fn new(turns: Vec<Turn>) -> Script {
        Script::with_context(CONTEXT, turns)
    }

    /// The same, of a model with a context of so many tokens (of four bytes).
    pub fn with_context(context_tokens: usize, turns: Vec<Turn>) -> Script {
        Script::of_model(context_tokens, None, turns)
    }

    /// These answers, of a model with one of our adapters.
    pub fn adapted(answers: &[&str]) -> Script {
        Script::adapted_turns(answers.iter().map(|text| answer(text)).collect())
    }

    /// Whatever is to happen with such a model.
    pub fn adapted_turns(turns: Vec<Turn>) -> Script {
        Script::of_model(CONTEXT, Some(ADAPTED.to_owned()), turns)
    }

    fn of_model(context_tokens: usize, profile: Option<String>, turns: Vec<Turn>) -> Script {
        let folder = tempfile::tempdir().unwrap();
        let n_answers = n_answers(&turns);
        let contents = serde_json::to_string(&Contents {
            context_tokens,
            profile,
            turns,
        })
        .unwrap();
        fs::write(
            folder.path().join("script.gguf"),
            format!("{MAGIC}{contents}"),
        )
        .unwrap();
        Script { folder, n_answers }
    }

    /// The file, which is the model; what the process writes lies beside it.
    pub fn model(&self) -> PathBuf {
        self.folder.path().join("script.gguf")
    }

    /// What the environment of the program must have for the script to be its model.
    pub fn environment(&self) -> [(&'static str, OsString); 3] {
        let support = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/support");
        [
            ("SLOTWRIGHT_MODEL", self.model().into()),
            ("SLOTWRIGHT_ENGINE", support.join("scripted_model").into()),
            (TEST_BINARY, std::env::current_exe().unwrap().into()),
        ]
    }

    /// `slotwright edit` on a folder, with nobody at a terminal.
    #[track_caller]
    pub fn edit(&self, root: &Path, arguments: &[&str]) -> Run {
        let mut command = Command::new(PROGRAM);
        command.arg("edit").arg("--root").arg(root).args(arguments);
        self.run(&mut command)
    }

    /// Runs a command with the script as its model. No answer may be wrong, and none left over.
    #[track_caller]
    pub fn run(&self, command: &mut Command) -> Run {
        let _ = fs::remove_file(requests(&self.model())); // there is none before the first run
        let run = Run::from(quiet(command).envs(self.environment()).output().unwrap());
        self.check(&run);
        run
    }

    /// Runs a command that the script does not suit.
    pub fn run_in_vain(&self, command: &mut Command) -> Run {
        Run::from(quiet(command).envs(self.environment()).output().unwrap())
    }

    #[track_caller]
    fn check(&self, run: &Run) {
        if let Ok(complaint) = fs::read_to_string(complaint(&self.model())) {
            panic!("{complaint}: {run:#?}");
        }
        let n_asked = self.requests().len();
        let is_used = n_asked == 0 || n_asked >= self.n_answers;
        assert!(
            is_used,
            "{n_asked} of {} answers were asked for: {run:#?}",
            self.n_answers
        );
    }

    /// What was asked in the last run.
    pub fn requests(&self) -> Vec<Request> {
        let lines = fs::read_to_string(requests(&self.model())).unwrap_or_default();
        lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// How many questions a run that goes on has asked.
    pub fn requests_so_far(&self) -> usize {
        let lines = fs::read_to_string(requests(&self.model())).unwrap_or_default();
        lines.matches('\n').count()
    }

    /// Has the next process begin with these answers, fewer than there were: of the same model, as
    /// far as the program can tell.
    pub fn goes_on_with(&mut self, turns: Vec<Turn>) {
        let path = self.model();
        let metadata = fs::metadata(&path).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let mut contents: Contents =
            serde_json::from_str(text.strip_prefix(MAGIC).unwrap()).unwrap();
        self.n_answers = n_answers(&turns);
        contents.turns = turns;
        let text = MAGIC.to_owned() + &serde_json::to_string(&contents).unwrap();
        let n_bytes = metadata.len() as usize;
        assert!(
            text.len() <= n_bytes,
            "these are longer than the answers before"
        );

        fs::write(&path, format!("{text:n_bytes$}")).unwrap();
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_modified(metadata.modified().unwrap()).unwrap();
    }

    /// The files that the last run offered to choose from, by path.
    pub fn offered(&self) -> Vec<String> {
        let requests = self.requests();
        let Some(Spec::Slots(SlotSpec::Pick { files, .. })) = requests.first().map(|r| &r.spec)
        else {
            panic!("the model was not asked for a file");
        };
        files
            .iter()
            .map(|PickFile { path, .. }| path.clone())
            .collect()
    }
}

fn n_answers(turns: &[Turn]) -> usize {
    let turns = turns.iter();
    turns.filter(|turn| matches!(turn, Turn::Answer(_))).count()
}

fn complaint(model: &Path) -> PathBuf {
    model.with_extension("complaint")
}

fn requests(model: &Path) -> PathBuf {
    model.with_extension("requests")
}

/// Whether this process is one that answers.
pub fn is_wanted() -> bool {
    std::env::var_os(TEST_BINARY).is_some()
}

/// Speaks the engine protocol until standard input ends.
pub fn serve() -> ! {
    let (send, commands) = mpsc::channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let _ = send.send(serde_json::from_str::<ChildCommand>(&line).unwrap());
        }
        std::process::exit(0); // in the middle of a turn too
    });
    let next = || commands.recv().unwrap();
    let ChildCommand::Load(load) = next() else {
        panic!("the first command is to load a model")
    };
    let contents = fs::read_to_string(&load.model).unwrap();
    let contents: Contents = serde_json::from_str(contents.strip_prefix(MAGIC).unwrap()).unwrap();
    let turns = contents.turns.into_iter();
    let events = fs::OpenOptions::new()
        .write(true)
        .open("/dev/fd/3")
        .unwrap();
    let mut served = Served {
        model: load.model,
        turns,
        n_answered: 0,
        events,
    };
    served.emit(&ChildEvent::Loaded(ModelInfo {
        name: "script".to_owned(),
        context_tokens: contents.context_tokens,
        profile: contents.profile,
        chat_template: Some(CHATML.to_owned()),
        computes_on: "nothing".to_owned(),
        ..ModelInfo::default()
    }));
    loop {
        let event = match next() {
            ChildCommand::CountTokens(texts) => {
                ChildEvent::Counts(texts.iter().map(|text| count(text)).collect())
            }
            ChildCommand::Complete(request) => ChildEvent::Answer(served.answer(&request)),
            ChildCommand::Keep => ChildEvent::Kept,
            ChildCommand::Load(_) | ChildCommand::Devices => {
                served.complain("a model is loaded already")
            }
        };
        served.emit(&event);
    }
}

const CHATML: &str = "{% for message in messages %}<|im_start|>{{ message.role }}\n\
    {{ message.content }}<|im_end|>\n{% endfor %}\
    {% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

/// A token for every four bytes begun.
fn count(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// The process's side of a script.
struct Served {
    model: PathBuf,
    turns: std::vec::IntoIter<Turn>,
    n_answered: usize,
    events: fs::File,
}

impl Served {
    fn answer(&mut self, request: &Request) -> Answer {
        if let (Spec::Free, Some(Given::Whole(text))) = (&request.spec, &request.given) {
            // How likely a text is. None is likelier than another.
            return Answer {
                text: text.clone(),
                end: End::Complete,
                stats: AnswerStats::default(),
                likelihood: Likelihood::default(),
            };
        }
        self.note(request);
        let n_tokens = request.prompt.iter().map(|part| count(part.as_str())).sum();
        self.emit(&ChildEvent::Progress(Progress::Reading {
            done: n_tokens,
            total: n_tokens,
        }));
        let mut answer = loop {
            match self.turns.next() {
                Some(Turn::Answer(answer)) => break *answer,
                Some(Turn::Wait(ms)) => std::thread::sleep(Duration::from_millis(ms)),
                Some(Turn::Silence) => loop {
                    std::thread::park();
                },
                Some(Turn::Crash) => std::process::abort(),
                None => self.complain(&format!(
                    "the script is at its end: it has {} answers, and another was asked for",
                    self.n_answered
                )),
            }
        };
        self.n_answered += 1;
        let fits = match answer.end {
            End::Complete => is_let_through(request, &answer.text),
            End::Budget | End::NoToken | End::Repeats => starts_an_answer(request, &answer.text),
        };
        if !fits {
            let (n, text) = (self.n_answered, &answer.text);
            self.complain(&format!(
                "the constraint does not let answer {n} through: {text}"
            ));
        }
        answer.stats.prompt_tokens = n_tokens;
        answer.stats.sampled_tokens = count(&answer.text);
        answer.stats.evaluations = count(&answer.text);
        answer
    }

    /// Remembers a request for the test. Where nobody may write, nobody asks for it either.
    fn note(&self, request: &Request) {
        let file = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(requests(&self.model));
        if let Ok(mut file) = file {
            let line = serde_json::to_string(request).unwrap() + "\n";
            file.write_all(line.as_bytes()).unwrap();
        }
    }

    fn emit(&mut self, event: &ChildEvent) {
        let line = serde_json::to_string(event).unwrap() + "\n";
        if self.events.write_all(line.as_bytes()).is_err() {
            std::process::exit(0); // nobody listens
        }
    }

    fn complain(&self, why: &str) -> ! {
        eprintln!("{why}");
        let _ = fs::write(complaint(&self.model), why); // the program says it as well
        std::process::exit(3);
    }
}
