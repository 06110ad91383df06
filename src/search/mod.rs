//! The program's own search, without a model: which files a task is about, and which parts of them.
//!
//! It does a small model's hardest work: of ten thousand files it leaves a handful, of a long file
//! the blocks with the task's words in them.
//!
//! [`find_files`] lists the folder, reads every file once and counts the task's words in it
//! ([`terms`]). A word that few files have is worth more (`bm25`). The best files are looked at more
//! closely ([`files`]). [`windows`] ranks the blocks of one file, [`lines`] its lines.

mod bm25;
pub mod files;
pub mod lines;
mod nearest;
mod stems;
pub mod terms;
pub mod windows;
pub mod words;

pub use nearest::nearest_paths;

use crate::slots::Operation;
use crate::task::{Task, names_file};
use crate::text::Text;
use crate::workspace::{Listing, Workspace, WorkspaceError};
use files::{FileCounts, Weight};
use std::thread::ScopedJoinHandle;
use terms::Terms;

/// Files that are read between two moments in which the search can be cancelled.
const CHUNK: usize = 512;

/// The files that are looked at closely. That takes longer than counting words.
const LOOKED_AT_CLOSELY: usize = 48;

/// The files that a task may be about.
#[derive(Debug)]
pub struct FoundFiles {
    /// Best first.
    pub ranked: Vec<Ranked>,
    /// Every path that was listed.
    pub existing: Vec<String>,
}

/// A file that the task may be about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// Relative to the root.
    pub path: String,
    /// What tells it apart, at most four: definitions and words of the task that it has.
    pub words: Vec<String>,
    /// What can be done to it.
    pub operations: Vec<Operation>,
}

/// Why there is no file to choose from.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// No file can be edited, and none may be created.
    #[error("there is no text file to edit in {root}")]
    NoFiles {
        /// The folder.
        root: String,
        /// What was left out: path and reason.
        left_out: Vec<(String, String)>,
    },
    /// The task opens with a file that was not listed.
    #[error("the task is about {path:?}, and there is no such file among those to edit in {root}")]
    NotListed {
        /// As the task has it.
        path: String,
        /// The folder.
        root: String,
        /// See [`nearest_paths`].
        nearest: Vec<String>,
    },
    /// The folder, or a file that the person named, cannot be read.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

/// Whether a new file may be created: not if the person named the files that the task is about.
pub fn may_create(task: &Task) -> bool {
    task.files().is_empty() && task.context().operations.contains(&Operation::Create)
}

/// Lists the files and ranks them, best first: those that the task names, then by weight
/// ([`files`]), then by path. Keeps `most` of them. `progress` hears how many files have been read.
///
/// # Errors
/// [`SearchError`] if there is nothing to choose from, or a file that the person named is
/// unreadable.
pub async fn find_files(
    task: &Task,
    workspace: &Workspace,
    most: usize,
    progress: &mut dyn FnMut(usize),
) -> Result<FoundFiles, SearchError> {
    progress(0);
    let mut listing = list(task, workspace).await?;
    let existing = listing.paths.clone();
    let is_opening = keep_meant(task, workspace, &mut listing)?;
    let is_named = is_opening || !task.files().is_empty();

    let searched = task.searched();
    let terms = Terms::of(&searched);
    let mut files = Vec::new();
    for (chunk_idx, paths) in listing.paths.chunks(CHUNK).enumerate() {
        progress(chunk_idx * CHUNK);
        tokio::task::yield_now().await; // so that whoever cancels is heard
        for (path, found) in paths.iter().zip(read(task, workspace, &terms, paths)) {
            match found {
                Ok(file) if file.operations.is_empty() => {}
                Ok(file) => files.push(file),
                Err(error) if is_named => return Err(error.into()),
                Err(error) => listing.left_out.push((path.clone(), error.reason())),
            }
        }
    }

    if files.is_empty() && !may_create(task) {
        return Err(SearchError::NoFiles {
            root: workspace.root().display().to_string(),
            left_out: listing.left_out,
        });
    }
    Ok(FoundFiles {
        ranked: rank(workspace, &terms, files, most)?,
        existing,
    })
}

/// All files that can be edited, or those that the person named.
async fn list(task: &Task, workspace: &Workspace) -> Result<Listing, SearchError> {
    if !task.files().is_empty() {
        let named = task.files().iter();
        let resolved = named.map(|path| workspace.resolve_named(path));
        let mut paths = resolved.collect::<Result<Vec<_>, _>>()?;
        paths.sort_unstable();
        paths.dedup();
        return Ok(Listing {
            paths,
            left_out: Vec::new(),
        });
    }

    // On a thread of its own: a walk through a large folder takes seconds, and may be cancelled.
    let root = workspace.root().to_path_buf();
    let ignored = workspace.ignored().clone();
    let walk = tokio::task::spawn_blocking(move || Listing::without(ignored, &root)).await;
    let mut listing = workspace.with_pending(walk.expect("a walk reports errors, and ends"));

    // Hidden and ignored files, where the task spells their path.
    for path in task.mentions().paths() {
        listing.paths.extend(workspace.resolve_named(path).ok());
    }
    if listing.paths.is_empty() {
        // Then a task can only be about the hidden files of the root.
        listing.paths = Listing::of_hidden(workspace.ignored().clone(), workspace.root()).paths;
    }
    listing.paths.sort_unstable();
    listing.paths.dedup();
    Ok(listing)
}

/// Drops the files that may not be edited, and all but those that the task opens with ("In
/// sample.swift, …", "In a.py and b.py, …"), or those in the folder that it opens with. Returns
/// whether the task opens with a file.
fn keep_meant(
    task: &Task,
    workspace: &Workspace,
    listing: &mut Listing,
) -> Result<bool, SearchError> {
    let mut opening = task.mentions().opening();
    let paths = &mut listing.paths;
    if let Some(editable) = &task.context().editable {
        // A file that may not be edited is only mentioned, even at the beginning.
        opening = opening.filter(|opening| {
            !paths
                .iter()
                .any(|path| opening.names(path) && !editable.contains(path))
        });
        paths.retain(|path| editable.contains(path));
    }
    let Some(opening) = opening else {
        return Ok(false);
    };

    if paths.iter().any(|path| opening.names(path)) {
        paths.retain(|path| opening.names_or_also(path));
        return Ok(true);
    }
    if paths.iter().any(|path| opening.is_folder_of(path)) {
        paths.retain(|path| opening.is_folder_of(path));
        return Ok(false);
    }

    let texts = paths.iter().filter_map(|path| workspace.read(path).ok());
    if opening.is_surely_a_file(paths, texts.map(|text| text.shown().to_owned())) {
        // It may be misspelt, and a new file of that name would be the wrong answer to that.
        return Err(SearchError::NotListed {
            path: opening.path().to_owned(),
            root: workspace.root().display().to_string(),
            nearest: nearest_paths(opening.path(), paths),
        });
    }
    Ok(false)
}

/// Whether a task names a file and has no term of this text of it: it may mean the file itself.
pub fn is_about_file_itself(task: &Task, path: &str, text: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut mentioned = task.mentions().paths().iter();
    if !mentioned.any(|it| it == path || it == name) {
        return false;
    }
    let others = task.sentence().replace(path, " ").replace(name, " ");
    Terms::of(&others).counts(text).terms().next().is_none()
}

/// A file that was read.
struct ReadFile {
    path: String,
    operations: Vec<Operation>,
    /// Whether the task or its notes name it.
    is_named: bool,
    /// Whether the person has it open.
    is_open: bool,
    /// Whether the edit before the task changed it.
    was_edited: bool,
    counts: FileCounts,
}

/// Reads some files, spread over the processor's threads, and counts the terms in each of them.
fn read(
    task: &Task,
    workspace: &Workspace,
    terms: &Terms,
    paths: &[String],
) -> Vec<Result<ReadFile, WorkspaceError>> {
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let chunk = paths.len().div_ceil(n_threads).max(1);
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for paths in paths.chunks(chunk) {
            threads.push(scope.spawn(move || {
                let read = paths
                    .iter()
                    .map(|path| read_file(task, workspace, terms, path));
                read.collect::<Vec<_>>()
            }));
        }
        let read = threads.into_iter().map(ScopedJoinHandle::join);
        read.flat_map(|files| files.expect("a search does not panic"))
            .collect()
    })
}

fn read_file(
    task: &Task,
    workspace: &Workspace,
    terms: &Terms,
    path: &str,
) -> Result<ReadFile, WorkspaceError> {
    let context = task.context();
    let text = workspace.read(path)?;
    let mut operations = Operation::possible_in(text.shown());
    operations.retain(|operation| context.operations.contains(operation));
    let mut earlier = context.earlier.iter();
    let was_edited = earlier.any(|it| it.files.iter().any(|file| file == path));
    Ok(ReadFile {
        path: path.to_owned(),
        operations,
        is_named: names_file(task.sentence(), path) || names_file(&context.notes, path),
        is_open: context.open.iter().any(|open| open == path),
        was_edited,
        counts: FileCounts::of(terms, path, text.shown()),
    })
}

/// The best files, best first.
fn rank(
    workspace: &Workspace,
    terms: &Terms,
    files: Vec<ReadFile>,
    most: usize,
) -> Result<Vec<Ranked>, WorkspaceError> {
    let counts: Vec<&FileCounts> = files.iter().map(|file| &file.counts).collect();
    let rarities = files::rarities(&counts);
    let weights = files::weigh(&counts);
    let mut weighed: Vec<(Weight, ReadFile)> = weights.into_iter().zip(files).collect();
    sort(&mut weighed);
    weighed.truncate(most.max(LOOKED_AT_CLOSELY));

    let n_close = weighed.len().min(LOOKED_AT_CLOSELY);
    let close = &mut weighed[..n_close];
    let texts = close.iter().map(|(_, file)| workspace.read(&file.path));
    let texts = texts.collect::<Result<Vec<Text>, _>>()?;
    let texts: Vec<&str> = texts.iter().map(Text::shown).collect();
    let mut weights: Vec<&mut Weight> = close.iter_mut().map(|(weight, _)| weight).collect();
    files::look_closely(&mut weights, terms, &texts, &rarities);
    sort(close);

    weighed.truncate(most);
    let mut ranked = Vec::with_capacity(weighed.len());
    for (weight, file) in weighed {
        ranked.push(Ranked {
            words: weight.words(terms),
            path: file.path,
            operations: file.operations,
        });
    }
    Ok(ranked)
}

/// Best first. Of the files that were just edited, the best one is at least the second.
fn sort(weighed: &mut [(Weight, ReadFile)]) {
    weighed.sort_by(|(a_weight, a), (b_weight, b)| {
        let by_name = b.is_named.cmp(&a.is_named);
        let by_openness = b.is_open.cmp(&a.is_open);
        let by_weight = b_weight.total().total_cmp(&a_weight.total());
        let by_path = a.path.cmp(&b.path);
        by_name.then(by_openness).then(by_weight).then(by_path)
    });
    // A task that goes on from an edit may have none of its words ("use 20 instead").
    let best_edited = weighed.iter().position(|(_, file)| file.was_edited);
    if let Some(at) = best_edited {
        weighed[at.min(1)..=at].rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_alone_or_something_in_it() {
        let is_about = |sentence: &str, path, text| {
            let task = Task::new(sentence, Vec::new()).unwrap();
            is_about_file_itself(&task, path, text)
        };
        let text = "Milk\nBread of the day\n";
        for task in [
            "delete the file notes/old.txt",
            "Please remove `old.txt`.",
            "lösche old.txt",
        ] {
            assert!(is_about(task, "notes/old.txt", text), "{task}");
        }
        for task in [
            "take Milk off old.txt",
            "In old.txt, remove the breads",
            "delete new.txt",
            "delete it",
        ] {
            assert!(!is_about(task, "notes/old.txt", text), "{task}");
        }
    }
}
