//! Setting a key of the person's file. Everything else in it stays as the person wrote it.

use super::error::ConfigError;
use super::file;
use super::keys::{Key, Kind};
use crate::workspace::temporary::Temporary;
use cap_std::fs::Dir;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use toml_edit::{DocumentMut, Item, value};

/// Sets a text key in the person's file, or takes it out. A file that is not there is made. A link
/// stays one: many people keep their configuration elsewhere.
///
/// # Errors
/// [`ConfigError`] if the file is there and something in it is wrong, or it cannot be written.
///
/// # Panics
/// If there is no such key for a text.
pub fn set(path: &Path, key: &str, text: Option<&str>) -> Result<(), ConfigError> {
    assert!(
        Key::of_name(key).is_some_and(|key| key.kind == Kind::Text),
        "a key for a text"
    );
    let failed = |error: io::Error| ConfigError::Write {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    // What is wrong in it is said before anything is changed.
    let is_there = file::person(path)?.is_some();
    let before = if is_there {
        fs::read_to_string(path).map_err(failed)?
    } else {
        String::new()
    };
    let mut document: DocumentMut = before.parse().expect("it was read before");
    match text {
        Some(text) => match document.get_mut(key).and_then(Item::as_value_mut) {
            Some(old) => {
                // A comment behind it, and the blanks around it.
                let decor = old.decor().clone();
                *old = text.into();
                *old.decor_mut() = decor;
            }
            None => document[key] = value(text),
        },
        None => drop(document.remove(key)),
    }
    let after = document.to_string();
    if after == before {
        return Ok(());
    }
    let real = if is_there {
        fs::canonicalize(path).map_err(failed)?
    } else {
        path.to_owned()
    };
    replace(&real, &after).map_err(failed)
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let permissions = fs::metadata(path)
        .ok()
        .map(|metadata| metadata.permissions());
    let folder = Dir::open_ambient_dir(folder, cap_std::ambient_authority())?;
    let mut temporary = Temporary::new(&folder)?;
    let file = temporary.file();
    file.write_all(text.as_bytes())?;
    if let Some(permissions) = permissions {
        file.set_permissions(cap_std::fs::Permissions::from_std(permissions))?;
    }
    file.sync_all()?;
    temporary.replace(Path::new(path.file_name().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_set_and_the_rest_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("slotwright/config.toml");
        set(&path, "model", Some("a\"b")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "model = 'a\"b'\n");
        let own = "# Mine.\nthreads = 9   # cores\n\nmodel = 'old' # from work\naccept = []\n";
        fs::write(&path, own).unwrap();
        set(&path, "model", Some("new")).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, own.replace("'old'", "\"new\""));
        set(&path, "model", None).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "# Mine.\nthreads = 9   # cores\naccept = []\n");
        set(&path, "model", None).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }

    #[test]
    fn a_file_with_a_mistake_is_not_touched() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        for text in ["model = \n", "modle = 'a'\n", "threads = 0\n"] {
            fs::write(&path, text).unwrap();
            set(&path, "model", Some("b")).unwrap_err();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_one() {
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (
            dir.path().join("dotfiles.toml"),
            dir.path().join("config.toml"),
        );
        fs::write(&real, "threads = 9\n").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        set(&link, "model", Some("b")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(
            fs::read_to_string(&real).unwrap(),
            "threads = 9\nmodel = \"b\"\n"
        );
    }
}
