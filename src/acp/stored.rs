//! Conversations on disk, so that an editor finds them again after the agent was ended. Each is a
//! file of lines: what it is about, then what was said and done.
//!
//! What cannot be kept is no error: the conversation goes on, and will not be found again.

use crate::app::earlier::Earlier;
use crate::workspace::private_folder::make_private_folder;
use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

/// The most conversations that are kept. The oldest ones go first.
const MOST: usize = 100;

/// The longest file, in bytes. What is said after it is not kept.
const MAX_BYTES: u64 = 1 << 20;

/// The longest text of a line, in bytes. A patch may be longer.
const MAX_TEXT: usize = 1 << 16;

/// A line of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    /// The folders that it is about, the first one first. It begins with this.
    Folders(Vec<PathBuf>),
    /// What the person wrote.
    Prompt(String),
    /// What the agent said.
    Said(String),
    /// The model that was chosen; `None`: the one that the agent was started with.
    Model(Option<String>),
    /// The edit that was written last, if the next prompt shall know it.
    Last(Option<Earlier>),
}

/// What a list shows of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Summary {
    pub id: String,
    pub folders: Vec<PathBuf>,
    /// The first line of the first prompt.
    pub title: String,
    /// RFC 3339.
    pub updated_at: String,
}

/// Writes the lines of one conversation.
#[derive(Clone, Debug)]
pub(super) struct Record(Arc<Mutex<Writing>>);

#[derive(Debug)]
enum Writing {
    /// Nothing was asked yet, and there is no file: editors begin many sessions that stay empty.
    Unasked {
        records: Records,
        id: String,
        lines: Vec<Line>,
    },
    Into(File),
    /// It is not kept.
    Nowhere,
}

/// The folder with all conversations.
#[derive(Clone, Debug)]
pub(super) struct Records {
    folder: PathBuf,
}

impl Records {
    pub fn in_folder(folder: PathBuf) -> Records {
        Records { folder }
    }

    /// Begins a conversation.
    pub fn begin(&self, id: &str, folders: &[PathBuf]) -> Record {
        Record(Arc::new(Mutex::new(Writing::Unasked {
            records: self.clone(),
            id: id.to_owned(),
            lines: vec![Line::Folders(folders.to_vec())],
        })))
    }

    /// Reads a conversation, and goes on with it. `None` if there is none with this name.
    pub fn open(&self, id: &str) -> Option<(Vec<Line>, Record)> {
        let path = self.path(id)?;
        let bytes = fs::read(&path).ok()?;
        let mut writing = match self.file(id, &mut OpenOptions::new()) {
            Some(file) => Writing::Into(file),
            None => Writing::Nowhere,
        };
        // The last line may have been cut by a crash.
        if let Writing::Into(file) = &mut writing
            && !bytes.ends_with(b"\n")
        {
            let _ = file.write_all(b"\n"); // the next line tells
        }
        Some((lines_of(&bytes), Record(Arc::new(Mutex::new(writing)))))
    }

    fn file(&self, id: &str, options: &mut OpenOptions) -> Option<File> {
        let path = self.path(id)?;
        make_private_folder(&self.folder).ok()?;
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
        options.append(true).open(path).ok()
    }

    /// The conversations with a prompt, the newest first; about this folder, if one is given.
    pub fn list(&self, folder: Option<&Path>) -> Vec<Summary> {
        let mut summaries = Vec::new();
        for (written, path) in self.files() {
            let Some(summary) = summary(written, &path) else {
                continue;
            };
            if folder.is_none_or(|folder| summary.folders.first().is_some_and(|it| it == folder)) {
                summaries.push(summary);
            }
        }
        summaries
    }

    /// Removes a conversation, if it is there.
    pub fn remove(&self, id: &str) -> io::Result<()> {
        match self.path(id).map(fs::remove_file) {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// The file of a conversation. `None` if the name is none that was given here: it comes from
    /// outside, and must not lead elsewhere.
    fn path(&self, id: &str) -> Option<PathBuf> {
        let is_ours = |c: char| c.is_ascii_hexdigit() || c == '-';
        let is_name = !id.is_empty() && id.len() < 100 && id.chars().all(is_ours);
        is_name.then(|| self.folder.join(format!("{id}.jsonl")))
    }

    /// All files with the time of their last line, the newest first.
    fn files(&self) -> Vec<(SystemTime, PathBuf)> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let written = entry.metadata().and_then(|it| it.modified());
            files.extend(written.ok().map(|written| (written, entry.path())));
        }
        files.sort_unstable_by(|a, b| b.cmp(a));
        files
    }

    /// Makes room for one more.
    fn forget_old(&self) {
        for (_, path) in self.files().into_iter().skip(MOST - 1) {
            let _ = fs::remove_file(path); // the next one tries it again
        }
    }
}

impl Record {
    /// Adds a line. The file is made with the first prompt.
    pub fn add(&self, line: &Line) {
        let mut writing = self
            .0
            .lock()
            .expect("nothing panics while it holds the lock");
        if let Writing::Unasked { records, id, lines } = &mut *writing {
            if !matches!(line, Line::Prompt(_)) {
                lines.push(line.clone());
                return;
            }
            records.forget_old();
            let file = records.file(id, OpenOptions::new().create_new(true));
            let lines = std::mem::take(lines);
            *writing = file.map_or(Writing::Nowhere, Writing::Into);
            lines.iter().for_each(|line| writing.add(line));
        }
        writing.add(line);
    }
}

impl Writing {
    fn add(&mut self, line: &Line) {
        let Writing::Into(file) = self else { return };
        let is_said = matches!(line, Line::Prompt(_) | Line::Said(_));
        if is_said && !file.metadata().is_ok_and(|it| it.len() < MAX_BYTES) {
            return;
        }
        let line = serde_json::to_string(&line.bounded()).expect("a line is plain data") + "\n";
        if file.write_all(line.as_bytes()).is_err() {
            *self = Writing::Nowhere;
        }
    }
}

impl Line {
    /// The same, with a text that is not too long.
    fn bounded(&self) -> Line {
        let bounded = |text: &String| text[..text.floor_char_boundary(MAX_TEXT)].to_owned();
        match self {
            Line::Prompt(text) => Line::Prompt(bounded(text)),
            Line::Said(text) => Line::Said(bounded(text)),
            line => line.clone(),
        }
    }
}

/// The lines of a file. One that was cut by a crash is left out.
fn lines_of(bytes: &[u8]) -> Vec<Line> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}

fn summary(written: SystemTime, path: &Path) -> Option<Summary> {
    let mut folders = Vec::new();
    let mut title = None;
    for line in lines_of(&fs::read(path).ok()?) {
        match line {
            Line::Folders(all) => folders = all,
            Line::Prompt(text) => {
                title = title.or_else(|| Some(text.lines().next().unwrap_or_default().to_owned()));
            }
            _ => {}
        }
    }
    let updated_at = DateTime::<Utc>::from(written);
    Some(Summary {
        id: path.file_stem()?.to_str()?.to_owned(),
        folders,
        title: title?,
        updated_at: updated_at.to_rfc3339_opts(SecondsFormat::Secs, true),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records() -> (tempfile::TempDir, Records) {
        let dir = tempfile::tempdir().unwrap();
        let records = Records::in_folder(dir.path().join("sessions"));
        (dir, records)
    }

    #[test]
    fn a_conversation_is_found_again() {
        let (_dir, records) = records();
        let record = records.begin("1-a", &[PathBuf::from("/p")]);
        assert_eq!(records.list(None), [], "nothing was asked yet");
        assert!(records.open("1-a").is_none());
        record.add(&Line::Prompt("Rename f\nto g".to_owned()));
        let [summary] = records.list(Some(Path::new("/p"))).try_into().unwrap();
        assert_eq!(
            (summary.id.as_str(), summary.title.as_str()),
            ("1-a", "Rename f")
        );
        assert!(records.list(Some(Path::new("/q"))).is_empty());

        let (lines, record) = records.open("1-a").unwrap();
        assert_eq!(lines.len(), 2);
        record.add(&Line::Said("Wrote".to_owned()));
        assert_eq!(records.open("1-a").unwrap().0.len(), 3);
        records.remove("1-a").unwrap();
        assert!(records.open("1-a").is_none());
        records.remove("1-a").unwrap();
    }

    #[test]
    fn a_name_leads_nowhere_else() {
        let (dir, records) = records();
        fs::write(dir.path().join("other.jsonl"), "").unwrap();
        for id in ["../other", "", "/etc/passwd", "other"] {
            assert!(records.open(id).is_none(), "{id}");
            records.remove(id).unwrap();
        }
        assert!(dir.path().join("other.jsonl").exists());
    }

    #[test]
    fn a_line_that_was_cut_is_left_out() {
        let (_dir, records) = records();
        records.begin("1", &[]).add(&Line::Prompt("a".to_owned()));
        let path = records.path("1").unwrap();
        let mut text = fs::read(&path).unwrap();
        text.extend(b"{\"said\":\"gr\xc3");
        fs::write(&path, text).unwrap();
        assert_eq!(records.list(None).len(), 1);
        let (lines, record) = records.open("1").unwrap();
        assert_eq!(lines.len(), 2);
        record.add(&Line::Prompt("b".to_owned()));
        let lines = records.open("1").unwrap().0;
        assert_eq!(lines.last(), Some(&Line::Prompt("b".to_owned())));
    }

    #[test]
    fn what_is_long_does_not_end_the_record() {
        let (_dir, records) = records();
        let record = records.begin("1", &[]);
        for _ in 0..30 {
            record.add(&Line::Prompt("a".repeat(1 << 20)));
        }
        record.add(&Line::Model(Some("m".to_owned())));
        let lines = records.open("1").unwrap().0;
        assert!(lines.len() < 20, "{}", lines.len());
        assert_eq!(lines.last(), Some(&Line::Model(Some("m".to_owned()))));
    }

    #[test]
    fn sessions_without_a_prompt_take_no_room() {
        let (_dir, records) = records();
        records.begin("a", &[]).add(&Line::Prompt("x".to_owned()));
        for n in 0..2 * MOST {
            records.begin(&format!("b-{n:x}"), &[]);
        }
        assert_eq!(records.list(None).len(), 1);
    }

    #[test]
    fn the_oldest_go() {
        let (_dir, records) = records();
        for n in 0..MOST + 5 {
            let record = records.begin(&format!("{n:x}"), &[]);
            record.add(&Line::Prompt("a".to_owned()));
        }
        assert_eq!(records.list(None).len(), MOST);
    }
}
