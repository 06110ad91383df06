//! `slotwright undo`: takes back what was written last.

use crate::app::project::open_journal;
use crate::app::undo::{take_back, written};
use crate::console::{exit_code, print_shown, say};
use crate::failure::{ExitCode, Failure};
use crate::text::visible;
use crate::workspace::Workspace;
use clap::Args;
use std::path::PathBuf;

pub(crate) const ABOUT: &str = "\
Take back what was written last in a folder, if its files were not changed since.

Every edit is kept in a journal outside the folder, with the bytes before and after, for 30 days \
and 100 edits at most. `undo` again takes back the edit before. If a file was changed since, nothing \
of that edit is undone.

`undo N` takes back edit N of --list if it is the last one, and names the later edits if it is not.";

pub(crate) const EXAMPLES: &str = "Examples:
  slotwright undo
  slotwright undo --list
  slotwright undo 17";

/// The arguments of `slotwright undo`.
#[derive(Debug, Args)]
pub(crate) struct UndoArguments {
    /// Undo this edit of --list; it must be the last one
    #[arg(value_name = "N", conflicts_with = "list")]
    number: Option<u64>,
    /// The folder that was edited
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Show what was written, the newest first; undo nothing
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(arguments: &UndoArguments) -> ExitCode {
    exit_code(undo(arguments))
}

fn undo(arguments: &UndoArguments) -> Result<(), Failure> {
    let workspace = Workspace::open(&arguments.root)?;
    if arguments.list {
        list(&workspace)
    } else {
        last(&workspace, arguments.number)
    }
}

/// Shows what was written, the newest first.
pub(super) fn list(workspace: &Workspace) -> Result<(), Failure> {
    let journal = open_journal(workspace, say)?;
    let list: String = written(&journal)?
        .iter()
        .map(|edit| format!("{edit}\n"))
        .collect();
    if list.is_empty() {
        say(&format!(
            "nothing was written in {} yet",
            workspace.root().display()
        ));
    }
    print_shown(&list)
}

/// Takes back what was written last, if it has this number.
pub(super) fn last(workspace: &Workspace, number: Option<u64>) -> Result<(), Failure> {
    let journal = open_journal(workspace, say)?;
    let undone = take_back(&journal, workspace, number)?;
    say(&format!("undone: {}", undone.what));
    print_shown(
        &undone
            .files
            .iter()
            .map(|path| format!("{}\n", visible(path)))
            .collect::<String>(),
    )
}
