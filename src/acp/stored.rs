//! Conversations on disk, so that an editor finds them again after the agent was ended. Each is a
//! file of lines: what it is about, then what was said and done.
//!
//! What cannot be kept is no error: the conversation goes on, and will not be found again.

use crate::app::earlier::Earlier;
use crate::workspace::private_folder::make_private_folder;
use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

/// The most conversations that are kept. The oldest ones go first.
const MOST: usize = 100;

/// The longest file, in bytes. What comes after it is not kept.
const MAX_BYTES: u64 = 1 << 20;

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
pub(super) struct Record {
    /// `None` if it is not kept.
    file: Arc<Mutex<Option<File>>>,
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
        self.forget_old();
        let record = self.go_on(id, OpenOptions::new().create_new(true));
        record.add(&Line::Folders(folders.to_vec()));
        record
    }

    /// Reads a conversation, and goes on with it. `None` if there is none with this name.
    pub fn open(&self, id: &str) -> Option<(Vec<Line>, Record)> {
        let lines = read(&self.path(id)?).ok()?;
        Some((lines, self.go_on(id, &mut OpenOptions::new())))
    }

    fn go_on(&self, id: &str, options: &mut OpenOptions) -> Record {
        let opened = self.path(id).and_then(|path| {
            make_private_folder(&self.folder).ok()?;
            options.append(true).open(path).ok()
        });
        Record {
            file: Arc::new(Mutex::new(opened)),
        }
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
    /// Adds a line.
    pub fn add(&self, line: &Line) {
        let mut file = self
            .file
            .lock()
            .expect("nothing panics while it holds the lock");
        let Some(open) = file.as_mut() else { return };
        let text = serde_json::to_string(line).expect("a line is plain data") + "\n";
        let has_room = open.metadata().is_ok_and(|it| it.len() < MAX_BYTES);
        if !has_room || open.write_all(text.as_bytes()).is_err() {
            *file = None;
        }
    }
}

/// The lines of a file. One that was cut by a crash is left out.
fn read(path: &Path) -> io::Result<Vec<Line>> {
    let mut lines = Vec::new();
    for line in BufReader::new(File::open(path)?).lines() {
        lines.extend(serde_json::from_str::<Line>(&line?).ok());
    }
    Ok(lines)
}

fn summary(written: SystemTime, path: &Path) -> Option<Summary> {
    let mut folders = Vec::new();
    let mut title = None;
    for line in read(path).ok()? {
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
        assert_eq!(records.list(None), [], "nothing was said yet");
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
        let mut text = fs::read_to_string(&path).unwrap();
        text += "{\"said\":\"b";
        fs::write(&path, text).unwrap();
        assert_eq!(records.open("1").unwrap().0.len(), 2);
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
