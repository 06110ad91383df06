//! A report as a file, in the format that its extension names.

use super::{html, markdown};
use crate::eval::record::Evaluation;
use crate::workspace::temporary::Temporary;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFormat {
    /// The whole record; [`crate::eval::record::read`] reads it.
    Json,
    /// The tables.
    Markdown,
    /// A page that holds everything.
    Html,
}

/// Why a report is not written. The path is that of its file.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file's extension names no format.
    #[error(
        "a report is written as .json, .md or .html, and {} ends in none of them",
        .0.display()
    )]
    UnknownFormat(PathBuf),
    /// The parts of the record do not belong together: see [`Evaluation::check`].
    #[error("the evaluation makes no sense: {0}")]
    Inconsistent(String),
    /// The file cannot be written.
    #[error("the report {} cannot be written: {}", .0.display(), .1)]
    Io(PathBuf, #[source] io::Error),
}

impl ReportFormat {
    /// The format that a file's extension names.
    pub fn of(path: &Path) -> Result<ReportFormat, WriteError> {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        match extension.to_str() {
            Some("json") => Ok(ReportFormat::Json),
            Some("md") => Ok(ReportFormat::Markdown),
            Some("html") => Ok(ReportFormat::Html),
            _ => Err(WriteError::UnknownFormat(path.to_owned())),
        }
    }
}

/// Writes a report in the format that the file's extension names. An error leaves the file as it
/// was.
pub fn write(evaluation: &Evaluation, path: &Path) -> Result<(), WriteError> {
    let format = ReportFormat::of(path)?;
    evaluation.check().map_err(WriteError::Inconsistent)?;
    let report = match format {
        ReportFormat::Json => {
            serde_json::to_string_pretty(evaluation).expect("text and numbers become JSON") + "\n"
        }
        ReportFormat::Markdown => markdown::render(evaluation),
        ReportFormat::Html => html::render(evaluation),
    };
    replace(path, report.as_bytes()).map_err(|source| WriteError::Io(path.to_owned(), source))
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let folder = Dir::open_ambient_dir(folder, ambient_authority())?;
    let mut temporary = Temporary::new(&folder)?;
    temporary.file().write_all(bytes)?;
    temporary.file().sync_all()?;
    temporary.replace(Path::new(name))
}
