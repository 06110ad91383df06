//! Reading a configuration file: TOML to checked values with their lines.

use super::error::ConfigError;
use super::keys::{Key, Scope};
use super::setting::{Origin, Setting};
use crate::workspace::{Workspace, WorkspaceError};
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// The name of a project's file, in the root of the folder being edited.
pub const PROJECT_FILE: &str = "slotwright.toml";

/// The largest file that is read, in bytes. A project's file may be a stranger's.
const MAX_BYTES: u64 = 64 << 10;

/// What the person's file sets; `None` if there is no file.
///
/// # Errors
/// [`ConfigError`] if it is there and cannot be read, or something in it is wrong.
pub fn person(path: &Path) -> Result<Option<Vec<Setting>>, ConfigError> {
    let failed = |error: io::Error| unreadable(path, error);
    let metadata = match path.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        metadata => metadata.map_err(failed)?,
    };
    if !metadata.is_file() {
        // Reading a pipe would wait until something writes to it.
        return Err(unreadable(path, "it is not a file"));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable(path, "it is not UTF-8"))?;
    parse(path, &text, Scope::Person).map(Some)
}

/// What the project's file sets; `None` if there is no file.
///
/// # Errors
/// As for [`person`], and if a key is one that only a person may set.
pub fn project(workspace: &Workspace) -> Result<Option<Vec<Setting>>, ConfigError> {
    let path = workspace.root().join(PROJECT_FILE);
    let text = match workspace.read(PROJECT_FILE) {
        Ok(text) => text,
        // A link that leads nowhere is no file either.
        Err(WorkspaceError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            return Ok(None);
        }
        Err(error) => return Err(unreadable(&path, error.reason())),
    };
    parse(&path, text.shown(), Scope::Project).map(Some)
}

fn unreadable(path: &Path, reason: impl ToString) -> ConfigError {
    ConfigError::Read {
        path: path.to_path_buf(),
        reason: reason.to_string(),
    }
}

/// Checks a file's text. Of several mistakes the first one is reported.
fn parse(path: &Path, text: &str, scope: Scope) -> Result<Vec<Setting>, ConfigError> {
    if text.len() as u64 > MAX_BYTES {
        return Err(unreadable(
            path,
            format!("it has more than {MAX_BYTES} bytes"),
        ));
    }
    let line = |span: Range<usize>| 1 + text[..span.start.min(text.len())].matches('\n').count();
    let table = DeTable::parse(text).map_err(|error| ConfigError::Syntax {
        path: path.to_path_buf(),
        line: line(error.span().unwrap_or_default()),
        reason: error.message().to_owned(),
    })?;
    let mut entries: Vec<_> = table.get_ref().iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    let mut settings = Vec::new();
    for (name, value) in entries {
        settings.push(setting(
            path,
            line(name.span()),
            name.get_ref(),
            value.get_ref(),
            scope,
        )?);
    }
    Ok(settings)
}

fn setting(
    path: &Path,
    line: usize,
    name: &str,
    value: &DeValue,
    scope: Scope,
) -> Result<Setting, ConfigError> {
    let path = path.to_path_buf();
    let Some(key) = Key::of_name(name) else {
        let nearest = Key::nearest(name).map(|key| key.name);
        return Err(ConfigError::UnknownKey {
            path,
            line,
            key: name.to_owned(),
            nearest,
        });
    };
    if scope == Scope::Project && key.scope != Scope::Project {
        return Err(ConfigError::NotForProjects {
            path,
            line,
            key: name.to_owned(),
        });
    }
    match key.kind.read(value) {
        Ok(value) => Ok(Setting {
            key: key.name.to_owned(),
            value,
            origin: Origin::File { path, line },
        }),
        Err(wanted) => Err(ConfigError::Value {
            path,
            line,
            key: key.name,
            wanted,
        }),
    }
}
