//! The kinds of warnings. Reports, help texts and the configuration take their words from here.

/// A kind of warning. `--yes` does not write an edit with a warning that was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarningKind {
    /// The model nearly wrote something else.
    Unsure,
    /// A name becomes one that the file already has. Afterwards the two cannot be told apart.
    Merge,
    /// Text is replaced in parts of the file that were not shown to the model.
    Unseen,
    /// A name is another one now, and the old one is still used.
    Leftover,
    /// A new line stands for code that was left out, as if another program were to fill it in.
    Elided,
    /// Lines or definitions are gone, and neither the task nor the patch says that they should go.
    Shrinks,
    /// A file no longer parses, or a new one does not.
    Breaks,
    /// A check that passed before fails, or could not be run.
    Fails,
    /// A patch names lines by number only.
    Numbers,
    /// A part of a patch that may be another edit was not read.
    Mixed,
    /// The patch does not say the place. A model chose it, or the file has lines like it there.
    Placed,
    /// A further edit of the model cannot be made, and is left out.
    Partial,
}

use WarningKind::{
    Breaks, Elided, Fails, Leftover, Merge, Mixed, Numbers, Partial, Placed, Shrinks, Unseen,
    Unsure,
};

impl WarningKind {
    /// All kinds.
    pub const ALL: [WarningKind; 12] = [
        Unsure, Merge, Unseen, Leftover, Elided, Breaks, Fails, Shrinks, Numbers, Mixed, Placed,
        Partial,
    ];

    /// The kinds that an edit of a model can have.
    pub const OF_EDITS: [WarningKind; 9] = [
        Unsure, Merge, Unseen, Leftover, Elided, Shrinks, Breaks, Fails, Partial,
    ];

    /// The kinds that a patch can have.
    pub const OF_PATCHES: [WarningKind; 6] = [Breaks, Shrinks, Elided, Numbers, Mixed, Placed];

    /// The word in reports, after `--accept` and in the configuration.
    pub const fn word(self) -> &'static str {
        match self {
            Unsure => "unsure",
            Merge => "merge",
            Unseen => "unseen",
            Leftover => "leftover",
            Elided => "elided",
            Shrinks => "shrinks",
            Breaks => "breaks",
            Fails => "fails",
            Numbers => "numbers",
            Mixed => "mixed",
            Placed => "placed",
            Partial => "partial",
        }
    }

    /// The words of all kinds.
    pub const WORDS: [&'static str; 12] = {
        let mut words = [""; 12];
        let mut idx = 0;
        while idx < words.len() {
            words[idx] = Self::ALL[idx].word();
            idx += 1;
        }
        words
    };

    /// What it warns of, for help texts.
    pub fn about(self) -> &'static str {
        match self {
            Unsure => {
                "the model was less sure than --min-certainty; \
                 an edit that changes nothing is then believed"
            }
            Merge => "the new name is in the file already",
            Unseen => "a name is replaced where the model did not look",
            Leftover => {
                "a definition is renamed, and the old name is still used, there or in other files"
            }
            Elided => "a comment is in the place of code",
            Shrinks => "lines or definitions are lost, and nothing says that they should go",
            Breaks => "the code no longer parses",
            Fails => "--check complains of what it did not complain of before, or cannot be run",
            Numbers => "lines are named by number only",
            Mixed => "what looks like a further edit was not read",
            Placed => "the place is a model's choice, or where similar lines are",
            Partial => "a further edit cannot be made, and is left out (exit code 5)",
        }
    }

    /// A warning of this kind, not accepted.
    pub fn says(self, message: impl Into<String>) -> Warning {
        Warning {
            kind: self,
            message: message.into(),
            accepted: false,
        }
    }
}

/// A reason for a person to look at a change again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The warning's kind.
    pub kind: WarningKind,
    /// The warning as a sentence for people.
    pub message: String,
    /// Whether the person accepted this kind of warning beforehand (`--accept`).
    pub accepted: bool,
}

impl Warning {
    /// Marks the warnings whose words the person accepted beforehand.
    pub fn accept(warnings: &mut [Warning], words: &[String]) {
        for warning in warnings {
            warning.accepted |= words.iter().any(|word| word == warning.kind.word());
        }
    }
}
