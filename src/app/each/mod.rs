//! The same sentence for many files, one after the other.
//!
//! The model is loaded once, and what all questions begin with is read once. Each file is a task of its
//! own, in which nothing else may be edited. Results are kept as they are made ([`result`]), so that a
//! run that ends early goes on where it was. All edits together are one change for the gate
//! ([`merged`]).

mod matching;
mod merged;
mod result;

pub(crate) use merged::{Each, Refused};
pub(crate) use result::FileResult;

use super::arguments::EditCount;
use super::editor::{Editor, First};
use super::folders;
use super::project::Project;
use super::report::{Report, Stats};
use super::request::EditRequest;
use crate::engine::Progress;
use crate::failure::{ExitCode, Failure, FailureKind};
use crate::task::Task;
use crate::workspace::KeptResults;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// What is asked of each file.
#[derive(Clone, Debug)]
pub(crate) struct EachTask {
    pub sentence: String,
    /// Which files, as a line of a `.gitignore` names them.
    pub glob: String,
    /// As [`EditRequest::edits`], for each of them.
    pub edits: Option<EditCount>,
    pub earlier: Earlier,
}

/// What becomes of results that an earlier run of the same task has kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Earlier {
    Used,
    Forgotten,
}

/// How far the work is.
pub(crate) enum Heard<'a> {
    /// The model is asked about this file next.
    Next {
        path: &'a str,
        /// Which one of the files it is, counted from 1.
        number: usize,
        /// How many match.
        n_files: usize,
        /// What the others take if they take as long as those before; `None` for the first.
        left: Option<Duration>,
    },
    /// A step of it.
    Step(Progress),
    /// What became of a file, now or in an earlier run.
    Made(&'a FileResult),
}

/// How long the files take.
struct Pace {
    begun: Instant,
    n_asked: u32,
    n_left: u32,
}

impl Pace {
    fn left(&self) -> Option<Duration> {
        let one = self.begun.elapsed().checked_div(self.n_asked)?;
        Some(one * self.n_left)
    }
}

/// Asks about each file that matches, until `stop` is notified. A file that fails does not stop the
/// others.
///
/// # Errors
/// If there is no file to ask about, or the model cannot be asked at all. What was made before is kept.
pub(crate) async fn each(
    editor: &mut Editor,
    project: &Project,
    task: &EachTask,
    stop: &Notify,
    hear: &mut dyn FnMut(Heard<'_>),
) -> Result<Each, Failure> {
    let (mut each, asked_about) = begun(editor, project, task, hear)?;
    let n_before = each.results.len();
    let mut pace = Pace {
        begun: Instant::now(),
        n_asked: 0,
        n_left: asked_about.len() as u32,
    };
    // Until it has answered, and after it has failed.
    let mut is_doubted = true;
    for (idx, path) in asked_about.into_iter().enumerate() {
        hear(Heard::Next {
            path: &path,
            number: n_before + idx + 1,
            n_files: each.n_files,
            left: pace.left(),
        });
        let made = tokio::select! {
            biased;
            () = stop.notified() => break,
            made = ask(editor, project, request(task, &path, &each), hear) => made,
        };

        let (result, stats) = made.map_err(|failure| each.ended_by(failure))?;
        let trouble = result.failure().filter(|it| is_trouble(it));
        if let Some(failure) = trouble.filter(|_| is_doubted) {
            return Err(each.ended_by(failure.clone()));
        }
        is_doubted = trouble.is_some();
        each.stats.add(stats);
        hear(Heard::Made(each.add(result)));
        pace.n_asked += 1;
        pace.n_left -= 1;
    }

    each.results.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(each)
}

/// Whether the model itself failed.
fn is_trouble(failure: &Failure) -> bool {
    failure.kind.exit_code() == ExitCode::Environment
}

/// What is known without the model, and the files to ask about.
fn begun(
    editor: &Editor,
    project: &Project,
    task: &EachTask,
    hear: &mut dyn FnMut(Heard<'_>),
) -> Result<(Each, Vec<String>), Failure> {
    Task::new(&task.sentence, Vec::new())
        .map_err(|error| Failure::new(FailureKind::EmptyTask, error))?;
    let paths = matching::matching(&project.workspace, &task.glob)?;
    let run = run(editor, project, task)?;
    let mut kept = KeptResults::open(&folders::state(), &run).ok();
    if task.earlier == Earlier::Forgotten
        && let Some(earlier) = kept.take()
    {
        earlier.forget();
        kept = KeptResults::open(&folders::state(), &run).ok();
    }

    let mut each = Each {
        results: Vec::new(),
        n_files: paths.len(),
        stats: Stats::default(),
        kept,
        accept: project.config.accept.clone(),
        sentence: task.sentence.clone(),
    };
    let mut asked_about = Vec::new();
    for path in paths {
        let known = match (project.workspace.read(&path), &each.kept) {
            (Ok(text), Some(kept)) => FileResult::kept(kept, &path, text.bytes()),
            (Ok(_), None) => None,
            (Err(error), _) => Some(FileResult::failed(&path, error.into())),
        };
        match known {
            Some(result) => {
                hear(Heard::Made(&result));
                each.results.push(result);
            }
            None => asked_about.push(path),
        }
    }
    Ok((each, asked_about))
}

/// All that a result depends on, apart from its file.
fn run(editor: &Editor, project: &Project, task: &EachTask) -> Result<String, Failure> {
    let EachTask {
        sentence,
        glob,
        edits,
        ..
    } = task;
    let root = project.workspace.root();
    let config = &project.config;
    let (model, least) = (editor.identity()?, config.min_certainty);
    let version = env!("CARGO_PKG_VERSION");
    Ok(format!(
        "{version}\n{root:?}\n{glob:?}\n{sentence:?}\n{model}\n{edits:?} {least:?} {:?}",
        config.shown_tokens
    ))
}

fn request(task: &EachTask, path: &str, each: &Each) -> EditRequest {
    EditRequest {
        sentence: task.sentence.clone(),
        files: vec![path.to_owned()],
        edits: task.edits,
        likely: each.likely(),
        ..EditRequest::default()
    }
}

/// Asks about one file.
///
/// # Errors
/// If the model cannot be asked about any file.
async fn ask(
    editor: &mut Editor,
    project: &Project,
    request: EditRequest,
    hear: &mut dyn FnMut(Heard<'_>),
) -> Result<(FileResult, Stats), Failure> {
    let path = &request.files[0].clone();
    let begun = Instant::now();
    let mut own = editor.open(project.workspace.root())?;
    // A check of each file by itself would say little of them all.
    own.config.check = None;
    let before = own.workspace.read(path).ok();
    let mut report = Report::default();
    let first = editor
        .first(own, request, &mut report, &mut |step| {
            hear(Heard::Step(step));
        })
        .await;
    let result = match first {
        Ok(First::Offer(offer)) => FileResult::edited(path, &offer, &mut report),
        Ok(First::NothingToDo { claim, certainty }) => FileResult::done(path, &claim, certainty),
        Err(failure) if failure.kind.exit_code() == ExitCode::Usage => return Err(failure),
        Err(failure) if failure.kind == FailureKind::Declined => {
            FileResult::declined(path, failure)
        }
        Err(failure) => FileResult::failed(path, failure),
    };
    let before = before.map(|text| text.bytes().to_vec());
    Ok((result.of(before, begun.elapsed()), report.stats))
}
