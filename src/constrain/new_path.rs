//! The path of a file that does not exist yet.
//!
//! These rules are stricter for a model than [`crate::workspace::check_path`] is for a person:
//!
//! - A path has ASCII letters, digits, `_`, `-`, `.` and `/`. Other characters are allowed only
//!   where they continue an existing path, so that a new file can be in a folder with any name.
//! - No component begins or ends with a dot, which also excludes `.`, `..` and `.git`.
//! - No component is a Windows device name.
//! - The path differs from every existing file or folder by more than the case of its letters.
//! - No existing file is used as a folder.

use crate::text::device_name::is_device_name;

/// The longest path, in bytes. Dots and slashes are refused earlier, so that every path can be
/// completed.
const MAX_LEN: u32 = 160;
const MAX_LEN_OF_FOLDERS: u32 = 120;

/// The paths that exist, in lower case (ASCII), sorted.
#[derive(Debug)]
pub(super) struct ExistingPaths(Vec<Vec<u8>>);

/// A path so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PathState {
    /// The existing paths `lo..hi` begin with it.
    lo: u32,
    hi: u32,
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

/// The result of one more byte.
pub(super) enum PathStep {
    To(PathState),
    /// The closing quote.
    Close,
}

impl ExistingPaths {
    pub fn new(paths: &[String]) -> ExistingPaths {
        let mut paths: Vec<Vec<u8>> =
            paths.iter().map(|p| p.to_ascii_lowercase().into_bytes()).collect();
        paths.sort_unstable();
        paths.dedup();
        ExistingPaths(paths)
    }

    pub fn start(&self) -> PathState {
        PathState {
            lo: 0,
            hi: self.0.len() as u32,
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
            let free =
                at.ends_a_component() && !self.is_file(at) && self.narrowed(at, b'/').is_none();
            return free.then_some(PathStep::Close);
        }
        let narrowed = self.narrowed(at, byte.to_ascii_lowercase());
        let allowed = match byte {
            b'/' => at.ends_a_component() && !self.is_file(at) && at.len < MAX_LEN_OF_FOLDERS,
            b'.' => at.last != b'/' && at.continuation == 0 && at.len < MAX_LEN_OF_FOLDERS,
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' => at.continuation == 0,
            0..=0x1f | 0x7f | b'\\' | b':' | b'~' => false,
            _ => narrowed.is_some(),
        };
        if !allowed || at.len >= MAX_LEN {
            return None;
        }
        let (lo, hi) = narrowed.unwrap_or((0, 0));
        let mut to = PathState { lo, hi, len: at.len + 1, last: byte, ..at };
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
                *slot = byte.to_ascii_lowercase();
            }
            to.base_len = at.base_len.saturating_add(1);
        }
        Some(PathStep::To(to))
    }

    /// The interval of existing paths that continue with this byte.
    fn narrowed(&self, at: PathState, byte: u8) -> Option<(u32, u32)> {
        let paths = &self.0[at.lo as usize..at.hi as usize];
        let next = |path: &Vec<u8>| path.get(at.len as usize).copied();
        let lo = at.lo + paths.partition_point(|p| next(p) < Some(byte)) as u32;
        let hi = at.lo + paths.partition_point(|p| next(p) <= Some(byte)) as u32;
        (lo < hi).then_some((lo, hi))
    }

    fn is_file(&self, at: PathState) -> bool {
        at.lo < at.hi && self.0[at.lo as usize].len() == at.len as usize
    }
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

    fn accepts(existing: &[&str], path: &str) -> bool {
        let existing =
            ExistingPaths::new(&existing.iter().map(|&p| p.to_owned()).collect::<Vec<_>>());
        let mut at = existing.start();
        for byte in path.bytes() {
            match existing.step(at, byte) {
                Some(PathStep::To(next)) => at = next,
                _ => return false,
            }
        }
        matches!(existing.step(at, b'"'), Some(PathStep::Close))
    }

    #[test]
    fn paths_that_a_model_may_make() {
        let existing = ["src/main.rs", "Read Me/\u{e9}t\u{e9}.md"];
        for good in [
            "a",
            "src/lib.rs",
            "src/main.rs.bak",
            "tests/a/b-c_d.py",
            "Read Me/x.md",
            "comic",
            "com10",
            "console.log",
        ] {
            assert!(accepts(&existing, good), "{good}");
        }
        for bad in [
            "",
            "/a",
            "a/",
            "a//b",
            ".",
            "..",
            "../a",
            "a/../b",
            ".git/config",
            "a/.env",
            "a.",
            "a./b",
            "a b",
            "a\\b",
            "c:a",
            "git~1",
            "con",
            "NUL.txt",
            "a/com1",
            "lpt9.md",
            "src/main.rs",
            "SRC/Main.rs",
            "src",
            "src/main.rs/x",
            "\u{e9}",
            "a\u{7f}",
        ] {
            assert!(!accepts(&existing, bad), "{bad}");
        }
        assert!(!accepts(&[], &"a".repeat(MAX_LEN as usize + 1)));
        assert!(accepts(&[], &"a".repeat(MAX_LEN as usize)));
    }

    proptest::proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]
        #[test]
        fn what_is_accepted_is_a_safe_path(
            path in "([acGnilNtmouxCp1.~: _-]|/|\\.git|\u{e9}|\u{200c}|\\\\){1,12}"
        ) {
            if accepts(&["src/main.rs", "a b/\u{e9}.c"], &path) {
                proptest::prop_assert_eq!(crate::workspace::check_path(&path), Ok(()));
            }
        }
    }
}
