//! What of the folder the model sees: which files are listed, and what of the chosen one is shown, within the
//! room that its context has beside the task and the answer.
//!
//! This is the program's own search, and it does a small model's hardest work: of ten thousand files it
//! leaves a handful, of a long file the blocks with the task's words in them.

use super::FlowError;
use crate::constrain::PickFile;
use crate::engine::{Engine, Part, Progress};
use crate::prompt::hints::{self, Searched, Word};
use crate::prompt::{Profile, Row, relevance};
use crate::slots::Operation;
use crate::task::{Context, Task};
use crate::text::{self, Block, BlockSize, GAP, Outline, Shown, Text};
use crate::workspace::{Listing, Workspace, WorkspaceError};

/// Tokens kept for the seams between the parts of a prompt.
const SEAMS: usize = 32;

/// A file of which fewer tokens fit than this, a few lines, is not worth asking about.
const WORTH_ASKING: usize = 64;

/// Tokens that a prompt may spend on files: what the context has, less the task, the answer and the words
/// around them.
pub(super) async fn room_beside<E: Engine>(task: &Task, profile: &Profile, engine: &mut E) -> Result<usize, FlowError> {
    let budget = profile.budget();
    let longest_frame = [Operation::Replace, Operation::Insert].map(|operation| {
        let parts = profile.fill("", "", operation, &Shown::whole(""));
        parts.into_iter().map(|part| match part {
            Part::Control(text) | Part::Text(text) => text,
        })
    });
    let frame: String = longest_frame.into_iter().map(Iterator::collect::<String>).max_by_key(String::len).unwrap_or_default();
    let counts = engine.count_tokens(&[&profile.told(task), &frame]).await?;
    let context = engine.model().context_tokens;
    let max = context.saturating_sub(budget.fill_tokens + budget.line_tokens);
    // Markup is counted as text here, which is never less; a little is kept for the seams.
    // Stage 1 may have a file beside its list.
    let n_shown = if profile.shows_likely_file() { 2 } else { 1 };
    let room = max.saturating_sub(counts.iter().sum::<usize>() + SEAMS) / n_shown;
    let needed = budget.fill_tokens + budget.line_tokens + counts[1] + SEAMS + WORTH_ASKING * n_shown;
    if context < needed {
        return Err(FlowError::ContextTooShort { context, needed });
    }
    if room < WORTH_ASKING {
        return Err(FlowError::TaskTooLong { n_tokens: counts[0], max });
    }
    Ok(room.min(budget.shown_tokens))
}

/// The files of stage 1.
pub(super) struct Candidates {
    pub rows: Vec<Row>,
    /// The path that the search takes the task to be about.
    pub likely: Option<String>,
    /// Of each row the logarithm of how likely the task is about it, where the search tells: 0 for the likeliest.
    pub likelihoods: Vec<f64>,
    pub choices: Vec<PickFile>,
    /// All that could be listed: what a new file must not be called. Hidden and ignored files are not among
    /// them; a name of those is noticed when the file is made.
    pub existing: Vec<String>,
}

impl Candidates {
    /// Takes the task to be about this one; the others stay in their order.
    pub(super) fn put_first(&mut self, i: usize) {
        self.rows[..=i].rotate_right(1);
        self.choices[..=i].rotate_right(1);
        self.likelihoods[..=i].rotate_right(1);
        self.likely = self.rows.first().map(|row| row.path.clone());
    }
}

/// A new file may be made unless the person named the files that the task is about.
pub(super) fn may_create(task: &Task) -> bool {
    task.files().is_empty() && task.context().operations.contains(&Operation::Create)
}

/// Lists the files and keeps those that matter most for the task, as many as stage 1 has room for: first
/// those it names, then those that more of its words stand in.
pub(super) async fn candidates<E: Engine>(
    task: &Task,
    workspace: &Workspace,
    profile: &Profile,
    engine: &mut E,
    room: usize,
    progress: &mut dyn FnMut(Progress),
) -> Result<Candidates, FlowError> {
    let mut listing = match task.files() {
        [] => {
            progress(Progress::Searching(0));
            // On a thread of its own: a walk through a large folder takes seconds, and may be cancelled.
            let root = workspace.root().to_path_buf();
            let walk = tokio::task::spawn_blocking(move || Listing::of(&root)).await;
            let mut listing = workspace.with_pending(walk.expect("a walk reports what it cannot read, and ends"));
            list_hidden(task, workspace, &mut listing);
            listing
        }
        named => {
            let mut paths = named.iter().map(|path| workspace.resolve_named(path)).collect::<Result<Vec<_>, _>>()?;
            paths.sort_unstable();
            paths.dedup();
            Listing { paths, left_out: Vec::new() }
        }
    };
    let existing = listing.paths.clone();
    let may_edit = |path: &String| task.context().editable.as_ref().is_none_or(|editable| editable.contains(path));
    listing.paths.retain(may_edit);
    // A task that opens with "In sample.swift, …" says which file it is about, unless that one is not to be edited.
    let opening = hints::opening_file(task.sentence())
        .filter(|opening| !existing.iter().any(|path| opening.names(path) && !may_edit(path)));
    let is_opening = |path: &String| opening.as_ref().is_some_and(|opening| opening.names(path));
    let mut is_named = !task.files().is_empty();
    if listing.paths.iter().any(is_opening) {
        listing.paths.retain(is_opening);
        is_named = true;
    } else if let Some(opening) = opening
        && opening.is_surely_a_file(&listing.paths)
    {
        if !may_create(task) || !profile.is_asked_without_files() {
            return Err(FlowError::NotListed { path: opening.path.to_owned(), root: workspace.root().display().to_string() });
        }
        listing.paths.clear(); // then it is to be made; no other file is meant
    }
    let words = hints::task_words(task.sentence());
    let mut ranked = Vec::new();
    for (i, paths) in listing.paths.chunks(SEARCHED_AT_ONCE).enumerate() {
        progress(Progress::Searching(i * SEARCHED_AT_ONCE));
        tokio::task::yield_now().await; // so that whoever cancels is heard
        for (path, found) in paths.iter().zip(search(task, workspace, &words, paths)) {
            match found {
                Ok(found) if found.operations.is_empty() => {}
                Ok(found) => ranked.push(found),
                Err(error) if is_named => return Err(error.into()),
                Err(error) => listing.left_out.push((path.clone(), error.reason())),
            }
        }
    }
    if ranked.is_empty() && !(may_create(task) && profile.is_asked_without_files()) {
        return Err(FlowError::NoFiles { root: workspace.root().display().to_string(), left_out: listing.left_out });
    }
    ranked.sort_by(|a, b| b.rank.cmp(&a.rank).then_with(|| a.row.path.cmp(&b.row.path)));
    ranked.truncate(profile.budget().rows);
    let lines: Vec<String> = ranked.iter().map(|Ranked { row, .. }| format!("{}\t{}\n", row.path, row.hints.join(" "))).collect();
    let costs = engine.count_tokens(&lines.iter().map(String::as_str).collect::<Vec<_>>()).await?;
    let mut spent = 0;
    let n_fitting = costs
        .iter()
        .take_while(|&&cost| {
            spent += cost + 8;
            spent <= room
        })
        .count();
    ranked.truncate(n_fitting.max(1));
    let mut likely = ranked.first().map(|file| file.row.path.clone());
    let mut likelihoods = vec![0.0];
    if profile.lists_best_first() && ranked.len() > 1 {
        let paths: Vec<&str> = ranked.iter().map(|file| file.row.path.as_str()).collect();
        let weights = file_weights(task, workspace, &paths)?;
        let mut weighed: Vec<_> = weights.into_iter().zip(ranked).collect();
        weighed.sort_by(|(a, file), (b, other)| b.total_cmp(a).then_with(|| file.row.path.cmp(&other.row.path)));
        let most = weighed.first().map_or(0.0, |(weight, _)| *weight);
        likelihoods = weighed.iter().map(|(weight, _)| (weight - most) * OF_FILE_WEIGHTS).collect();
        ranked = weighed.into_iter().map(|(_, file)| file).collect();
        likely = ranked.first().map(|file| file.row.path.clone());
    } else {
        ranked.sort_by(|a, b| a.row.path.cmp(&b.row.path));
    }
    let choice = |file: &Ranked| PickFile { path: file.row.path.clone(), operations: file.operations.clone() };
    let choices = ranked.iter().map(choice).collect();
    Ok(Candidates { rows: ranked.into_iter().map(|file| file.row).collect(), likely, likelihoods, choices, existing })
}

/// Adds the hidden and ignored files whose path stands in the task. Where there is nothing else, the hidden files of the root
/// are all that a task can be about.
fn list_hidden(task: &Task, workspace: &Workspace, listing: &mut Listing) {
    listing.paths.extend(hints::paths_in(task.sentence()).filter_map(|path| workspace.resolve_named(path).ok()));
    if listing.paths.is_empty() {
        listing.paths = Listing::of_hidden(workspace.root()).paths;
    }
    listing.paths.sort_unstable();
    listing.paths.dedup();
}

/// What makes the logarithm of a probability of a file's weight. Of 1,500 edits of projects of three to five files, kept aside, the
/// right one is the likeliest suggestion most often with 0.12 to 0.2.
const OF_FILE_WEIGHTS: f64 = 0.14;

/// Files that are searched between two moments in which the search can be cancelled.
const SEARCHED_AT_ONCE: usize = 512;

/// A file and how much it matters.
struct Ranked {
    row: Row,
    operations: Vec<Operation>,
    /// Whether the task or what is known of it names it, and how much of the task is in it.
    rank: (bool, usize),
}

/// Reads some files, each thread its part of them, and looks for the words of the task in them.
fn search<'p>(task: &Task, workspace: &Workspace, words: &[Word], paths: &'p [String]) -> Vec<Result<Ranked, WorkspaceError>> {
    let Context { notes, operations: allowed, .. } = task.context();
    let search_one = |path: &String| -> Result<Ranked, WorkspaceError> {
        let text = workspace.read(path)?;
        let is_blank = text.shown().trim().is_empty();
        let searched = Searched::new(text.shown());
        let row = Row { path: path.clone(), hints: searched.hints(words) };
        let score = searched.score(words) + Searched::new(path).score(words);
        let is_named = hints::names_file(task.sentence(), path) || hints::names_file(notes, path);
        let operations = operations_for(is_blank).into_iter().filter(|operation| allowed.contains(operation)).collect();
        Ok(Ranked { row, operations, rank: (is_named, score) })
    };
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let part = |paths: &'p [String]| scope.spawn(move || paths.iter().map(search_one).collect::<Vec<_>>());
        let parts: Vec<_> = paths.chunks(paths.len().div_ceil(n_threads).max(1)).map(part).collect();
        parts.into_iter().flat_map(|part| part.join().expect("a search does not panic")).collect()
    })
}

/// How much the task seems to be about each of some files.
fn file_weights(task: &Task, workspace: &Workspace, paths: &[&str]) -> Result<Vec<f64>, FlowError> {
    let texts = paths.iter().map(|path| workspace.read(path)).collect::<Result<Vec<_>, _>>()?;
    let files: Vec<(&str, &str)> = paths.iter().zip(&texts).map(|(path, text)| (*path, text.shown())).collect();
    Ok(relevance::weigh_files(task.sentence(), &files))
}

/// What can be done to a file that exists: there is nothing to replace in a blank one.
fn operations_for(is_blank: bool) -> Vec<Operation> {
    match is_blank {
        true => vec![Operation::Insert],
        false => vec![Operation::Replace, Operation::ReplaceAll, Operation::Insert],
    }
}

/// Blocks of a long file that are counted at most: more never fit.
const MOST_BLOCKS: usize = 64;

/// What of a file the model sees: all of it, or the blocks that matter most for the task, as many as there
/// is room for; of equal ones the first. With it, how many tokens that is.
pub(super) async fn show<E: Engine>(
    task: &Task,
    path: &str,
    text: &Text,
    profile: &Profile,
    engine: &mut E,
    room: usize,
) -> Result<(Shown, usize), FlowError> {
    let text = text.shown();
    // Counting takes time too, and no token is this long.
    if text.len() <= 64 * room {
        let n_tokens = engine.count_tokens(&[text]).await?[0];
        if n_tokens <= room {
            return Ok((Shown::whole(text), n_tokens));
        }
    }
    let gap = engine.count_tokens(&[GAP]).await?[0];
    let outline = Outline::of(text);
    for size in [profile.budget().blocks, BlockSize::TINY] {
        let mut blocks = best_blocks(task, text, &outline, size);
        let costs = engine.count_tokens(&blocks.iter().map(|block| &text[block.range.clone()]).collect::<Vec<_>>()).await?;
        let mut spent = 0;
        let mut cost = costs.iter();
        blocks.retain(|_| {
            let with_this = spent + cost.next().unwrap_or(&usize::MAX).saturating_add(gap);
            let fits = with_this <= room;
            spent = if fits { with_this } else { spent };
            fits
        });
        if !blocks.is_empty() {
            return Ok((Shown::of_blocks(text, &outline, blocks), spent));
        }
    }
    Err(FlowError::FileTooLong { path: path.to_owned(), max: engine.model().context_tokens })
}

/// What a block at an end of the file weighs by itself: less than a word of the task.
const AT_ENDS: f64 = 1.0;

/// The blocks that matter most for a task, best first.
fn best_blocks(task: &Task, text: &str, outline: &Outline, size: BlockSize) -> Vec<Block> {
    let blocks = text::blocks(text, outline, size);
    let lines = blocks.iter().enumerate().flat_map(|(block_idx, block)| {
        let lines = text[block.range.clone()].split_inclusive('\n').enumerate();
        lines.map(move |(i, line)| (block_idx, block.first_line - 1 + i, line))
    });
    let lines: Vec<(usize, usize, &str)> = lines.collect();
    let scopes: Vec<Option<&str>> = lines.iter().map(|(_, line_idx, _)| outline.enclosing(*line_idx)).collect();
    let weights = relevance::weigh(task.sentence(), &lines.iter().map(|(.., line)| *line).collect::<Vec<_>>(), &scopes);
    // What stands at both ends of a file, imports and the like, is worth more than what nothing speaks for.
    let last = blocks.len() - 1;
    let at_ends = |i: usize| if i == 0 || i == last { AT_ENDS } else { 0.0 };
    let mut weighed: Vec<(f64, Block)> = blocks.into_iter().enumerate().map(|(i, block)| (at_ends(i), block)).collect();
    for ((block_idx, ..), weight) in lines.iter().zip(weights) {
        weighed[*block_idx].0 += weight;
    }
    weighed.retain(|(_, block)| !text[block.range.clone()].trim().is_empty());
    weighed.sort_by(|a, b| b.0.total_cmp(&a.0));
    weighed.truncate(MOST_BLOCKS);
    weighed.into_iter().map(|(_, block)| block).collect()
}
