//! `slotwright watch`: comments that end in `AI!` are tasks, when their file is saved.
//!
//! The folder is looked through at the start and after each change of it. One comment after the other
//! becomes an edit, each anew from disk. What the person declines is not asked again as long as the file
//! is the same.

mod answered;
mod changes;
mod comment;
mod found;

use super::consent::ConsentArguments;
use super::ctrl_c::CtrlC;
use super::reviewer::Reviewed;
use super::task::{self, First, ModelIn, TaskOptions};
use super::terminal::AnswersFrom;
use super::work::{Work, say_end};
use crate::app::report::{Output, Report};
use crate::app::serving::ServingArguments;
use crate::console::{ended_unless, exit_code, say, serve_until};
use crate::failure::{ExitCode, Failure, FailureKind};
use crate::review::gate::Policy;
use crate::text::{Text, visible};
use crate::workspace::Workspace;
use answered::Answered;
use changes::Changes;
use clap::Args;
use comment::Comment;
use found::Found;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::sleep;

pub(crate) const ABOUT: &str = "\
Make the edits that comments ask for, when you save a file in your own editor.

A comment that ends in AI! is a task: \"# read it from the environment AI!\". The edit is made around \
it, in its file only, and the comment goes with it: one diff, one question here, one undo. A comment \
is all of a line, or what stands behind the code, or /* ... AI! */ or <!-- ... AI! --> on several \
lines.

What you decline stays in the file, and is not asked again until the file changes. Ignored and hidden \
files are not looked at. Ctrl-C ends the work on a comment, and while there is none, the watch.";

pub(crate) const EXAMPLES: &str = "Examples:
  slotwright watch
  slotwright watch --yes --check \"cargo check\"
  slotwright watch --root src --model qwen2.5-coder-1.5b";

/// The arguments of `slotwright watch`.
#[derive(Debug, Args)]
pub(crate) struct WatchArguments {
    /// The folder to watch; nothing outside it is edited, nor shown to the model
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    #[command(flatten)]
    consent: ConsentArguments,
    #[command(flatten)]
    serving: ServingArguments,
}

/// How long a file is left alone that was saved while its edit was made.
const PAUSE: Duration = Duration::from_millis(500);

/// The most characters of a task that are shown.
const SHOWN: usize = 200;

pub(crate) fn run(arguments: &WatchArguments) -> ExitCode {
    exit_code(watch(arguments))
}

fn watch(arguments: &WatchArguments) -> Result<(), Failure> {
    let policy = arguments.consent.policy();
    if policy == Policy::Ask && !AnswersFrom::Input.can_ask() {
        let message = "there is nobody to ask: this is no terminal";
        return Err(Failure::new(FailureKind::NotConfirmed, message)
            .hint("pass --yes to write what has no warning, or --dry-run to only look"));
    }

    let editor = arguments.serving.editor(say)?;
    editor.find_model()?;
    let project = editor.open(&arguments.root)?;
    project.recover();
    let workspace = project.workspace;
    let ctrl_c = CtrlC::default();
    let ended = ended_unless(|| ctrl_c.takes());
    serve_until(ended, arguments.serving.idle(), editor, async |desk| {
        let work = Work::begin(desk, workspace.root(), &ctrl_c);
        look_again_and_again(&work, &workspace, policy).await
    })
}

/// Does what the comments of a folder ask for, until the program is ended.
async fn look_again_and_again(
    work: &Work<'_>,
    workspace: &Workspace,
    policy: Policy,
) -> Result<(), Failure> {
    let mut changes = Changes::of(workspace);
    let mut found = Found::default();
    let mut answered = Answered::default();
    let id = folder_id(workspace.root());
    found.look(workspace);
    let folder = workspace.root().display();
    say(&match found.n_comments() {
        0 => format!("watching {folder}: a comment that ends in AI! is a task; Ctrl-C ends"),
        1 => format!("watching {folder}, which has a comment that ends in AI!; Ctrl-C ends"),
        n => format!("watching {folder}, which has {n} comments that end in AI!; Ctrl-C ends"),
    });

    loop {
        let Some(comment) = found.first(&answered).cloned() else {
            changes.next(workspace).await;
            if folder_id(workspace.root()) != id {
                let message = "the folder was removed or replaced";
                return Err(Failure::new(FailureKind::Root, message));
            }
            found.look(workspace);
            continue;
        };
        match make(&comment, work, policy).await {
            Ok(Reviewed::Written(_)) => answered.add_written(&comment, workspace),
            Ok(_) => answered.add(&comment),
            Err(mut failure) => {
                if let FailureKind::Warning(_) = failure.kind {
                    failure.hints = vec!["without --yes you see it here, and decide".to_owned()];
                }
                if failure.kind == FailureKind::Stale {
                    // It was saved meanwhile, and is looked at again when that is over.
                    say(&failure.message);
                    found.forget(&comment.path);
                    sleep(PAUSE).await;
                } else {
                    say_end(&failure);
                    let path = visible(&comment.path);
                    say(&format!(
                        "the comment stays; it is a task again when {path} changes"
                    ));
                    answered.add(&comment);
                }
            }
        }
        found.look(workspace);
    }
}

/// What tells a folder from another one in its place; `None` if there is none.
fn folder_id(folder: &Path) -> Option<u64> {
    let metadata = folder.metadata().ok()?;
    #[cfg(unix)]
    return Some(std::os::unix::fs::MetadataExt::ino(&metadata));
    #[cfg(not(unix))]
    metadata.is_dir().then_some(0)
}

/// Makes the edit of a comment.
async fn make(comment: &Comment, work: &Work<'_>, policy: Policy) -> Result<Reviewed, Failure> {
    let Comment {
        path,
        text,
        instruction,
        ..
    } = comment;
    let (line, sentence) = (instruction.line, &instruction.sentence);
    let shown: String = sentence.chars().take(SHOWN).collect();
    say(&format!("{path}:{line}: {shown}"));
    let Some(request) = instruction.request(path, Text::clone(text)) else {
        let message = format!("{path} cannot be written without the comment");
        return Err(Failure::new(FailureKind::Encoding, message));
    };

    let options = TaskOptions {
        policy,
        output: Output::Text,
        stats: false,
        model: ModelIn::Session,
    };
    let made = work.run(async move |editor, project| {
        project.recover();
        let report = &mut Report::default();
        match task::first(editor, project, request, options, report).await? {
            First::Offer(mut offer) => task::decide(editor, &mut offer, options, report).await,
            First::NoEdit(_) => {
                let message = "nothing is to be changed for it";
                Err(Failure::new(FailureKind::Declined, message))
            }
        }
    });
    made.await
}
