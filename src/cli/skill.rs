//! `slotwright skill`: how another agent uses this program from its shell.

use crate::console::{exit_code, print_shown};
use crate::failure::ExitCode;

pub(crate) const ABOUT: &str = "\
Print a skill for agents that have a shell: Claude Code, Codex, goose, Zed and others.

It says when and how to call slotwright edit and slotwright apply. An agent reads it from its folder of \
skills.";

pub(crate) const EXAMPLES: &str = "Examples:
  mkdir -p .claude/skills/slotwright && slotwright skill > .claude/skills/slotwright/SKILL.md
  mkdir -p .agents/skills/slotwright && slotwright skill > .agents/skills/slotwright/SKILL.md";

pub(crate) fn run() -> ExitCode {
    exit_code(print_shown(include_str!(
        "../../docs/skill/slotwright/SKILL.md"
    )))
}
