//! Copies of what a model remembers, for those that cannot forget single tokens.

use llama_cpp_2::context::session::SeqState;
use std::rc::Rc;

/// How a model's memory of its tokens goes back to an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    /// It has the keys and values of every token, and drops those of the last ones.
    Cut,
    /// Some layers see so many tokens, and may have dropped those before them: always if the state
    /// was copied. It goes back while there are enough, else to where a window was copied.
    Window(usize),
    /// It has a state that every token changes. It goes back to where that was copied.
    Recurrent,
}

/// The most snapshots of a sequence: of the fixed part, the file, and the last two prompts.
const MOST: usize = 4;

/// The part of a sequence's state that cannot be cut, after its first tokens. The keys and values of
/// these tokens stay with llama.cpp.
#[derive(Clone)]
pub(super) struct Snapshot {
    pub n_tokens: usize,
    pub state: Rc<SeqState>,
}

/// The snapshots of a sequence, by their number of tokens.
#[derive(Clone, Default)]
pub(super) struct Snapshots(Vec<Snapshot>);

impl Snapshots {
    /// Adds one that is longer than all others.
    pub fn push(&mut self, snapshot: Snapshot) {
        debug_assert!(
            self.longest(usize::MAX)
                .is_none_or(|it| it.n_tokens < snapshot.n_tokens)
        );
        if self.0.len() == MOST {
            // What is nearest to the end is least like other prompts.
            self.0.remove(MOST - 2);
        }
        self.0.push(snapshot);
    }

    /// The longest one of at most `n_tokens`.
    pub fn longest(&self, n_tokens: usize) -> Option<&Snapshot> {
        self.0.iter().rfind(|it| it.n_tokens <= n_tokens)
    }

    /// Drops those of more than `n_tokens`.
    pub fn truncate(&mut self, n_tokens: usize) {
        self.0.retain(|it| it.n_tokens <= n_tokens);
    }
}
