//! Finds the file that a path means. A path in a patch or in a server's answer may be wrong.

/// The result of looking up a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// One file.
    File(String),
    /// Several files that fit equally well.
    Ambiguous(Vec<String>),
    /// No file fits.
    Missing,
}

/// Finds the file in `listing` that a path means. The exact path wins. Otherwise it is the file
/// that shares the most components with the path, counted from the end; at least the file names
/// must be equal.
pub fn resolve_path(path: &str, listing: &[String]) -> Resolved {
    let plain = plain_path(path);
    if listing.contains(&plain) {
        return Resolved::File(plain);
    }

    let counts: Vec<usize> = listing
        .iter()
        .map(|other| n_common_components(&plain, other))
        .collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    let mut candidates: Vec<String> = listing
        .iter()
        .zip(counts)
        .filter(|(_, count)| *count == most && most > 0)
        .map(|(other, _)| other.clone())
        .collect();
    match candidates.len() {
        0 => Resolved::Missing,
        1 => Resolved::File(candidates.remove(0)),
        _ => Resolved::Ambiguous(candidates),
    }
}

/// How many components two paths share, counted from the end.
fn n_common_components(one: &str, other: &str) -> usize {
    one.rsplit('/')
        .zip(other.rsplit('/'))
        .take_while(|(a, b)| a == b)
        .count()
}

/// Whether a path is the other one, or ends with it.
pub fn ends_like(one: &str, other: &str) -> bool {
    one.strip_suffix(other)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// The path with `/` as the separator, without `.` components or doubled slashes.
pub fn plain_path(path: &str) -> String {
    let path = path.trim().replace('\\', "/");
    let absolute = if path.starts_with('/') { "/" } else { "" };
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    format!("{absolute}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_the_file_that_it_ends_like() {
        let listing: Vec<String> = [
            "README.md",
            "a/src/lib.rs",
            "a/src/main.rs",
            "b/src/lib.rs",
            "b/tests/x.rs",
        ]
        .map(str::to_owned)
        .to_vec();
        let check = |path: &str, expected: Resolved| {
            assert_eq!(resolve_path(path, &listing), expected, "{path}");
        };
        let file = |path: &str| Resolved::File(path.to_owned());
        check("README.md", file("README.md"));
        check("./a//src/main.rs", file("a/src/main.rs"));
        check("b\\src\\lib.rs", file("b/src/lib.rs"));
        check("/home/me/project/a/src/lib.rs", file("a/src/lib.rs"));
        check("project/README.md", file("README.md"));
        check("x.rs", file("b/tests/x.rs"));
        check("elsewhere/main.rs", file("a/src/main.rs"));
        check(
            "lib.rs",
            Resolved::Ambiguous(vec!["a/src/lib.rs".to_owned(), "b/src/lib.rs".to_owned()]),
        );
        check(
            "src/lib.rs",
            Resolved::Ambiguous(vec!["a/src/lib.rs".to_owned(), "b/src/lib.rs".to_owned()]),
        );
        check("lib", Resolved::Missing);
        check("readme.md", Resolved::Missing);
        check("", Resolved::Missing);
    }
}
