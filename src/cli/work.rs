//! Work with a model that stays loaded, one piece after the other, each of which Ctrl-C ends.

use super::ctrl_c::CtrlC;
use crate::app::editor::Editor;
use crate::app::project::Project;
use crate::console::{say, say_failure, say_more};
use crate::failure::{Failure, FailureKind};
use crate::serve::Handle;
use std::path::PathBuf;

/// Where the work is done.
pub(super) struct Work<'a> {
    pub desk: Handle<Editor>,
    pub root: PathBuf,
    pub ctrl_c: &'a CtrlC,
}

impl Work<'_> {
    /// Loads the model while other things go on.
    pub fn load(&self) {
        let desk = self.desk.clone();
        tokio::spawn(async move {
            // Why it cannot be loaded is said by the first task.
            let _ = desk
                .run(async |editor: &mut Editor| editor.load().await)
                .await;
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
        let work = self.desk.run(async move |editor: &mut Editor| {
            let project = editor.open(&root)?;
            work(editor, project).await
        });

        self.ctrl_c.begin();
        let done = tokio::select! {
            biased;
            () = self.ctrl_c.stop.notified() => {
                Err(Failure::new(FailureKind::Interrupted, "stopped"))
            }
            done = work => match done {
                Ok(done) => done,
                Err(ended) => Err(Failure::new(FailureKind::Environment, ended)),
            },
        };
        self.ctrl_c.end();
        if matches!(&done, Err(failure) if failure.kind == FailureKind::Interrupted) {
            // The model was in the middle of an answer, and had to end.
            self.load();
        }
        done
    }
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
