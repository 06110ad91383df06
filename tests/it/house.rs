//! Counts of how the production code of `src` and `crates/*/src` reads, with limits: long functions
//! without a blank line, closures that are named before they are used, and long files.
//! `cargo test --release --test it house:: -- --show-output` prints them by module.

use regex::{Captures, Regex};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Percent of the functions of 30 lines and more that may have no blank line.
const MOST_UNBROKEN: f64 = 40.0;
/// Local closures in 1,000 lines of code.
const MOST_CLOSURES: f64 = 3.0;
/// Lines of a file, without tests.
const LONG_FILE: usize = 800;
/// Files that may be longer.
const MOST_LONG_FILES: usize = 5;
/// Lines from which on a function is long.
const LONG_FUNCTION: usize = 30;

#[derive(Debug, Default)]
struct Counts {
    code_lines: usize,
    long_functions: usize,
    /// Long functions without a blank line.
    unbroken: usize,
    closures: usize,
    long_files: usize,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.code_lines += other.code_lines;
        self.long_functions += other.long_functions;
        self.unbroken += other.unbroken;
        self.closures += other.closures;
        self.long_files += other.long_files;
    }

    fn unbroken_percent(&self) -> f64 {
        100.0 * self.unbroken as f64 / self.long_functions.max(1) as f64
    }

    fn closures_per_thousand(&self) -> f64 {
        1000.0 * self.closures as f64 / self.code_lines.max(1) as f64
    }

    fn print(&self, name: &str) {
        println!(
            "{name:<12}{:>7} lines of code; {:>3} long functions, {:>3.0} % of them unbroken; {:>4.1} \
             closures in 1,000 lines; {} long files",
            self.code_lines,
            self.long_functions,
            self.unbroken_percent(),
            self.closures_per_thousand(),
            self.long_files,
        );
    }
}

#[test]
fn functions_have_paragraphs_and_few_closures_have_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut by_module: BTreeMap<String, Counts> = BTreeMap::new();
    for (module, path) in sources(root) {
        let text = std::fs::read_to_string(&path).unwrap();
        by_module.entry(module).or_default().add(&counts(&text));
    }

    let mut total = Counts::default();
    for (module, counts) in &by_module {
        counts.print(module);
        total.add(counts);
    }
    total.print("all");

    assert!(by_module.len() > 15, "{by_module:?}");
    assert!(total.unbroken_percent() <= MOST_UNBROKEN, "{total:?}");
    assert!(total.closures_per_thousand() <= MOST_CLOSURES, "{total:?}");
    assert!(total.long_files <= MOST_LONG_FILES, "{total:?}");
}

/// Source files, each with its module or crate.
fn sources(root: &Path) -> Vec<(String, PathBuf)> {
    let mut folders = vec![root.join("src")];
    for entry in std::fs::read_dir(root.join("crates")).into_iter().flatten() {
        folders.push(entry.unwrap().path().join("src"));
    }
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.to_str().unwrap();
            let is_of_tests = ["tests.rs", "/testing.rs"]
                .iter()
                .any(|end| name.ends_with(end));
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".rs") && !is_of_tests && !name.contains("/brute_force") {
                // `src/MODULE/…`, `src/MODULE.rs`, `crates/CRATE/src/…`
                let place = path.strip_prefix(root).unwrap().to_str().unwrap();
                let module = place.split('/').nth(1).unwrap().trim_end_matches(".rs");
                sources.push((module.to_owned(), path.clone()));
            }
        }
    }
    sources
}

fn counts(text: &str) -> Counts {
    let tests = Regex::new(r"#\[cfg\(test\)\]\s*(#\[[^\n]*\]\s*)*(pub(\([^)]*\))? )?mod \w+ \{");
    let end = tests
        .unwrap()
        .find(text)
        .map_or(text.len(), |found| found.start());
    let text = &text[..end];
    let code = without_literals(text);
    let lines: Vec<&str> = text.lines().collect();
    let mut counts = Counts {
        code_lines: code.lines().filter(|line| !line.trim().is_empty()).count(),
        long_files: usize::from(lines.len() > LONG_FILE),
        ..Counts::default()
    };

    let function = Regex::new(r"\bfn \w+").unwrap();
    for found in function.find_iter(&code) {
        let Some(end) = end_of_body(&code[found.end()..]) else {
            continue; // a trait's method or a type
        };
        let first = code[..found.start()].matches('\n').count();
        let last = code[..found.end() + end].matches('\n').count();
        if last + 1 - first >= LONG_FUNCTION {
            counts.long_functions += 1;
            let is_broken = lines[first..=last]
                .iter()
                .any(|line| line.trim().is_empty());
            counts.unbroken += usize::from(!is_broken);
        }
    }
    let closure = r"\blet\s+(mut\s+)?\w+(\s*:[^=;]+)?\s*=\s*(async\s+)?(move\s+)?\|";
    counts.closures = Regex::new(closure).unwrap().find_iter(&code).count();
    counts
}

/// Where the body ends of a function whose parameters come next; `None` if it has no body.
fn end_of_body(code: &str) -> Option<usize> {
    let (mut parentheses, mut braces) = (0, 0);
    for (at, c) in code.char_indices() {
        match c {
            '(' | '[' => parentheses += 1,
            ')' | ']' => parentheses -= 1,
            '{' => braces += 1,
            '}' if braces == 1 => return Some(at),
            '}' => braces -= 1,
            ';' if parentheses == 0 && braces == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The code with comments, strings and characters blanked out, but not their newlines.
fn without_literals(text: &str) -> String {
    let comment = r"//[^\n]*|(?s:/\*.*?\*/)";
    let raw =
        r####"\bb?r"(?s:.*?)"|\bb?r#"(?s:.*?)"#|\bb?r##"(?s:.*?)"##|\bb?r###"(?s:.*?)"###"####;
    let plain = r#""(?s:\\.|[^"\\])*"|'(\\u\{\w+\}|\\x..|\\.|[^\\'])'"#;
    let literal = Regex::new(&format!("{comment}|{raw}|{plain}")).unwrap();
    let blanked = literal.replace_all(text, |found: &Captures| {
        let filler = if found[0].starts_with('/') { " " } else { "s" };
        found[0].replace(|c| c != '\n', filler)
    });
    blanked.into_owned()
}
