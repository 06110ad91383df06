//! How long it takes to apply what another model wrote, and how that grows with the file:
//! `./x bench applying` prints a table. Whole runs are timed (parse, find, fit, splice), and the
//! median of five is given.

use slotwright::apply::{Files, apply};
use slotwright::format::Patch;
use slotwright::text::Text;
use std::time::Instant;

/// One file in memory.
struct One(String);

impl Files for One {
    fn listing(&self) -> &[String] {
        &[]
    }

    fn read(&self, path: &str) -> Result<Option<Text>, String> {
        let is_it = path == "a.rs";
        Ok(is_it.then(|| Text::decode(self.0.clone().into_bytes()).expect("it is UTF-8")))
    }
}

/// A source of so many lines: functions of five lines, no two of them the same.
fn source(n_lines: usize) -> String {
    let function = |i: usize| {
        format!(
            "    fn handle_{i}(&self, item: Item) -> u32 {{\n        let total_{i} = \
             item.count({i}) + self.base;\n        total_{i}, done\n    }}\n\n"
        )
    };
    (0..n_lines / 5).map(function).collect()
}

/// A search/replace block for the `i`-th function. `damage` makes its searched lines differ.
fn block(i: usize, damage: fn(&str) -> String) -> String {
    let lines = [
        format!("    fn handle_{i}(&self, item: Item) -> u32 {{"),
        format!("        let total_{i} = item.count({i}) + self.base;"),
        format!("        total_{i}, done"),
        "    }".to_owned(),
    ];
    let old: String = lines.iter().map(|line| damage(line) + "\n").collect();
    let new = old.replacen("self.base", "self.other", 1);
    format!("a.rs\n```\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n\n")
}

/// The median of some runs, in milliseconds, and how many of the edits were made.
fn measured(file: &str, patch: &str) -> (f64, usize) {
    let files = One(file.to_owned());
    let mut times = Vec::new();
    let mut n_made = 0;
    for _ in 0..5 {
        let begun = Instant::now();
        let patch = Patch::parse(patch).expect("a patch");
        let plan = apply(&patch, None, &files);
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        n_made = plan.outcomes.len() - plan.failed().count();
    }
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], n_made)
}

fn main() {
    println!("| file | patch | ms | made |\n|---|---|---:|---:|");
    let file = source(10_000);
    print_row(
        "10,000 lines, 100 blocks",
        "as they are",
        &file,
        &hundred(str::to_owned),
    );
    print_row(
        "10,000 lines, 100 blocks",
        "not indented",
        &file,
        &hundred(unindented),
    );
    print_row(
        "10,000 lines, 100 blocks",
        "found by their tokens",
        &file,
        &hundred(respaced),
    );
    print_row(
        "10,000 lines, 100 blocks",
        "a word changed",
        &file,
        &hundred(reworded),
    );

    for n_lines in [1_000, 10_000, 100_000] {
        let name = format!("{n_lines} lines, 1 block");
        let file = source(n_lines);
        print_row(
            &name,
            "found by its tokens",
            &file,
            &block(n_lines / 10, respaced),
        );
        print_row(
            &name,
            "a word changed",
            &file,
            &block(n_lines / 10, reworded),
        );
    }
}

fn print_row(file_name: &str, patch_name: &str, file: &str, patch: &str) {
    let (ms, n_made) = measured(file, patch);
    println!("| {file_name} | {patch_name} | {ms:.2} | {n_made} |");
}

fn hundred(damage: fn(&str) -> String) -> String {
    (0..100).map(|i| block(i * 19, damage)).collect()
}

fn unindented(line: &str) -> String {
    line[4..].to_owned()
}

fn respaced(line: &str) -> String {
    line.replace("(&self, item", "( &self, item")
}

fn reworded(line: &str) -> String {
    line.replace("count", "number")
}
