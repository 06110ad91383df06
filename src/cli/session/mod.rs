//! `slotwright` alone on a terminal: sentences one after the other, with the model loaded once.
//!
//! A line is a task, as for `slotwright edit`, or a command that begins with a `/`. The model is loaded
//! while the first line is typed. What was written last is told with the next task.

mod completion;
mod history;
mod prompt;
mod turn;
mod words;

use super::ctrl_c::CtrlC;
use super::terminal::{AnswersFrom, Restored};
use super::work::{Work, say_end};
use crate::app::serving::ServingArguments;
use crate::app::talk;
use crate::console::{ended_unless, exit_code, is_dumb, say, say_more, serve_until};
use crate::failure::{ExitCode, Failure};
use clap::Args;
use completion::Completion;
use prompt::{Prompt, Typed, say_note};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use turn::Session;
use words::Line;

/// The arguments of `slotwright` alone.
#[derive(Debug, Args)]
pub(crate) struct SessionArguments {
    /// The folder to edit; nothing outside it is edited, nor shown to the model
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    #[command(flatten)]
    serving: ServingArguments,
}

/// Whether there is a person at a terminal that can show a prompt.
pub(crate) fn can_be_held() -> bool {
    let has_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    has_terminal && AnswersFrom::Input.can_ask() && !is_dumb()
}

pub(crate) fn run(arguments: &SessionArguments) -> ExitCode {
    exit_code(session(arguments))
}

fn session(arguments: &SessionArguments) -> Result<(), Failure> {
    let editor = arguments.serving.editor(say_note)?;
    editor.find_model()?;
    let project = editor.open(&arguments.root)?;
    project.recover();
    let model_folders = project.config.model_folders.clone();
    let workspace = Arc::new(project.workspace);
    let completion = Completion::new(Arc::clone(&workspace), model_folders);
    let mut prompt = Prompt::new(completion)?;

    // A signal may end the program while the prompt has the terminal.
    let _restored = Restored::afterwards();
    let ctrl_c = CtrlC::default();
    let ended = ended_unless(|| ctrl_c.takes());
    serve_until(ended, arguments.serving.idle(), editor, async |desk| {
        let work = Work::begin(desk, workspace.root(), &ctrl_c);
        let folder = workspace.root().display();
        say(&format!(
            "edits in {folder}: say what is to be changed. /help lists the commands"
        ));
        converse(&mut prompt, &mut Session::new(work, workspace)).await
    })
}

/// Takes line after line until the person ends it.
async fn converse(prompt: &mut Prompt, session: &mut Session<'_>) -> Result<(), Failure> {
    let mut has_pressed_ctrl_c = false;
    loop {
        let typed = prompt.line(&session.prompt()).await?;
        let line = match typed {
            Typed::Line(line) => line,
            Typed::End => return Ok(()),
            Typed::Interrupted if has_pressed_ctrl_c => return Ok(()),
            Typed::Interrupted => {
                say("Ctrl-C again or Ctrl-D ends");
                has_pressed_ctrl_c = true;
                continue;
            }
            Typed::Cleared => {
                has_pressed_ctrl_c = true;
                continue;
            }
            Typed::Unreadable => {
                say("what you typed is not UTF-8, and was not read");
                continue;
            }
        };
        has_pressed_ctrl_c = false;

        let done = match Line::of(&line) {
            Line::Nothing => Ok(()),
            Line::Command("quit", _) => return Ok(()),
            Line::Command("apply", patch) => match pasted(patch, prompt).await? {
                Some(patch) => session.apply(patch).await,
                None => Ok(()),
            },
            Line::Command(name, rest) => session.command(name, &rest).await,
            Line::Task(sentence) => session.task(&sentence).await,
            Line::Talk(answer) => {
                say(answer);
                Ok(())
            }
            Line::Unknown(word) => {
                say(&format!("there is no command {word}"));
                say_more(&words::help());
                Ok(())
            }
        };
        if let Err(failure) = done {
            say_end(&talk::with_next_step(failure));
        }
    }
}

/// The text of a patch: what stood beside the command, or else the lines up to one with a dot. `None` if
/// the person gives it up.
async fn pasted(beside: String, prompt: &mut Prompt) -> Result<Option<String>, Failure> {
    if beside.contains('\n') {
        return Ok(Some(beside));
    }
    say("paste the patch; a line with a dot ends it, Ctrl-C gives it up");
    let mut patch = beside;
    loop {
        let lines = match prompt.further_line("| ").await? {
            Typed::Line(lines) => lines,
            Typed::Unreadable => {
                say("the patch is not UTF-8: slotwright apply FILE reads it as it is");
                return Ok(None);
            }
            _ => return Ok(None),
        };
        for line in lines.split('\n') {
            if line == "." {
                return Ok(Some(patch));
            }
            patch += &format!("{line}\n");
        }
    }
}
