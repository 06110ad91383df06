//! A patch and the files it is about, to what the files become. Pure: files are read through
//! [`Files`], nothing is written. Every request has its outcome, so that only what failed need be
//! asked for again.

use crate::edit::{self, Edit, EditSet, Replacement};
use crate::format::{Action, LineEdit, Over, Patch, Request};
use crate::locate::hunk::{Count, Extent, Hunk, HunkLine, Tag};
use crate::locate::miss::{LineRange, Miss, Reason};
use crate::locate::{Haystack, sketch};
use crate::locate::{Located, Lookup, Rung, locate, locate_all};
use crate::slots::{Insert, Slots};
use crate::text::elision;
use crate::text::{Shown, Text};
use crate::workspace::resolve::{Resolved, plain_path, resolve_path};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The files that a patch may be about.
pub trait Files {
    /// Those that are listed, sorted: a path that is not one of them may mean one.
    fn listing(&self) -> &[String];

    /// A file's text; none where there is no such file.
    ///
    /// # Errors
    /// A sentence, if there is one that cannot be edited.
    fn read(&self, path: &str) -> Result<Option<Text>, String>;
}

/// What a patch comes to.
#[derive(Debug)]
pub struct Plan {
    /// The files that change, in the order in which the patch names them.
    pub files: Vec<PlannedFile>,
    /// What became of each request, in order.
    pub outcomes: Vec<Outcome>,
}

/// A file that changes.
#[derive(Clone, Debug)]
pub struct PlannedFile {
    /// Where it is, or will be if it is new.
    pub path: String,
    /// Where it goes, if it is moved.
    pub moved_to: Option<String>,
    /// What it holds; none if it is new.
    pub before: Option<Text>,
    /// What it will hold; none if it is removed.
    pub after: Option<Vec<u8>>,
}

/// What became of one request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Outcome {
    /// The line of the patch on which it begins, counted from 1.
    pub patch_line: usize,
    /// The file, relative to the root; as the patch names it where it is none.
    pub path: Option<String>,
    /// What became of it.
    #[serde(flatten)]
    pub result: RequestResult,
}

/// What became of one request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum RequestResult {
    /// It can be done.
    Applies(Applied),
    /// It is done already.
    AlreadyApplied {
        /// Where.
        lines: Option<LineRange>,
    },
    /// It cannot be done.
    Failed(Failed),
}

/// A request that can be done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Applied {
    /// How its place was found; none where there was nothing to find.
    pub rung: Option<Rung>,
    /// Its places in the file as it was.
    pub lines: Vec<LineRange>,
    /// What is exchanged, in the file's own spelling.
    pub replacements: Vec<Exchanged>,
}

/// A stretch of a file and what it becomes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Exchanged {
    /// The line it begins on, counted from 1.
    pub line: usize,
    /// What stood there, with line feeds only; empty for an insertion.
    pub old: String,
    /// What stands there now, likewise.
    pub new: String,
}

/// A request that cannot be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Failed {
    /// A word for programs.
    pub kind: FailedKind,
    /// A sentence for people.
    pub message: String,
    /// What to do next.
    pub next: String,
    /// What was searched and what is there.
    pub miss: Option<Box<Miss>>,
}

/// Why a request cannot be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailedKind {
    /// The patch does not say which file.
    NoPath,
    /// There is no such file.
    NoFile,
    /// The name may mean several files.
    AmbiguousPath,
    /// The file is there, and the patch would make it.
    Exists,
    /// The file cannot be read or edited.
    Unreadable,
    /// The text to change was not found, or in several places.
    Place,
    /// It changes what another request of the patch changes.
    Overlaps,
    /// It leaves out parts of the file, and which ones cannot be told.
    LeftOut,
    /// The file's encoding has no such character.
    Encoding,
    /// Line numbers that the file does not have.
    Lines,
}

impl Failed {
    fn new(kind: FailedKind, message: impl Into<String>, next: impl Into<String>) -> Failed {
        Failed { kind, message: message.into(), next: next.into(), miss: None }
    }

    fn of(miss: Miss) -> Failed {
        let (message, next) = (miss.headline(), miss.next.clone());
        Failed { kind: FailedKind::Place, message, next, miss: Some(Box::new(miss)) }
    }
}

impl Plan {
    /// The requests that failed.
    pub fn failed(&self) -> impl Iterator<Item = (&Outcome, &Failed)> {
        self.outcomes.iter().filter_map(|outcome| match &outcome.result {
            RequestResult::Failed(failed) => Some((outcome, failed)),
            _ => None,
        })
    }
}

/// Works out what a patch comes to. `file` names the one file that all of it is about, whatever the
/// patch calls it. What fails is left out of [`Plan::files`]; whether the rest is written is for
/// the caller to decide.
pub fn apply(patch: &Patch, file: Option<&str>, files: &dyn Files) -> Plan {
    let mut results: Vec<Option<RequestResult>> = vec![None; patch.requests.len()];
    let mut paths: Vec<Option<String>> = Vec::with_capacity(patch.requests.len());
    let mut by_file: Vec<(String, Vec<usize>)> = Vec::new();
    for (i, request) in patch.requests.iter().enumerate() {
        match path_of(request, file, files) {
            Ok(path) => {
                match by_file.iter_mut().find(|(other, _)| *other == path) {
                    Some((_, requests)) => requests.push(i),
                    None => by_file.push((path.clone(), vec![i])),
                }
                paths.push(Some(path));
            }
            Err(failed) => {
                results[i] = Some(RequestResult::Failed(failed));
                paths.push(request.path.clone());
            }
        }
    }
    let mut planned: Vec<PlannedFile> = Vec::new();
    for (path, indices) in by_file {
        let requests: Vec<&Request> = indices.iter().map(|&i| &patch.requests[i]).collect();
        let (file, mut file_results) = of_file(&path, &requests, files);
        // Two files of one name: one would be lost.
        let target = |file: &PlannedFile| {
            file.after.as_ref().map(|_| file.moved_to.as_ref().unwrap_or(&file.path).clone())
        };
        match file
            .as_ref()
            .and_then(target)
            .filter(|to| planned.iter().any(|other| target(other).as_ref() == Some(to)))
        {
            Some(to) => {
                let message = format!(
                    "{path} cannot become {to}: another part of the patch puts a file there"
                );
                let failed =
                    Failed::new(FailedKind::Exists, message, "give each file a name of its own");
                file_results = vec![RequestResult::Failed(failed); requests.len()];
            }
            None => planned.extend(file),
        }
        for (i, result) in indices.into_iter().zip(file_results) {
            results[i] = Some(result);
        }
    }
    let outcome =
        |((request, path), result): ((&Request, Option<String>), Option<RequestResult>)| Outcome {
            patch_line: request.line,
            path,
            result: result.expect("each request has a file or failed"),
        };
    Plan {
        files: planned,
        outcomes: patch.requests.iter().zip(paths).zip(results).map(outcome).collect(),
    }
}

fn path_of(request: &Request, file: Option<&str>, files: &dyn Files) -> Result<String, Failed> {
    if let Some(file) = file {
        return Ok(file.to_owned());
    }
    let Some(named) = &request.path else {
        let next = "name it above the edit, or with --file";
        return Err(Failed::new(
            FailedKind::NoPath,
            "the patch does not say which file it is about",
            next,
        ));
    };
    let path = plain_path(named);
    // What prompts say for "some folder", and models repeat.
    let is_placeholder =
        |_: &&str| !files.listing().iter().any(|other| other.starts_with("path/to/"));
    let path = path.strip_prefix("path/to/").filter(is_placeholder).unwrap_or(&path).to_owned();
    let may_be_new =
        matches!(request.action, Action::Write { over: Over::Nothing | Over::Anything, .. });
    // A hidden or ignored file is not listed, but a patch may name it.
    if may_be_new || files.read(&path).is_ok_and(|text| text.is_some()) {
        return Ok(path);
    }
    // A wrong folder is another file; and what goes or moves must be named as it is.
    let ends_like = |one: &str, other: &str| {
        one.strip_suffix(other).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let must_be_exact = matches!(request.action, Action::Delete { .. } | Action::Move { .. });
    match resolve_path(&path, files.listing()) {
        Resolved::File(found)
            if !must_be_exact && (ends_like(&path, &found) || ends_like(&found, &path)) =>
        {
            Ok(found)
        }
        Resolved::File(_) => Ok(path),
        Resolved::Ambiguous(candidates) => {
            let next = format!("write one of their paths: {}", candidates.join(", "));
            Err(Failed::new(
                FailedKind::AmbiguousPath,
                format!("{named:?} may mean {} files", candidates.len()),
                next,
            ))
        }
        // The file's own outcome says that it is not there.
        Resolved::Missing => Ok(path),
    }
}

/// What becomes of one file, and of each request for it.
fn of_file(
    path: &str,
    requests: &[&Request],
    files: &dyn Files,
) -> (Option<PlannedFile>, Vec<RequestResult>) {
    let fail_all = |failed: Failed| {
        (None, requests.iter().map(|_| RequestResult::Failed(failed.clone())).collect())
    };
    let before = match files.read(path) {
        Ok(before) => before,
        Err(message) => {
            return fail_all(Failed::new(
                FailedKind::Unreadable,
                message,
                "leave this file out of the patch",
            ));
        }
    };
    let mut work = Work::new(path, before, requests.len());
    for (i, request) in requests.iter().enumerate() {
        match &request.action {
            Action::Edit(_) => {}
            Action::Write { text, over } => work.write(i, text, *over),
            Action::Delete { holds } => work.delete(i, holds.as_deref()),
            Action::Move { to } => work.move_to(i, &plain_path(to), files),
            Action::Lines(lines) => work.lines(i, lines),
            Action::Insert(insert) => work.insert(i, insert),
        }
    }
    let hunks: Vec<(usize, &Hunk)> =
        requests
            .iter()
            .enumerate()
            .filter_map(|(i, request)| {
                if let Action::Edit(hunk) = &request.action { Some((i, hunk)) } else { None }
            })
            .collect();
    work.edit(&hunks);
    work.finish()
}

/// One file while its requests are worked out.
struct Work<'p> {
    path: &'p str,
    before: Option<Text>,
    /// Replacements of the text as it was, and which request each belongs to.
    replacements: Vec<(usize, Replacement)>,
    /// What is to be found in what the others make of it.
    later: Vec<(usize, Hunk)>,
    written: Option<(usize, String)>,
    deleted: bool,
    moved_to: Option<String>,
    results: Vec<Option<RequestResult>>,
}

impl<'p> Work<'p> {
    fn new(path: &'p str, before: Option<Text>, n_requests: usize) -> Work<'p> {
        Work {
            path,
            before,
            replacements: Vec::new(),
            later: Vec::new(),
            written: None,
            deleted: false,
            moved_to: None,
            results: vec![None; n_requests],
        }
    }

    fn fail(&mut self, i: usize, failed: Failed) {
        self.results[i] = Some(RequestResult::Failed(failed));
    }

    fn missing(&self) -> Failed {
        Failed::new(
            FailedKind::NoFile,
            format!("there is no file {:?}", self.path),
            "check its path, or leave it out of the patch",
        )
    }

    /// Whether something else of the patch has decided what becomes of the whole file.
    fn is_settled(&self) -> bool {
        self.written.is_some() || self.deleted
    }

    fn overlaps(&self) -> Failed {
        let message = format!("another part of the patch changes the same text of {}", self.path);
        Failed::new(FailedKind::Overlaps, message, "make one edit of the two")
    }

    fn write(&mut self, i: usize, text: &str, over: Over) {
        if self.is_settled() {
            return self.fail(i, self.overlaps());
        }
        let has_markers = text.lines().any(|line| {
            elision::is_elision(line) || (over == Over::File && elision::is_bare_ellipsis(line))
        });
        let there = self.before.as_ref().map(|before| before.shown().to_owned());
        // Whether the last line ends is the file's own habit; a fence cannot say it.
        let text = match &there {
            Some(there) if !there.is_empty() && !there.ends_with('\n') => {
                text.strip_suffix('\n').unwrap_or(text)
            }
            _ => text,
        };
        match (&there, over) {
            (Some(there), _) if there == text => {
                self.results[i] = Some(RequestResult::AlreadyApplied { lines: None })
            }
            (Some(there), Over::Nothing) if !there.trim().is_empty() => {
                let message =
                    format!("there is a file {} already, and the patch would make it", self.path);
                let next =
                    "change the file that is there: name the text to replace, or delete it first";
                self.fail(i, Failed::new(FailedKind::Exists, message, next));
            }
            (None, Over::File) if !has_markers => self.fail(i, self.missing()),
            (Some(there), Over::File | Over::Anything) if has_markers => {
                match sketch::completed(there, text) {
                    Ok(text) => self.written = Some((i, text)),
                    Err(error) => {
                        let next = "write the lines before and after each left-out part as they are in the file, or the whole file";
                        self.fail(i, Failed::new(FailedKind::LeftOut, error.to_string(), next));
                    }
                }
            }
            (None, _) if has_markers => {
                let message =
                    format!("{} would be new, and the text leaves parts of it out", self.path);
                self.fail(i, Failed::new(FailedKind::LeftOut, message, "write the whole file"));
            }
            _ => self.written = Some((i, text.to_owned())),
        }
    }

    fn delete(&mut self, i: usize, holds: Option<&[String]>) {
        let Some(before) = &self.before else { return self.fail(i, self.missing()) };
        let plain = |line: &str| line.trim_end().to_owned();
        if holds.is_some_and(|holds| {
            !before.shown().lines().map(plain).eq(holds.iter().map(|line| plain(line)))
        }) {
            let message = format!("{} does not hold what the patch deletes", self.path);
            return self.fail(
                i,
                Failed::new(
                    FailedKind::Place,
                    message,
                    "make the patch anew from the file as it is",
                ),
            );
        }
        if self.is_settled() {
            return self.fail(i, self.overlaps());
        }
        self.deleted = true;
        self.results[i] = Some(RequestResult::Applies(Applied::default()));
    }

    fn move_to(&mut self, i: usize, to: &str, files: &dyn Files) {
        let is_free = match files.read(to) {
            Ok(there) => there.is_none(),
            Err(message) => {
                let failed = Failed::new(FailedKind::Unreadable, message, "choose another name");
                return self.fail(i, failed);
            }
        };
        if self.before.is_none() {
            return match is_free {
                true => self.fail(i, self.missing()),
                false => self.results[i] = Some(RequestResult::AlreadyApplied { lines: None }),
            };
        }
        if to == self.path {
            self.results[i] = Some(RequestResult::AlreadyApplied { lines: None });
        } else if !is_free {
            let message = format!("{} cannot be moved: there is a file {to} already", self.path);
            self.fail(
                i,
                Failed::new(
                    FailedKind::Exists,
                    message,
                    "delete that one first, or choose another name",
                ),
            );
        } else {
            self.moved_to = Some(to.to_owned());
            self.results[i] = Some(RequestResult::Applies(Applied::default()));
        }
    }

    fn lines(&mut self, i: usize, edit: &LineEdit) {
        let Some(before) = &self.before else { return self.fail(i, self.missing()) };
        match Haystack::new(self.path, before).by_number(edit.line, edit.n_deleted, &edit.new) {
            Some(replacement) => {
                let first = edit.line.max(1);
                let lines = LineRange { first, last: first + edit.n_deleted.saturating_sub(1) };
                self.applies(i, None, vec![lines], vec![replacement]);
            }
            None => {
                let message = format!(
                    "it changes lines from {} on, which {} does not have",
                    edit.line, self.path
                );
                self.fail(
                    i,
                    Failed::new(
                        FailedKind::Lines,
                        message,
                        "make the patch anew from the file as it is",
                    ),
                );
            }
        }
    }

    fn insert(&mut self, i: usize, insert: &Insert) {
        let Some(before) = &self.before else { return self.fail(i, self.missing()) };
        let slots = Slots::Insert(insert.clone());
        let set = match edit::place(&slots, &Shown::whole(before.shown())) {
            Ok(Some(edit @ Edit::Insert { .. })) => EditSet::of(&edit, self.path, before),
            Ok(_) => Err(edit::SlotsError::NotShown),
            Err(error) => Err(error),
        };
        match set {
            Ok(set) => self.applies(i, Some(Rung::Exact), Vec::new(), set.replacements().to_vec()),
            Err(error) => {
                let next = "copy the anchor line from the file; where it stands more than once, name its place";
                self.fail(i, Failed::new(FailedKind::Place, error.to_string(), next));
            }
        }
    }

    fn edit(&mut self, hunks: &[(usize, &Hunk)]) {
        if hunks.is_empty() {
            return;
        }
        if let ([(i, hunk)], None) = (hunks, &self.before)
            && hunk.old().all(|line| line.trim().is_empty())
        {
            // Nothing but blank lines is searched in a file that is not there: models make a new
            // one so.
            let text: String = hunk.new().flat_map(|line| [line, "\n"]).collect();
            return self.write(*i, &text, Over::Nothing);
        }
        let Some(before) = self.before.clone().filter(|_| !self.is_settled()) else {
            let failed = if self.before.is_none() { self.missing() } else { self.overlaps() };
            return hunks.iter().for_each(|&(i, _)| self.fail(i, failed.clone()));
        };
        let haystack = Haystack::new(self.path, &before);
        let only_hunks: Vec<&Hunk> = hunks.iter().map(|&(_, hunk)| hunk).collect();
        for (&(i, hunk), finding) in hunks.iter().zip(locate_all(&haystack, &only_hunks)) {
            if let Some(line) = rest_of_code(hunk, before.shown()) {
                let message = format!("it would write {line:?} into the file in place of code");
                let next = "write the whole new text, or leave the marker out of both the searched and the new text";
                // Where both have it, it stands for the same lines.
                match in_pieces(&haystack, hunk) {
                    Some(located) => self.located(i, located),
                    None => self.fail(i, Failed::new(FailedKind::LeftOut, message, next)),
                }
                continue;
            }
            match finding {
                Ok(Lookup::Here(located)) if located.replacements.is_empty() => {
                    let lines = located.lines.first().map(LineRange::of);
                    self.results[i] = Some(RequestResult::AlreadyApplied { lines });
                }
                Ok(Lookup::Here(located)) => self.located(i, located),
                Ok(Lookup::AlreadyThere(lines)) => {
                    self.results[i] =
                        Some(RequestResult::AlreadyApplied { lines: Some(LineRange::of(&lines)) });
                }
                Err(miss) => match in_pieces(&haystack, hunk) {
                    Some(located) => self.located(i, located),
                    None => {
                        // Several places are several, whatever the other edits leave of them.
                        if matches!(miss.reason, Reason::NotFound { .. }) {
                            self.later.push((i, hunk.clone()));
                        }
                        self.fail(i, Failed::of(miss));
                    }
                },
            }
        }
    }

    fn located(&mut self, i: usize, located: Located) {
        let lines = located.lines.iter().map(LineRange::of).collect();
        self.applies(i, Some(located.rung), lines, located.replacements);
    }

    fn applies(
        &mut self,
        i: usize,
        rung: Option<Rung>,
        lines: Vec<LineRange>,
        replacements: Vec<Replacement>,
    ) {
        let shown = self.before.as_ref().map_or("", Text::shown);
        let exchanged =
            replacements.iter().map(|replacement| Exchanged::of(shown, replacement)).collect();
        let overlaps = |a: &Replacement, b: &Replacement| {
            let (a, b) = (&a.range, &b.range);
            a.start < b.end && b.start < a.end
                || (a.is_empty() && b.start < a.start && a.start < b.end)
        };
        // The same edit twice is one.
        if self
            .replacements
            .iter()
            .any(|(_, other)| replacements.contains(other) && !other.range.is_empty())
        {
            self.results[i] = Some(RequestResult::AlreadyApplied { lines: lines.first().copied() });
            return;
        }
        if self
            .replacements
            .iter()
            .any(|(_, other)| replacements.iter().any(|r| overlaps(r, other)))
        {
            return self.fail(i, self.overlaps());
        }
        self.replacements.extend(replacements.into_iter().map(|replacement| (i, replacement)));
        self.results[i] =
            Some(RequestResult::Applies(Applied { rung, lines, replacements: exchanged }));
    }

    fn finish(mut self) -> (Option<PlannedFile>, Vec<RequestResult>) {
        let mut after = self.after();
        let before = self.before.take();
        // A file whose edits cannot all be made neither goes nor moves, with `--partial` either.
        if (self.deleted || self.moved_to.is_some())
            && self.results.iter().any(|r| matches!(r, Some(RequestResult::Failed(_))))
        {
            let failed = Failed::new(
                FailedKind::Overlaps,
                format!("{} is to be edited, too, and not all of that can be done", self.path),
                "mend the edits of this file first",
            );
            self.results = self
                .results
                .iter()
                .map(|r| match r {
                    Some(RequestResult::Failed(_)) => r.clone(),
                    _ => Some(RequestResult::Failed(failed.clone())),
                })
                .collect();
            self.moved_to = None;
            after = before.as_ref().map(|before| before.bytes().to_vec());
        }
        let changes =
            self.moved_to.is_some() || after.as_deref() != before.as_ref().map(Text::bytes);
        let file = changes.then(|| PlannedFile {
            path: self.path.to_owned(),
            moved_to: self.moved_to,
            before,
            after,
        });
        let results = self
            .results
            .into_iter()
            .map(|result| result.expect("each request has its result"))
            .collect();
        (file, results)
    }

    fn after(&mut self) -> Option<Vec<u8>> {
        if self.deleted {
            return None;
        }
        let Some(before) = self.before.clone() else {
            let (i, text) = self.written.take()?;
            let new = edit::rewritten(self.path, "", &text)
                .into_iter()
                .map(|replacement| replacement.new)
                .collect::<String>();
            let exchanged = Exchanged { line: 1, old: String::new(), new: new.clone() };
            self.results[i] = Some(RequestResult::Applies(Applied {
                replacements: vec![exchanged],
                ..Applied::default()
            }));
            return Some(new.into_bytes());
        };
        if let Some((i, text)) = self.written.take() {
            let replacements = edit::rewritten(self.path, before.shown(), &text);
            self.applies(i, None, Vec::new(), replacements);
        }
        let all = |replacements: &[(usize, Replacement)]| {
            before
                .splice(sorted(replacements.iter().map(|(_, r)| (r.range.clone(), r.new.as_str()))))
        };
        if let Ok(after) = all(&self.replacements) {
            return Some(self.with_later(after));
        }
        // A request whose new text the encoding cannot express goes alone.
        for i in 0..self.results.len() {
            let own = self
                .replacements
                .iter()
                .filter(|(owner, _)| *owner == i)
                .map(|(_, r)| (r.range.clone(), r.new.as_str()));
            if let Err(error) = before.splice(sorted(own)) {
                self.fail(
                    i,
                    Failed::new(
                        FailedKind::Encoding,
                        error.to_string(),
                        "convert the file to UTF-8 first",
                    ),
                );
                self.replacements.retain(|(owner, _)| *owner != i);
            }
        }
        let after = all(&self.replacements).expect("each of them can be expressed");
        Some(self.with_later(after))
    }

    /// Blocks that search what a block before them wrote: each is tried on what the ones before it
    /// made.
    fn with_later(&mut self, mut after: Vec<u8>) -> Vec<u8> {
        let mut later =
            std::mem::take(&mut self.later).into_iter().filter(|(_, hunk)| !hunk.hints.is_ordered);
        while !self.replacements.is_empty() {
            let Ok(text) = Text::decode(after.clone()) else { break };
            let haystack = Haystack::new(self.path, &text);
            // Those that are not there, either, share one look at the text.
            let made = later.find_map(|(i, hunk)| {
                let Ok(Lookup::Here(located)) = locate(&haystack, &hunk) else { return None };
                let bytes = text
                    .splice(located.replacements.iter().map(|r| (r.range.clone(), r.new.as_str())))
                    .ok()?;
                Some((i, located, bytes))
            });
            let Some((i, located, bytes)) = made else { break };
            let exchanged =
                located.replacements.iter().map(|r| Exchanged::of(text.shown(), r)).collect();
            let lines = located.lines.iter().map(LineRange::of).collect();
            let applied = Applied { rung: Some(located.rung), lines, replacements: exchanged };
            self.results[i] = Some(RequestResult::Applies(applied));
            after = bytes;
        }
        after
    }
}

impl Exchanged {
    fn of(shown: &str, replacement: &Replacement) -> Exchanged {
        Exchanged {
            line: shown[..replacement.range.start].matches('\n').count() + 1,
            old: shown[replacement.range.clone()].to_owned(),
            new: replacement.new.clone(),
        }
    }
}

/// Stable, so that what is inserted at one place stays in the order of the patch.
fn sorted<'a>(
    replacements: impl Iterator<Item = (std::ops::Range<usize>, &'a str)>,
) -> Vec<(std::ops::Range<usize>, &'a str)> {
    let mut replacements: Vec<_> = replacements.collect();
    replacements.sort_by_key(|(range, _)| (range.start, range.end));
    replacements
}

/// A line that stands for code, would be new, and is not in the file.
fn rest_of_code<'h>(hunk: &'h Hunk, shown: &str) -> Option<&'h str> {
    let is_new = |line: &&HunkLine| line.tag == Tag::Insert && elision::is_elision(&line.text);
    let kept =
        hunk.lines.iter().filter(|line| line.tag == Tag::Keep && elision::is_elision(&line.text));
    let new = hunk.lines.iter().find(is_new).or_else(|| kept.clone().next())?;
    (!shown.contains(new.text.trim())).then_some(new.text.as_str())
}

/// An edit whose searched and new text both leave out the same parts (`...`): the pieces between,
/// in their order.
fn in_pieces(haystack: &Haystack, hunk: &Hunk) -> Option<Located> {
    let is_marker = |line: &&str| elision::is_elision(line) || elision::is_bare_ellipsis(line);
    let (old, new): (Vec<&str>, Vec<&str>) = (hunk.old().collect(), hunk.new().collect());
    let pieces = |lines: &[&str]| -> Vec<Vec<String>> {
        lines
            .split(is_marker)
            .map(|piece| piece.iter().map(|&line| line.to_owned()).collect())
            .collect()
    };
    let (old, new) = (pieces(&old), pieces(&new));
    if old.len() < 2 || old.len() != new.len() {
        return None;
    }
    let mut hunks: Vec<Hunk> = Vec::new();
    for (old, new) in old.iter().zip(&new).filter(|(old, new)| !old.is_empty() || !new.is_empty()) {
        if old.is_empty() {
            return None; // nothing says where the new lines go
        }
        let (old, new): (Vec<&str>, Vec<&str>) =
            (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
        let mut piece =
            Hunk { extent: Extent::Lines, count: Count::One, ..Hunk::of_lines(&old, &new) };
        piece.hints.is_ordered = true;
        hunks.push(piece);
    }
    let findings = locate_all(haystack, &hunks.iter().collect::<Vec<_>>());
    let mut all = Located { rung: Rung::Exact, replacements: Vec::new(), lines: Vec::new() };
    for finding in findings {
        let Ok(Lookup::Here(located)) = finding else { return None };
        let is_below = all
            .lines
            .last()
            .zip(located.lines.first())
            .is_none_or(|(last, next)| last.end <= next.start);
        if !is_below {
            return None;
        }
        all.rung = all.rung.max(located.rung);
        all.replacements.extend(located.replacements);
        all.lines.extend(located.lines);
    }
    (!all.replacements.is_empty()).then_some(all)
}

/// How many requests were found on which rung.
pub fn rungs(outcomes: &[Outcome]) -> BTreeMap<Rung, usize> {
    let mut rungs = BTreeMap::new();
    for outcome in outcomes {
        if let RequestResult::Applies(Applied { rung: Some(rung), .. }) = &outcome.result {
            *rungs.entry(*rung).or_default() += 1;
        }
    }
    rungs
}
