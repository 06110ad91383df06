//! `slotwright completions`: what a shell needs to complete the program's arguments.

use crate::console::{exit_code, print_shown};
use crate::failure::ExitCode;
use clap::Args;
use clap_complete::Shell;

pub(crate) const ABOUT: &str = "\
Print completions for a shell.

They are for one version of the program: print them again after an update. install.sh of the \
archive does both.";

pub(crate) const EXAMPLES: &str = "Examples:
  slotwright completions bash > ~/.local/share/bash-completion/completions/slotwright
  slotwright completions zsh > ~/.zfunc/_slotwright        # a folder of your fpath
  slotwright completions fish > ~/.config/fish/completions/slotwright.fish";

/// The arguments of `slotwright completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// `program`: the command line without what is not for people.
pub(crate) fn run(arguments: &CompletionsArguments, mut program: clap::Command) -> ExitCode {
    let mut script = Vec::new();
    let name = program.get_name().to_owned();
    clap_complete::generate(arguments.shell, &mut program, name, &mut script);
    exit_code(print_shown(&String::from_utf8_lossy(&script)))
}
