//! Paths that neither a model nor a person may write to.

use super::device_name::is_device_name;
use std::ops::RangeInclusive;
use std::path::{Component, Path};

/// A path that is never written, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path:?} is never edited: {reason}")]
pub struct PathError {
    /// The path.
    pub path: String,
    /// The reason, for people.
    pub reason: &'static str,
}

/// Checks a path relative to the root, with `/` between its components. It refuses:
///
/// - a path that leads up or out of the root;
/// - a path into a repository's own data, in any spelling that a file system may accept for it;
/// - a character or name that another system cannot store or would read differently.
pub fn check_path(path: &str) -> Result<(), PathError> {
    match reason_against(path) {
        None => Ok(()),
        Some(reason) => Err(PathError {
            path: path.to_owned(),
            reason,
        }),
    }
}

fn reason_against(path: &str) -> Option<&'static str> {
    if path.chars().any(char::is_control) {
        return Some("it has a control character");
    }
    if path.contains(['\\', ':']) {
        return Some("it has a backslash or a colon");
    }
    path.split('/').find_map(|component| match component {
        "" | "." | ".." => Some("it is not a plain relative path"),
        _ if is_repository_data(component) => Some("it is inside a repository's own data"),
        _ if is_device_name(component) => Some("it is the name of a device on Windows"),
        _ => None,
    })
}

/// Whether a file system may treat this name as `.git`. Some ignore zero-width characters, case,
/// trailing dots or trailing spaces (HFS+, NTFS).
pub fn is_repository_data(component: &str) -> bool {
    const DROPPED: [RangeInclusive<char>; 4] = [
        '\u{200b}'..='\u{200f}',
        '\u{202a}'..='\u{202e}',
        '\u{2060}'..='\u{206f}',
        '\u{feff}'..='\u{feff}',
    ];
    let mut plain = component.to_lowercase();
    plain.retain(|c| !DROPPED.iter().any(|range| range.contains(&c)));
    matches!(plain.trim_end_matches(['.', ' ']), ".git" | "git~1")
}

/// A relative path with `/` between its components; `None` if it is empty or not UTF-8.
pub fn slashed(path: &Path) -> Option<String> {
    let components = path.components().filter(|&c| c != Component::CurDir);
    let parts: Option<Vec<&str>> = components.map(|c| c.as_os_str().to_str()).collect();
    Some(parts?.join("/")).filter(|path| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_are_written() {
        let paths = "a|src/main.rs|.env|.github/workflows/ci.yml|x y/\u{4e2d}.txt|git|a..b|console";
        for path in paths.split('|') {
            assert_eq!(check_path(path), Ok(()), "{path}");
        }
    }

    #[test]
    fn paths_that_never_are() {
        let paths = "|/etc/passwd|a//b|../a|a/../b|a/.|.git/config|.GIT/hooks/x|a/.git|git~1/x|\
            .git. /x|.g\u{200c}it/x|a\\b|c:x|a\nb|a\u{85}b|con|a/NUL.txt|com1|lpt9.tar.gz";
        for path in paths.split('|') {
            assert!(check_path(path).is_err(), "{path:?}");
        }
    }
}
