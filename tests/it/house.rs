//! Counts of how the production code of `src` and `crates/*/src` reads, with limits: long functions
//! without a blank line, closures that are named before they are used, and long files.
//! `cargo test --release --test it house:: -- --show-output` prints them by module.

use regex::{Regex, bytes};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Percent of the functions of 30 lines and more that may have no blank line.
const MOST_UNBROKEN: f64 = 40.0;
/// Local closures in 1,000 lines of code.
const MOST_CLOSURES: f64 = 3.0;
/// Files that may have more than 800 lines without their tests.
const MOST_LONG_FILES: usize = 5;

#[test]
fn functions_have_paragraphs_and_few_closures_have_names() {
    let mut by_module: BTreeMap<String, String> = BTreeMap::new();
    let mut n_long_files = 0;
    for (module, path) in sources() {
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        if code.lines().count() > 800 {
            println!("a long file: {}", path.display());
            n_long_files += 1;
        }
        by_module.entry(module).or_default().push_str(code);
    }

    assert!(by_module.len() > 15, "{:?}", by_module.keys());
    let mut all = [0; 4];
    for (module, code) in &by_module {
        let counts = counts(code);
        print(module, counts);
        for (sum, count) in all.iter_mut().zip(counts) {
            *sum += count;
        }
    }
    let (unbroken, closures) = print("all", all);
    assert!(
        unbroken <= MOST_UNBROKEN,
        "{unbroken:.0} % without a blank line"
    );
    assert!(
        closures <= MOST_CLOSURES,
        "{closures:.1} closures in 1,000 lines"
    );
    assert!(n_long_files <= MOST_LONG_FILES, "{n_long_files} long files");
}

/// Source files, each with its module or crate.
fn sources() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("src")];
    for entry in std::fs::read_dir(root.join("crates")).into_iter().flatten() {
        folders.push(entry.unwrap().path().join("src"));
    }
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            // `src/MODULE/…`, `src/MODULE.rs`, `crates/CRATE/src/…`
            let place = path.strip_prefix(root).unwrap().to_str().unwrap();
            let module = place
                .split('/')
                .nth(1)
                .unwrap()
                .trim_end_matches(".rs")
                .to_owned();
            let is_test = ["tests", "testing", "brute_force", "brute_force_masks"];
            let is_test = is_test.contains(&path.file_stem().unwrap().to_str().unwrap());
            if path.is_dir() {
                folders.push(path);
            } else if place.ends_with(".rs") && !is_test {
                sources.push((module, path));
            }
        }
    }
    sources
}

/// Lines of code, long functions, those of them without a blank line, and local closures.
fn counts(text: &str) -> [usize; 4] {
    let code = without_literals(text);
    let lines: Vec<&str> = text.lines().collect();
    let n_lines = code.lines().filter(|line| !line.trim().is_empty()).count();
    let (mut n_long, mut n_unbroken) = (0, 0);
    let mut first = 0;
    let mut counted_to = 0;
    for found in Regex::new(r"(?-u:\b)fn \w+").unwrap().find_iter(&code) {
        let Some(length) = length_of_body(&code[found.end()..]) else {
            continue; // a trait's method
        };
        first += code[counted_to..found.start()].matches('\n').count();
        counted_to = found.start();
        let end = found.end() + length;
        let last = first + code[counted_to..end].matches('\n').count();
        if last + 1 - first >= 30 {
            n_long += 1;
            n_unbroken += usize::from(
                lines[first..=last]
                    .iter()
                    .all(|line| !line.trim().is_empty()),
            );
        }
    }
    let closure = r"(?-u:\b)let\s+(mut\s+)?\w+(\s*:[^=;]+)?\s*=\s*(async\s+)?(move\s+)?\|";
    let n_closures = Regex::new(closure).unwrap().find_iter(&code).count();

    [n_lines, n_long, n_unbroken, n_closures]
}

/// Percent of the long functions without a blank line, and closures in 1,000 lines of code.
fn print(module: &str, [n_lines, n_long, n_unbroken, n_closures]: [usize; 4]) -> (f64, f64) {
    let unbroken = 100.0 * n_unbroken as f64 / n_long.max(1) as f64;
    let closures = 1000.0 * n_closures as f64 / n_lines.max(1) as f64;
    println!(
        "{module:<12}{n_lines:>6} lines of code, {n_long:>3} long functions, {unbroken:>3.0} % of \
         them without a blank line, {closures:>4.1} closures in 1,000 lines"
    );
    (unbroken, closures)
}

/// Up to where the body ends of a function whose parameters come next; `None` if it has none.
fn length_of_body(code: &str) -> Option<usize> {
    let mut brackets = 0;
    let mut braces = 0;
    for (at, c) in code.char_indices() {
        match c {
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets -= 1,
            '{' => braces += 1,
            '}' if braces == 1 => return Some(at),
            '}' => braces -= 1,
            ';' if brackets == 0 && braces == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The code with comments, strings and characters blanked out, but not their newlines.
fn without_literals(text: &str) -> String {
    let comment = r"//[^\n]*|(?s:/\*.*?\*/)";
    let raw =
        r##"\bb?r"(?s:.*?)"|\bb?r#"(?s:.*?)"#|\bb?r#{2}"(?s:.*?)"#{2}|\bb?r#{3}"(?s:.*?)"#{3}"##;
    let plain = r#""(?s:\\.|[^"\\])*"|'(\\u\{\w+\}|\\x..|\\.|[^\\'])'"#;
    let literal = bytes::Regex::new(&format!("(?-u){comment}|{raw}|{plain}")).unwrap();
    let mut blanked = String::new();
    let mut end = 0;
    for found in literal.find_iter(text.as_bytes()) {
        let literal = &text[found.range()];
        let filler = if literal.starts_with('/') { " " } else { "s" };
        blanked.push_str(&text[end..found.start()]);
        blanked.push_str(&literal.replace(|c| c != '\n', filler));
        end = found.end();
    }
    blanked + &text[end..]
}
