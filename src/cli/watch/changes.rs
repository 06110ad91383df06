//! Waits until something in a folder has changed.

use crate::console::say;
use crate::workspace::{Listing, Workspace};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

/// A file that was being saved is whole when nothing has changed for so long.
const QUIET: Duration = Duration::from_millis(200);

/// Where something changes all the time, nobody waits for longer.
const LONGEST: Duration = Duration::from_secs(2);

/// How often the folder is looked at where the system does not say what changes.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What the system says about a folder.
pub(super) struct Changes {
    /// `None` if it says nothing.
    watcher: Option<RecommendedWatcher>,
    heard: mpsc::UnboundedReceiver<Vec<PathBuf>>,
}

impl Changes {
    /// Listens to all folders that are not ignored: not to what a build writes.
    pub fn of(workspace: &Workspace) -> Changes {
        let (send, heard) = mpsc::unbounded_channel();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let paths = match event {
                // Reading is no change.
                Ok(event) if matches!(event.kind, EventKind::Access(_)) => return,
                Ok(event) => event.paths,
                // What was missed is found by looking.
                Err(_) => Vec::new(),
            };
            let _ = send.send(paths); // nobody waits any more
        });
        let mut changes = Changes {
            watcher: None,
            heard,
        };
        match watcher {
            Ok(watcher) => {
                changes.watcher = Some(watcher);
                changes.listen(workspace);
            }
            Err(error) => say_why(&error),
        }
        changes
    }

    fn listen(&mut self, workspace: &Workspace) {
        let Some(watcher) = &mut self.watcher else {
            return;
        };
        for folder in Listing::folders(workspace.ignored().clone(), workspace.root()) {
            match watcher.watch(&folder, RecursiveMode::NonRecursive) {
                Err(error) if folder.exists() => {
                    say_why(&error);
                    self.watcher = None;
                    return;
                }
                _ => {}
            }
        }
    }

    /// Waits for a change, and until it is over.
    pub async fn next(&mut self, workspace: &Workspace) {
        if self.watcher.is_none() {
            sleep(LOOK_EVERY).await;
            return;
        }
        let mut paths = self.heard.recv().await.unwrap_or_default();
        let began = Instant::now();
        while began.elapsed() < LONGEST
            && let Ok(Some(more)) = timeout(QUIET, self.heard.recv()).await
        {
            paths.extend(more);
        }
        if paths.iter().any(|path| path.is_dir()) {
            self.listen(workspace);
        }
    }
}

fn say_why(error: &notify::Error) {
    say(&format!(
        "the system does not say what changes here ({error}): the folder is looked at every second"
    ));
}
