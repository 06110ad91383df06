//! The two files: reading them, and setting a person's model.

use super::error::ConfigError;
use super::layer::{Config, Layer, Origin, PROJECT_KEYS};
use crate::workspace::temporary::Temporary;
use crate::workspace::{Workspace, WorkspaceError};
use cap_std::fs::Dir;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use toml::de::DeTable;
use toml_edit::{DocumentMut, Item, value};

/// The name of a project's file, in the root of the folder being edited.
pub const PROJECT_FILE: &str = "slotwright.toml";

/// The largest file that is read, in bytes. A project's file may be a stranger's.
const MAX_BYTES: u64 = 64 << 10;

/// What the person's file sets; `None` if there is no file.
pub(super) fn person(path: &Path) -> Result<Option<Layer>, ConfigError> {
    match text(path) {
        Ok(text) => parse(path, &text).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, error)),
    }
}

fn text(path: &Path) -> io::Result<String> {
    if !path.metadata()?.is_file() {
        // Reading a pipe would wait until something writes to it.
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)?;
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
}

/// What the project's file sets; `None` if there is no file.
pub(super) fn project(workspace: &Workspace) -> Result<Option<Layer>, ConfigError> {
    let path = workspace.root().join(PROJECT_FILE);
    let text = match workspace.read(PROJECT_FILE) {
        Ok(text) => text,
        // A link that leads nowhere is no file either.
        Err(WorkspaceError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            return Ok(None);
        }
        Err(error) => return Err(unreadable(&path, error.reason())),
    };

    let layer = parse(&path, text.shown())?;
    for (key, origin) in &layer.origins {
        if let Origin::File { path, line } = origin
            && !PROJECT_KEYS.contains(&key.as_str())
        {
            return Err(ConfigError::NotForProjects {
                path: path.clone(),
                line: *line,
                key: key.clone(),
            });
        }
    }
    Ok(Some(layer))
}

fn unreadable(path: &Path, reason: impl ToString) -> ConfigError {
    ConfigError::Read {
        path: path.to_path_buf(),
        reason: reason.to_string(),
    }
}

fn parse(path: &Path, text: &str) -> Result<Layer, ConfigError> {
    if text.len() as u64 > MAX_BYTES {
        let reason = format!("it has more than {MAX_BYTES} bytes");
        return Err(unreadable(path, reason));
    }
    let config: Config = toml::from_str(text).map_err(|error| ConfigError::Mistake {
        path: path.to_owned(),
        line: line(text, error.span().unwrap_or_default().start),
        message: error.message().to_owned(),
    })?;

    let table = DeTable::parse(text).expect("it was parsed before");
    let mut lines = BTreeMap::new();
    for name in table.get_ref().keys() {
        let line = line(text, name.span().start);
        lines.insert(name.get_ref().to_string(), line);
    }
    if let Some((key, wanted)) = config.mistake() {
        return Err(ConfigError::Mistake {
            path: path.to_owned(),
            line: lines[key],
            message: format!("{key} {wanted}"),
        });
    }

    let mut origins = BTreeMap::new();
    for (key, line) in lines {
        let path = path.to_owned();
        origins.insert(key, Origin::File { path, line });
    }
    Ok(Layer { config, origins })
}

/// The line of a byte, counted from 1.
fn line(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at.min(text.len())]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
}

/// Sets the model in the person's file, or takes it out. Everything else in the file stays as the
/// person wrote it. A file that is not there is made. A link stays one: many people keep their
/// configuration elsewhere.
///
/// # Errors
/// [`ConfigError`] if the file is there and something in it is wrong, or it cannot be written.
pub fn set_model(path: &Path, model: Option<&str>) -> Result<(), ConfigError> {
    // A mistake in it is reported before anything is changed.
    let is_there = person(path)?.is_some();
    write_model(path, is_there, model).map_err(|error| ConfigError::Write {
        path: path.to_owned(),
        reason: error.to_string(),
    })
}

fn write_model(path: &Path, is_there: bool, model: Option<&str>) -> io::Result<()> {
    const KEY: &str = "model";
    let mut before = String::new();
    let mut real = path.to_owned();
    if is_there {
        before = fs::read_to_string(path)?;
        real = fs::canonicalize(path)?;
    }
    let mut document: DocumentMut = before.parse().map_err(io::Error::other)?;

    let old = document.get_mut(KEY).and_then(Item::as_value_mut);
    match (model, old) {
        (Some(model), Some(old)) => {
            // The whitespace around it, and a comment behind it.
            let decor = old.decor().clone();
            *old = model.into();
            *old.decor_mut() = decor;
        }
        (Some(model), None) => document[KEY] = value(model),
        (None, _) => drop(document.remove(KEY)),
    }

    let after = document.to_string();
    if after == before {
        return Ok(());
    }
    replace(&real, &after)
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let folder = Dir::open_ambient_dir(folder, cap_std::ambient_authority())?;

    let mut temporary = Temporary::new(&folder)?;
    let file = temporary.file();
    file.write_all(text.as_bytes())?;
    if let Ok(metadata) = fs::metadata(path) {
        file.set_permissions(cap_std::fs::Permissions::from_std(metadata.permissions()))?;
    }
    file.sync_all()?;
    temporary.replace(Path::new(path.file_name().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_set_and_the_rest_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("slotwright/config.toml");
        set_model(&path, Some("a\"b")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "model = 'a\"b'\n");
        let own = "# Mine.\nthreads = 9   # cores\n\nmodel = 'old' # from work\naccept = []\n";
        fs::write(&path, own).unwrap();
        set_model(&path, Some("new")).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, own.replace("'old'", "\"new\""));
        set_model(&path, None).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "# Mine.\nthreads = 9   # cores\naccept = []\n");
        set_model(&path, None).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }

    #[test]
    fn a_file_with_a_mistake_is_not_touched() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        for text in ["model = \n", "modle = 'a'\n", "threads = 0\n"] {
            fs::write(&path, text).unwrap();
            set_model(&path, Some("b")).unwrap_err();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_one() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().join("dotfiles.toml");
        let link = dir.path().join("config.toml");
        fs::write(&real, "threads = 9\n").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        set_model(&link, Some("b")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(
            fs::read_to_string(&real).unwrap(),
            "threads = 9\nmodel = \"b\"\n"
        );
    }
}
