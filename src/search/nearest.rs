//! Paths that a misspelt one may mean.

use similar::get_close_matches;
use std::collections::BTreeSet;

/// The most paths that are worth naming.
const MOST: usize = 3;

/// How much of the two texts must be the same, 0 to 1.
const LEAST_ALIKE: f32 = 0.75;

/// The paths that `path` may mean, the nearest first: those spelt much alike, then those whose file name
/// is.
pub fn nearest_paths(path: &str, paths: &[String]) -> Vec<String> {
    let all: Vec<&str> = paths.iter().map(String::as_str).collect();
    let mut near = get_close_matches(path, &all, MOST, LEAST_ALIKE);

    let names: BTreeSet<&str> = all.iter().copied().map(file_name).collect();
    let names: Vec<&str> = names.into_iter().collect();
    for name in get_close_matches(file_name(path), &names, MOST, LEAST_ALIKE) {
        let of_name = all.iter().copied().filter(|path| file_name(path) == name);
        near.extend(of_name);
    }

    let mut seen = BTreeSet::new();
    near.retain(|path| seen.insert(*path));
    near.truncate(MOST);
    near.into_iter().map(str::to_owned).collect()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_path_is_near_its_file() {
        let paths = [
            "src/config.py",
            "src/main.rs",
            "docs/config.md",
            "a/b/store.py",
            "x.py",
        ];
        let paths = paths.map(str::to_owned);
        for (path, nearest) in [
            ("src/confg.py", &["src/config.py"][..]),
            ("config.py", &["src/config.py", "docs/config.md"]),
            ("stroe.py", &["a/b/store.py"]),
            ("b/store.py", &["a/b/store.py"]),
            ("README.md", &[]),
        ] {
            assert_eq!(nearest_paths(path, &paths), nearest, "{path}");
        }
    }
}
