//! `slotwright man`: the manual pages, made from the command line.

use crate::console::say;
use crate::console::{exit_code, print_shown};
use crate::failure::ExitCode;
use crate::failure::{Failure, FailureKind};
use clap::Args;
use clap_mangen::Man;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) const ABOUT: &str = "\
Print the manual page, or write all of them into a folder.

There is a page for the program and one for each command: slotwright-edit.1 and so on.";

pub(crate) const EXAMPLES: &str = "Examples:
  slotwright man | man -l -
  slotwright man ~/.local/share/man/man1";

/// The arguments of `slotwright man`.
#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// Write all pages there; the folder is made if it is missing
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// `program`: the command line without what is not for people.
pub(crate) fn run(arguments: &ManArguments, program: clap::Command) -> ExitCode {
    exit_code(match &arguments.folder {
        None => print_page(program),
        Some(folder) => write_pages(folder, program),
    })
}

fn print_page(program: clap::Command) -> Result<(), Failure> {
    let mut page = Vec::new();
    Man::new(program)
        .render(&mut page)
        .expect("memory takes it");
    print_shown(&String::from_utf8_lossy(&page))
}

fn write_pages(folder: &Path, program: clap::Command) -> Result<(), Failure> {
    let written: io::Result<()> =
        std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(program, folder));
    written.map_err(|error| {
        let message = format!(
            "cannot write the manual pages into {}: {error}",
            folder.display()
        );
        Failure::new(FailureKind::Write, message)
    })?;
    say(&format!("wrote the manual pages into {}", folder.display()));
    Ok(())
}
