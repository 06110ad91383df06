//! What is kept of a session between its prompts.

use super::stored::{Line, Record};
use crate::app::earlier::Earlier;
use crate::app::model_options::ModelOptions;
use crate::app::offer::Offer;
use crate::app::project::Buffers;
use crate::app::proposed::Proposed;
use agent_client_protocol::v1::schema::SessionId;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::oneshot;

/// A conversation about one folder, and perhaps further ones.
#[derive(Clone)]
pub(super) struct Session {
    pub id: SessionId,
    /// The session's own folder first. There is at least that one.
    folders: Arc<[PathBuf]>,
    /// The models to choose from.
    pub models: Arc<ModelOptions>,
    pub record: Record,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    mode: Mode,
    /// The model that was chosen; `None`: the one that the agent was started with.
    model: Option<String>,
    /// What was shown last and not written, if the model has made it for a task.
    open: Option<(Made, Box<Offer>)>,
    /// What was written last.
    last: Option<Earlier>,
    /// The folder of the last task; `None`: the session's own.
    folder: Option<PathBuf>,
    /// Cancels the prompt that runs.
    cancel: Option<oneshot::Sender<()>>,
    n_prompts: u64,
}

/// When the person is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mode {
    /// Before every edit.
    #[default]
    Ask,
    /// Before edits with a warning. Others are written at once.
    WriteSure,
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
    /// `folders`: the session's own one first, and at least that.
    pub fn new(
        id: SessionId,
        folders: Vec<PathBuf>,
        models: ModelOptions,
        record: Record,
    ) -> Session {
        Session {
            id,
            folders: folders.into(),
            models: Arc::new(models),
            record,
            state: Arc::default(),
        }
    }

    /// Puts what was kept of it in force again. A model that is gone is not chosen any more.
    pub fn restore(&self, lines: &[Line]) {
        let mut state = self.state();
        for line in lines {
            match line {
                Line::Model(model) => state.model.clone_from(model),
                Line::Last(last) => state.last.clone_from(last),
                Line::Prompt(_) => state.n_prompts += 1,
                Line::Folders(_) | Line::Said(_) => {}
            }
        }
        state.model.take_if(|model| !self.models.has(model));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .expect("nothing panics while it holds the lock")
    }

    /// The session's own folder.
    pub fn own_folder(&self) -> &Path {
        &self.folders[0]
    }

    /// The folder for a task about these files: the first one that has all of them, else its own.
    pub fn folder_of(&self, files: &[PathBuf]) -> PathBuf {
        let files: Vec<PathBuf> = files.iter().map(|file| real(file)).collect();
        let mut folders = self.folders.iter();
        let meant = folders.find(|folder| files.iter().all(|file| file.starts_with(folder)));
        meant.unwrap_or(&self.folders[0]).clone()
    }

    /// The folder of the last task.
    pub fn last_folder(&self) -> PathBuf {
        let folder = self.state().folder.clone();
        folder.unwrap_or_else(|| self.folders[0].clone())
    }

    /// Remembers the folder of a task.
    pub fn keep_folder(&self, folder: PathBuf) {
        self.state().folder = Some(folder);
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

    pub fn mode(&self) -> Mode {
        self.state().mode
    }

    pub fn set_mode(&self, mode: Mode) {
        self.state().mode = mode;
    }

    /// The model that was chosen; `None`: the one that the agent was started with.
    pub fn model(&self) -> Option<String> {
        self.state().model.clone()
    }

    /// Chooses a model, one of [`Session::models`].
    pub fn choose_model(&self, name: &str) {
        let model = (name != self.models.first).then(|| name.to_owned());
        self.record.add(&Line::Model(model.clone()));
        self.state().model = model;
    }

    /// Remembers what is shown, until it is written or something else is asked for. `None` forgets it.
    pub fn keep_open(&self, open: Option<(Made, Box<Offer>)>) {
        self.state().open = open;
    }

    /// Remembers what was written for the next prompt; `None` forgets it.
    pub fn keep_last(&self, last: Option<Earlier>) {
        self.record.add(&Line::Last(last.clone()));
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

/// A path without links, as the folders of a session are. That of a new file ends in one that is not
/// there.
fn real(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}
