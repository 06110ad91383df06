//! The kinds of failures, with their words in reports, by exit code.

use crate::review::WarningKind;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    /// Done, already done, or a dry run that would be done.
    Done = 0,
    /// Not made: not found, ambiguous, declined, truncated, refused (by `--yes` too).
    NotMade = 1,
    /// Wrong usage or configuration.
    Usage = 2,
    /// Not confirmed; nothing was written.
    NotConfirmed = 3,
    /// The environment: a broken model, a full disk.
    Environment = 4,
    /// Some edits were written and others not, as `--partial` or `--accept partial` allows.
    PartlyDone = 5,
    /// Interrupted.
    Interrupted = 130,
}

macro_rules! failure_kinds {
    ($($code:ident { $($kind:ident $word:literal)+ })+) => {
        /// The kinds of failures.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the words say it")]
        pub enum FailureKind {
            $($($kind,)+)+
            /// A warning of this kind, which was not accepted.
            Warning(WarningKind),
        }

        impl FailureKind {
            /// The word in reports.
            pub fn word(self) -> &'static str {
                match self {
                    $($(FailureKind::$kind => $word,)+)+
                    FailureKind::Warning(kind) => kind.word(),
                }
            }

            /// How the program ends after such a failure.
            pub fn exit_code(self) -> ExitCode {
                match self {
                    $($(FailureKind::$kind)|+ => ExitCode::$code,)+
                    FailureKind::Warning(_) => ExitCode::NotMade,
                }
            }
        }
    };
}

failure_kinds! {
    NotMade {
        BaselineBroken "baseline_broken"
        ChangedSince "changed_since"
        Declined "declined"
        Encoding "encoding"
        Exhausted "exhausted"
        Exists "exists"
        FileTooLong "file_too_long"
        Locked "locked"
        Malformed "malformed"
        Mechanics "mechanics"
        NoEdit "no_edit"
        NoFiles "no_files"
        NoSuchEdit "no_such_edit"
        NotApplied "not_applied"
        NotMade "not_made"
        NotOurs "not_ours"
        NotReproduced "not_reproduced"
        NotReversible "not_reversible"
        NotText "not_text"
        NotTheLast "not_the_last"
        NothingToUndo "nothing_to_undo"
        Outside "outside"
        Path "path"
        PromptTooLong "too_long"
        ReadOnly "read_only"
        Refused "refused"
        Stale "stale"
        Taken "taken"
        Token "token"
        TooLarge "too_large"
        Truncated "truncated"
        Unsaved "unsaved"
        Unusable "unusable"
        Warned "warned"
    }
    Usage {
        Arguments "arguments"
        Config "config"
        Denied "denied"
        EmptyIssue "empty_issue"
        EmptyTask "empty_task"
        Lines "lines"
        Missing "missing"
        ModelName "model"
        NoModel "no_model"
        NoPatch "no_patch"
        NoTestCommand "no_test_command"
        NotAFile "not_a_file"
        NotFound "not_found"
        NothingOpen "nothing_open"
        ReportName "report"
        Root "root"
        Schema "schema"
        ServerCannot "server"
        ServerKey "server_key"
        SeveralFiles "several_files"
        Suite "suite"
        TaskTooLong "task_too_long"
        Variable "variable"
        UnreadablePatch "unreadable"
    }
    NotConfirmed {
        NotConfirmed "not_confirmed"
    }
    Environment {
        Busy "busy"
        Client "client"
        ConfigFile "config"
        Disk "disk"
        Editor "editor"
        Environment "environment"
        HalfWritten "half_written"
        Journal "journal"
        Memory "memory"
        Model "model"
        ModelCrashed "model_crashed"
        ModelHangs "model_hangs"
        Network "network"
        NothingRun "nothing_run"
        Output "output"
        Purge "purge"
        Recovery "recovery"
        Report "report"
        Sandbox "sandbox"
        Server "server"
        Unreadable "unreadable"
        Write "write"
    }
    Interrupted {
        Interrupted "interrupted"
    }
}
