//! The path of a file that does not exist yet.
//!
//! These rules are stricter for a model than [`crate::text::check_path`] is for a person:
//!
//! - A path has ASCII letters, digits, `_`, `-`, `.` and `/`. Other characters are allowed only
//!   where they continue an existing path, so that a new file can be in a folder with any name.
//! - No component begins or ends with a dot, which also excludes `.`, `..` and `.git`. A path that
//!   the task spells may have hidden components ("create .github/labels.yml").
//! - No component is a Windows device name.
//! - The path differs from every existing file or folder by more than the case of its letters.
//! - No existing file is used as a folder.

use crate::text::device_name::is_device_name;

/// The longest path, in bytes. Dots and slashes are refused earlier, so that every path can be
/// completed.
const MAX_LEN: u32 = 160;
const MAX_LEN_OF_FOLDERS: u32 = 120;

/// The paths that exist, and those that the task spells.
#[derive(Debug)]
pub(super) struct ExistingPaths {
    /// In lower case (ASCII), sorted.
    existing: Vec<Vec<u8>>,
    /// Those with a hidden component, sorted.
    spelled: Vec<Vec<u8>>,
}

/// A path so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PathState {
    /// The existing paths that begin with it.
    existing: PathInterval,
    /// The spelled paths that begin with it.
    spelled: PathInterval,
    /// Whether a component begins with a dot. Then it becomes a spelled path, or none.
    is_hidden: bool,
    len: u32,
    last: u8,
    /// The number of UTF-8 continuation bytes still to come.
    continuation: u8,
    /// The component's first bytes in lower case, up to its first dot. They show whether it is a
    /// device name.
    base: [u8; 4],
    base_len: u8,
    in_base: bool,
}

/// Neighbours among sorted paths: `lo..hi`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct PathInterval {
    lo: u32,
    hi: u32,
}

/// The result of one more byte.
pub(super) enum PathStep {
    To(PathState),
    /// The closing quote.
    Close,
}

impl ExistingPaths {
    pub fn new(existing: &[String], spelled: &[String]) -> ExistingPaths {
        let mut lower: Vec<Vec<u8>> = Vec::with_capacity(existing.len());
        for path in existing {
            lower.push(path.to_ascii_lowercase().into_bytes());
        }
        let mut hidden = Vec::new();
        for path in spelled {
            if path.split('/').any(|part| part.starts_with('.')) {
                hidden.push(path.clone().into_bytes());
            }
        }
        ExistingPaths {
            existing: sorted(lower),
            spelled: sorted(hidden),
        }
    }

    pub fn start(&self) -> PathState {
        PathState {
            existing: PathInterval::all(&self.existing),
            spelled: PathInterval::all(&self.spelled),
            is_hidden: false,
            len: 0,
            last: b'/',
            continuation: 0,
            base: [0; 4],
            base_len: 0,
            in_base: true,
        }
    }

    pub fn step(&self, at: PathState, byte: u8) -> Option<PathStep> {
        if byte == b'"' {
            return self.may_end(at).then_some(PathStep::Close);
        }
        let lower = byte.to_ascii_lowercase();
        let existing = narrowed(&self.existing, at.existing, at.len, lower);
        let spelled = narrowed(&self.spelled, at.spelled, at.len, byte);
        let is_allowed = match byte {
            b'/' => at.ends_a_component() && !self.is_file(at) && at.len < MAX_LEN_OF_FOLDERS,
            b'.' => at.continuation == 0 && at.len < MAX_LEN_OF_FOLDERS,
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' => at.continuation == 0,
            0..=0x1f | 0x7f | b'\\' | b':' | b'~' => false,
            _ => existing.is_some(),
        };
        let is_hidden = at.is_hidden || (byte == b'.' && at.last == b'/');
        if !is_allowed || at.len >= MAX_LEN || (is_hidden && spelled.is_none()) {
            return None;
        }

        let mut to = PathState {
            existing: existing.unwrap_or_default(),
            spelled: spelled.unwrap_or_default(),
            is_hidden,
            len: at.len + 1,
            last: byte,
            ..at
        };
        to.continuation = match byte {
            0xc0..=0xdf => 1,
            0xe0..=0xef => 2,
            0xf0..=0xff => 3,
            _ => at.continuation.saturating_sub(1),
        };
        if byte == b'/' {
            (to.base, to.base_len, to.in_base) = ([0; 4], 0, true);
        } else if byte == b'.' {
            to.in_base = false;
        } else if at.in_base {
            if let Some(slot) = to.base.get_mut(usize::from(at.base_len)) {
                *slot = lower;
            }
            to.base_len = at.base_len.saturating_add(1);
        }
        Some(PathStep::To(to))
    }

    /// Whether an existing file has this path.
    fn is_file(&self, at: PathState) -> bool {
        is_whole(&self.existing, at.existing, at.len)
    }

    /// Whether a new file may have this path.
    fn may_end(&self, at: PathState) -> bool {
        at.ends_a_component()
            && !self.is_file(at)
            && narrowed(&self.existing, at.existing, at.len, b'/').is_none()
            && (!at.is_hidden || is_whole(&self.spelled, at.spelled, at.len))
    }
}

impl PathInterval {
    fn all(paths: &[Vec<u8>]) -> PathInterval {
        PathInterval {
            lo: 0,
            hi: paths.len() as u32,
        }
    }
}

fn sorted(mut paths: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Those of some paths that go on with this byte after `len` bytes.
fn narrowed(paths: &[Vec<u8>], among: PathInterval, len: u32, byte: u8) -> Option<PathInterval> {
    let paths = &paths[among.lo as usize..among.hi as usize];
    let byte = Some(&byte);
    let n_before = paths.partition_point(|path| path.get(len as usize) < byte);
    let n_up_to = paths.partition_point(|path| path.get(len as usize) <= byte);
    (n_before < n_up_to).then_some(PathInterval {
        lo: among.lo + n_before as u32,
        hi: among.lo + n_up_to as u32,
    })
}

/// Whether the first of some paths ends after `len` bytes.
fn is_whole(paths: &[Vec<u8>], among: PathInterval, len: u32) -> bool {
    among.lo < among.hi && paths[among.lo as usize].len() == len as usize
}

impl PathState {
    fn ends_a_component(&self) -> bool {
        let base = &self.base[..usize::from(self.base_len).min(4)];
        let device = self.base_len <= 4 && std::str::from_utf8(base).is_ok_and(is_device_name);
        self.continuation == 0 && !matches!(self.last, b'/' | b'.' | b' ') && !device
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::ProptestConfig;

    fn accepts(existing: &[&str], spelled: &[&str], path: &str) -> bool {
        let existing = ExistingPaths::new(
            &existing.iter().map(ToString::to_string).collect::<Vec<_>>(),
            &spelled.iter().map(ToString::to_string).collect::<Vec<_>>(),
        );
        let mut at = existing.start();
        for byte in path.bytes() {
            match existing.step(at, byte) {
                Some(PathStep::To(next)) => at = next,
                _ => return false,
            }
        }
        matches!(existing.step(at, b'"'), Some(PathStep::Close))
    }

    /// Checks paths, which bars separate.
    fn check(existing: &[&str], spelled: &[&str], accepted: &str, refused: &str) {
        for path in accepted.split('|') {
            assert!(accepts(existing, spelled, path), "{path}");
        }
        for path in refused.split('|') {
            assert!(!accepts(existing, spelled, path), "{path}");
        }
    }

    #[test]
    fn paths_that_a_model_may_make() {
        check(
            &["src/main.rs", "Read Me/\u{e9}t\u{e9}.md"],
            &[],
            "a|src/lib.rs|src/main.rs.bak|tests/a/b-c_d.py|Read Me/x.md|comic|com10|console.log",
            "|/a|a/|a//b|.|..|../a|a/../b|.git/config|a/.env|a.|a./b|a b|a\\b|c:a|git~1|con|NUL.txt|\
             a/com1|lpt9.md|src/main.rs|SRC/Main.rs|src|src/main.rs/x|\u{e9}|a\u{7f}",
        );
        assert!(!accepts(&[], &[], &"a".repeat(MAX_LEN as usize + 1)));
        assert!(accepts(&[], &[], &"a".repeat(MAX_LEN as usize)));
    }

    #[test]
    fn hidden_paths_that_the_task_spells() {
        check(
            &["src/a.rs", ".env"],
            &[
                ".gitignore",
                ".github/labels.yml",
                "a/.b/c.d",
                ".env",
                "b.c",
            ],
            ".gitignore|.github/labels.yml|a/.b/c.d|a/b|b.c|gitignore",
            ".gitignor|.gitignore2|.GitIgnore|.github|.github/other.yml|src/.gitignore|a/.b/c|a/.c|\
             .env|.git/config|../.x|.|..",
        );
    }

    proptest::proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]
        #[test]
        fn what_is_accepted_is_a_safe_path(
            path in "([acGnilNtmouxCp1.~: _-]|/|\\.git|\u{e9}|\u{200c}|\\\\){1,12}"
        ) {
            let existing = ["src/main.rs", "a b/\u{e9}.c"];
            let is_safe = crate::text::check_path(&path).is_ok();
            let spelled = [".a", "N/.1", &path];
            if accepts(&existing, &spelled[..if is_safe { 3 } else { 2 }], &path) {
                proptest::prop_assert_eq!(crate::text::check_path(&path), Ok(()));
            }
        }
    }
}
