//! What is kept of a session between its prompts.

use crate::app::earlier::Earlier;
use crate::app::offer::Offer;
use crate::app::project::Buffers;
use crate::app::proposed::Proposed;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::oneshot;

/// A conversation about one folder.
#[derive(Clone)]
pub(super) struct Session {
    pub root: PathBuf,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    is_always_allowed: bool,
    /// What was shown last and not written, if the model has made it for a task.
    open: Option<(Made, Box<Offer>)>,
    /// What was written last.
    last: Option<Earlier>,
    /// Cancels the prompt that runs.
    cancel: Option<oneshot::Sender<()>>,
    n_prompts: u64,
}

/// A change, and the files of it that are not saved in the editor.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub proposed: Proposed,
    pub buffers: Buffers,
    /// Whether the person is asked even where edits are always allowed.
    pub must_ask: bool,
}

/// A prompt of this session is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Busy;

impl Session {
    pub fn new(root: PathBuf) -> Session {
        Session {
            root,
            state: Arc::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .expect("nothing panics while it holds the lock")
    }

    /// Begins a prompt: gives its number, and what is cancelled with it.
    pub fn begin(&self) -> Result<(u64, oneshot::Receiver<()>), Busy> {
        let mut state = self.state();
        if state
            .cancel
            .as_ref()
            .is_some_and(|cancel| !cancel.is_closed())
        {
            return Err(Busy);
        }
        let (cancel, cancelled) = oneshot::channel();
        state.cancel = Some(cancel);
        state.n_prompts += 1;
        Ok((state.n_prompts, cancelled))
    }

    /// Cancels the prompt that runs, if one does.
    pub fn cancel(&self) {
        if let Some(cancel) = self.state().cancel.take() {
            let _ = cancel.send(()); // it may have ended
        }
    }

    /// Whether the person wants edits written without being asked.
    pub fn is_always_allowed(&self) -> bool {
        self.state().is_always_allowed
    }

    pub fn allow_always(&self) {
        self.state().is_always_allowed = true;
    }

    /// Remembers what is shown, until it is written or something else is asked for. `None` forgets it.
    pub fn keep_open(&self, open: Option<(Made, Box<Offer>)>) {
        self.state().open = open;
    }

    /// Remembers what was written for the next prompt; `None` forgets it.
    pub fn keep_last(&self, last: Option<Earlier>) {
        self.state().last = last;
    }

    /// What was written last.
    pub fn last(&self) -> Option<Earlier> {
        self.state().last.clone()
    }

    /// What was shown last, if the model can be asked for more of it.
    pub fn take_open(&self) -> Option<(Made, Box<Offer>)> {
        self.state().open.take()
    }
}
