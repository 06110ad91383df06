//! Work with a model that stays loaded, one piece after the other, each of which Ctrl-C ends.

use super::ctrl_c::CtrlC;
use super::progress::ProgressLine;
use crate::app::editor::Editor;
use crate::app::project::Project;
use crate::console::{say, say_failure, say_more};
use crate::engine::Progress;
use crate::failure::{Failure, FailureKind};
use crate::serve::Handle;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// How often somebody who waits sees how far the model is loaded.
const SHOWN_EVERY: Duration = Duration::from_millis(200);

/// Where the work is done.
pub(super) struct Work<'a> {
    desk: Handle<Editor>,
    pub root: PathBuf,
    ctrl_c: &'a CtrlC,
    /// How far the model is, while it is loaded beforehand.
    loading: Arc<Mutex<Option<Progress>>>,
}

impl Work<'_> {
    /// Begins to load the model.
    pub fn begin<'a>(desk: Handle<Editor>, root: &Path, ctrl_c: &'a CtrlC) -> Work<'a> {
        let work = Work {
            desk,
            root: root.to_owned(),
            ctrl_c,
            loading: Arc::default(),
        };
        work.load();
        work
    }

    /// Loads the model while other things go on.
    pub fn load(&self) {
        let desk = self.desk.clone();
        let loading = Arc::clone(&self.loading);
        tokio::spawn(async move {
            let done = desk.run(async move |editor: &mut Editor| {
                let progress = &mut |step| set(&loading, Some(step));
                // Why it cannot be loaded is said by the first task.
                let _ = editor.load(progress).await;
                set(&loading, None);
            });
            let _ = done.await; // the session has ended
        });
    }

    /// Does a piece of work in the folder. A Ctrl-C ends it.
    ///
    /// # Errors
    /// [`FailureKind::Interrupted`] after a Ctrl-C.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl AsyncFnOnce(&mut Editor, Project) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let root = self.root.clone();
        let (begun, begins) = oneshot::channel();
        let work = self.desk.run(async move |editor: &mut Editor| {
            let _ = begun.send(()); // nobody waits any more
            let project = editor.open(&root)?;
            work(editor, project).await
        });

        self.ctrl_c.begin();
        let done = tokio::select! {
            biased; // what was written just before is not said to be stopped
            (done, ()) = async { tokio::join!(work, self.show_loading(begins)) } => match done {
                Ok(done) => done,
                Err(ended) => Err(Failure::new(FailureKind::Environment, ended)),
            },
            () = self.ctrl_c.stop.notified() => {
                Err(Failure::new(FailureKind::Interrupted, "stopped"))
            }
        };
        self.ctrl_c.end();
        if matches!(&done, Err(failure) if failure.kind == FailureKind::Interrupted) {
            // The model was in the middle of an answer, and had to end.
            self.load();
        }
        done
    }

    /// Shows how far the model is loaded, until the work begins.
    async fn show_loading(&self, mut begins: oneshot::Receiver<()>) {
        let line = ProgressLine::new();
        while timeout(SHOWN_EVERY, &mut begins).await.is_err() {
            let step = self.loading.lock().expect("nothing panics with the lock");
            step.clone().into_iter().for_each(|step| line.show(step));
        }
    }
}

fn set(loading: &Mutex<Option<Progress>>, step: Option<Progress>) {
    *loading.lock().expect("nothing panics with the lock") = step;
}

/// Says why a piece of work came to nothing.
pub(super) fn say_end(failure: &Failure) {
    if failure.kind == FailureKind::Interrupted {
        say_more("\n"); // after the ^C, and what stands before it
        say(&failure.message);
    } else {
        say_failure(failure);
    }
}
