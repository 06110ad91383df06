//! The sources that are edited, and stretches of them in some style.

use crate::support::random::Random;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The extensions of sources, each with its language.
const LANGUAGES: [(&str, &str); 20] = [
    ("rs", "Rust"),
    ("py", "Python"),
    ("js", "JavaScript"),
    ("mjs", "JavaScript"),
    ("cjs", "JavaScript"),
    ("jsx", "JavaScript"),
    ("ts", "TypeScript"),
    ("tsx", "TypeScript"),
    ("c", "C"),
    ("h", "C"),
    ("cc", "C++"),
    ("cpp", "C++"),
    ("go", "Go"),
    ("java", "Java"),
    ("rb", "Ruby"),
    ("css", "CSS"),
    ("scss", "CSS"),
    ("toml", "TOML"),
    ("md", "Markdown"),
    ("sh", "Shell"),
];

/// The lines of files, by language.
pub struct Corpus(Vec<Vec<Vec<String>>>);

impl Corpus {
    /// Our own sources, or the folder that `SLOTWRIGHT_CORPUS` names.
    pub fn read() -> Corpus {
        let mut by_language: BTreeMap<&str, Vec<Vec<String>>> = BTreeMap::new();
        let mut add = |path: &Path, language: &'static str| {
            let Ok(text) = std::fs::read_to_string(path) else {
                return;
            };
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            // What a program wrote has long lines.
            if lines.len() > 30 && lines.iter().all(|line| line.len() < 400) {
                by_language.entry(language).or_default().push(lines);
            }
        };
        let other = std::env::var_os("SLOTWRIGHT_CORPUS").map(PathBuf::from);
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut folders = match &other {
            Some(folder) => vec![folder.clone()],
            None => ["src", "tests", "benches"]
                .map(|name| root.join(name))
                .to_vec(),
        };
        if other.is_none() {
            for name in ["x", "README.md", "Cargo.toml"] {
                add(&root.join(name), "other");
            }
        }
        while let Some(folder) = folders.pop() {
            let mut paths: Vec<_> = std::fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .collect();
            paths.sort();
            for path in paths {
                let extension = path.extension().and_then(|extension| extension.to_str());
                let language = LANGUAGES.iter().find(|(name, _)| Some(*name) == extension);
                if path.is_dir() {
                    folders.push(path);
                } else if let Some((_, language)) = language {
                    add(&path, language);
                }
            }
        }
        let corpus = Corpus(by_language.into_values().collect());
        assert!(!corpus.0.is_empty(), "there are no sources to edit");
        corpus
    }

    /// A stretch of a source in some style.
    pub fn file(&self, random: &mut Random) -> Vec<String> {
        let language = random.pick(&self.0);
        let source = random.pick(language);
        let n = (20 + random.below(300)).min(source.len());
        let from = random.below(source.len() - n + 1);
        let tabs = random.below(4) == 0;
        let halved = random.below(4) == 0;
        let mut lines: Vec<String> = source[from..from + n]
            .iter()
            .map(|line| {
                let rest = line.trim_start_matches(' ');
                let indent = line.len() - rest.len();
                match (tabs, halved) {
                    (true, _) if indent % 4 == 0 => "\t".repeat(indent / 4) + rest,
                    (false, true) if indent % 4 == 0 => " ".repeat(indent / 2) + rest,
                    _ => line.clone(),
                }
            })
            .collect();
        for line in &mut lines {
            match random.below(30) {
                0 if !line.is_empty() => line.push_str(["  ", " ", "\t"][random.below(3)]),
                1 => {
                    *line = line
                        .replace(" \"", " \u{201c}")
                        .replace('"', "\u{201d}")
                        .replace('\'', "\u{2019}")
                        .replace(" - ", " \u{2013} ");
                }
                2 => *line = line.replacen(' ', "\u{a0}", usize::from(!line.starts_with(' '))),
                _ => {}
            }
        }
        lines
    }
}
