//! How often the program's own search finds the right file and the right part of it. Prints tables.
//!
//! `sentences-a.jsonl` and `sentences-b.jsonl` are tasks for real packages, written apart from the
//! ranking and before it. The ranking was tuned on set a. Set b is held out.
//!
//! ```text
//! benches/files/fetch.py PACKAGES
//! cargo bench --bench files -- PACKAGES [misses]
//! ```
//!
//! With `misses` it also lists the sentences whose file is not ranked first.

use serde::Deserialize;
use slotwright::search::find_files;
use slotwright::search::windows::best_blocks;
use slotwright::task::Task;
use slotwright::text::{BlockSize, Outline};
use slotwright::workspace::Workspace;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

type Error = Box<dyn std::error::Error>;

/// The rows that a model sees.
const ROWS: usize = 12;

/// Bytes of a long file that are shown: about 1,500 tokens.
const SHOWN_BYTES: usize = 6_000;

const SIZES: [(&str, BlockSize); 2] = [
    ("large blocks", BlockSize::LARGE),
    ("medium blocks", BlockSize::MEDIUM),
];

/// A line of a file of sentences.
#[derive(Deserialize)]
struct Sentence {
    package: String,
    version: String,
    registry: String,
    sentence: String,
    /// The file that the edit changes.
    path: String,
    /// A line that the edit changes or stands beside.
    line: String,
    names_file: bool,
    names_identifier: bool,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match measure().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn measure() -> Result<(), Error> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    let packages = arguments
        .first()
        .ok_or("which folder has the packages? see fetch.py")?;
    let lists_misses = arguments.iter().any(|argument| argument == "misses");
    let sets = [
        ("a", include_str!("sentences-a.jsonl")),
        ("b", include_str!("sentences-b.jsonl")),
    ];
    let only = arguments
        .iter()
        .skip(1)
        .find(|argument| sets.iter().any(|set| set.0 == **argument));
    for (set, sentences) in sets
        .into_iter()
        .filter(|set| only.is_none_or(|only| only == set.0))
    {
        let sentences: Vec<Sentence> = sentences
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()?;
        let mut ranks: BTreeMap<String, Ranks> = BTreeMap::new();
        let mut windows = SIZES.map(|_| (0, 0));
        for sentence in &sentences {
            let root =
                Path::new(packages).join(format!("{}-{}", sentence.package, sentence.version));
            let workspace = Workspace::open(&root.canonicalize()?)?;
            let task = Task::new(&sentence.sentence, Vec::new())?;
            let started = Instant::now();
            let found = find_files(&task, &workspace, ROWS, &mut |_| ()).await?;
            let ms = started.elapsed().as_secs_f64() * 1e3;
            let rank = found
                .ranked
                .iter()
                .position(|file| file.path == sentence.path);
            for group in groups(sentence) {
                ranks.entry(group).or_default().add(rank, ms);
            }
            if lists_misses && rank != Some(0) {
                println!(
                    "{rank:?} {}: {}\n    {}",
                    sentence.package, sentence.sentence, sentence.path
                );
                for file in found.ranked.iter().take(3) {
                    println!("        {} ({})", file.path, file.words.join(", "));
                }
            }
            let text = workspace.read(&sentence.path)?;
            for ((_, size), (n_shown, n_long)) in SIZES.iter().zip(&mut windows) {
                if let Some(is_shown) = shows_line(sentence, text.shown(), *size) {
                    *n_long += 1;
                    *n_shown += usize::from(is_shown);
                }
            }
        }
        println!("\nset {set}                 n  first  five  twelve    MRR  ms median, max");
        for (group, ranks) in &ranks {
            println!("{group:20}{ranks}");
        }
        for ((name, _), (n_shown, n_long)) in SIZES.iter().zip(windows) {
            println!("{name}: the line is shown of {n_shown} of {n_long} long files");
        }
    }
    Ok(())
}

/// The groups that a sentence is counted in.
fn groups(sentence: &Sentence) -> [String; 3] {
    let names = match (sentence.names_file, sentence.names_identifier) {
        (true, _) => "names the file",
        (false, true) => "names an identifier",
        (false, false) => "names neither",
    };
    [
        "all".to_owned(),
        format!("{}, all", sentence.registry),
        names.to_owned(),
    ]
}

/// Whether the sentence's line is in the blocks that are ranked first and together fit the room, if
/// the file is longer than that.
fn shows_line(sentence: &Sentence, text: &str, size: BlockSize) -> Option<bool> {
    if text.len() <= SHOWN_BYTES {
        return None;
    }
    let mut room = SHOWN_BYTES;
    for block in best_blocks(&sentence.sentence, text, &Outline::of(text), size) {
        if block.range.len() > room {
            continue; // as a prompt is filled
        }
        room -= block.range.len();
        if text[block.range].contains(sentence.line.trim()) {
            return Some(true);
        }
    }
    Some(false)
}

/// Where the right file was ranked.
#[derive(Default)]
struct Ranks {
    ranks: Vec<Option<usize>>,
    ms: Vec<f64>,
}

impl Ranks {
    fn add(&mut self, rank: Option<usize>, ms: f64) {
        self.ranks.push(rank);
        self.ms.push(ms);
    }
}

impl std::fmt::Display for Ranks {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let n = self.ranks.len();
        let share = |most: usize| {
            let n_within = self
                .ranks
                .iter()
                .filter(|rank| rank.is_some_and(|rank| rank < most));
            100.0 * n_within.count() as f64 / n as f64
        };
        let reciprocal: f64 = self
            .ranks
            .iter()
            .flatten()
            .map(|rank| 1.0 / (rank + 1) as f64)
            .sum();
        let mut ms = self.ms.clone();
        ms.sort_by(f64::total_cmp);
        let (first, five, twelve) = (share(1), share(5), share(ROWS));
        let mrr = reciprocal / n as f64;
        write!(f, "{n:6}{first:6.1}%{five:5.1}%{twelve:7.1}%{mrr:7.3}")?;
        write!(f, "{:8.1}{:6.1}", ms[n / 2], ms[n - 1])
    }
}
