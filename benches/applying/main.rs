//! How long it takes to apply what another model wrote, and how that grows with the file. Prints a
//! table and writes `docs/applying.md`, with the counts of `tests/damage.rs` beside it being that
//! test's own.
//!
//! Whole runs are timed (parse, find, fit, splice) and the median of a few is given: a run takes
//! from a fraction of a millisecond to a second, so no statistics are needed to see whether it
//! grows with the file or with its square.

use slotwright::apply::{Files, apply};
use slotwright::format::Patch;
use slotwright::text::Text;
use std::fmt::Write;
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
fn block(i: usize, damage: impl Fn(&str) -> String) -> String {
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
    let mut page = String::from(
        "# Applying what other models wrote: how long it takes\n\n\
         `cargo bench --bench applying` measures this and writes this page. Whole runs: \
         the patch is read, every edit looked for, fitted\n\
         and made, in memory. Machines differ and are shared, so read the growth.\n\n\
         | file | patch | ms | made |\n|---|---|---:|---:|\n",
    );
    let mut row = |what: &str, patch: &str, (ms, made): (f64, usize)| {
        let line = format!("| {what} | {patch} | {ms:.2} | {made} |");
        println!("{line}");
        writeln!(page, "{line}").expect("a string takes all");
        ms
    };
    let file = source(10_000);
    let hundred = |damage: &dyn Fn(&str) -> String| {
        (0..100).map(|i| block(i * 19, damage)).collect::<String>()
    };
    row(
        "10,000 lines",
        "100 blocks, as they are",
        measured(&file, &hundred(&str::to_owned)),
    );
    row(
        "10,000 lines",
        "100 blocks, not indented",
        measured(&file, &hundred(&|line| line[4..].to_owned())),
    );
    row(
        "10,000 lines",
        "100 blocks, found by their tokens",
        measured(
            &file,
            &hundred(&|line| line.replace("(&self, item", "( &self, item")),
        ),
    );
    row(
        "10,000 lines",
        "100 blocks, a word changed",
        measured(&file, &hundred(&|line| line.replace("count", "number"))),
    );
    let comma = |line: &str| line.replace("(&self, item", "( &self, item");
    let word = |line: &str| line.replace("count", "number");
    let mut growth = Vec::new();
    for n_lines in [1_000, 10_000, 100_000] {
        let file = source(n_lines);
        let name = format!("{n_lines} lines ({:.1} MB)", file.len() as f64 / 1e6);
        let fuzzy = row(
            &name,
            "1 block, found by its tokens",
            measured(&file, &block(n_lines / 10, comma)),
        );
        let none = row(
            &name,
            "1 block, nothing like it: all ten rungs and the nearest place",
            measured(&file, &block(n_lines / 10, word)),
        );
        growth.push((fuzzy, none));
    }
    let file = source(33_000);
    row(
        &format!("{:.1} MB", file.len() as f64 / 1e6),
        "100 blocks, nothing like them",
        measured(&file, &hundred(&word)),
    );
    let line = format!(
        "\nFrom 10,000 to 100,000 lines the last rung takes {:.1} times as long, \
         and all of them with nothing found {:.1} times.\n",
        growth[2].0 / growth[1].0,
        growth[2].1 / growth[1].1
    );
    println!("{line}");
    page.push_str(&line);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/applying.md");
    std::fs::write(path, page).expect("the page can be written");
}
