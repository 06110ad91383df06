//! BENCHMARKS.md and its plot, from Criterion's medians and our counts: nothing in them is written
//! by hand.

use super::vocabulary::Vocabulary;
use super::{Counts, N_PATHS, SIZES};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Milliseconds that the index of the largest file was meant to take.
const INDEX_GOAL_MS: f64 = 40.0;

/// By vocabulary and bytes of the file: ours and theirs.
pub type AllCounts = BTreeMap<(String, usize), [Counts; 2]>;

/// Where Criterion keeps its figures.
pub fn figures() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("criterion")
}

pub fn write(vocabularies: &[Vocabulary], counts: &AllCounts) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // What another measurement wrote there stays.
    let page = root.join("BENCHMARKS.md");
    let before = std::fs::read_to_string(&page).unwrap_or_default();
    let others = before.find("<!-- peers:").map_or("", |at| &before[at..]);
    std::fs::write(page, format!("{}\n{others}", report(vocabularies, counts))).unwrap();
    std::fs::write(root.join("benches/ratios.svg"), plot(&vocabularies[0])).unwrap();
    println!("\nwritten: BENCHMARKS.md, benches/ratios.svg");
}

fn report(vocabularies: &[Vocabulary], counts: &AllCounts) -> String {
    let largest = &vocabularies[0];
    let index_ms = time("ours", largest, "index", Some(1_000_000)) / 1e6;
    let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut text = String::new();
    let mut line = |words: &str| {
        text.push_str(words);
        text.push('\n');
    };
    line("# Benchmarks\n");
    line(
        "`./x bench` measures, and writes this page and its plot. Machines differ and are shared, \
         so read the ratios.\n",
    );
    line(
        "The task is one edit: an answer `{\"old\":…,\"new\":…}` whose `old` is some 400 bytes out \
         of the middle of a file",
    );
    line(
        "(this project's own sources, repeated with other names) and whose `new` is the same with \
         a word before it. No model",
    );
    line(
        "is asked: whatever the answer wants next is taken wherever the mask leaves a choice. \
         What is left is the constraint.\n",
    );
    line(
        "Ours is `SlotSpec::Replace`. llguidance's is the nearest that it can express: \
         `substring_chunks` (a suffix automaton over the",
    );
    line(
        "same stretches between boundaries that our excerpts begin and end at), \
         then a JSON string, driven by its own `Matcher`",
    );
    line(
        "with its forced tokens. It cannot say that an excerpt is not blank, \
         nor that a *place* must be chosen where the excerpt",
    );
    line("stands more than once; so the excerpt here stands once. Both tokenize greedily.\n");
    line("## Ours against llguidance\n");
    line(
        "How many times what ours takes llguidance takes: above 1× ours is faster. \
         *The first mask* is that of the excerpt's",
    );
    line(
        "first token; *the median* and *worst mask* are of all tokens of the answer, \
         each with taking it. *A forced run* is finding",
    );
    line("what leaves no choice, and spelling it. *The whole edit* is the index and the answer.\n");
    line(
        "![How many times what ours takes llguidance takes, \
         by the size of the file](benches/ratios.svg)\n",
    );
    for vocabulary in vocabularies {
        line(&format!(
            "### {}, {} tokens\n",
            vocabulary.name,
            thousands(vocabulary.trie.vocab_size())
        ));
        line(&against(vocabulary, counts));
    }
    line("### Other slots\n");
    line(&format!(
        "One of {} paths and an operation (llguidance: `enum`), and free text, \
         for which llguidance has",
        thousands(N_PATHS)
    ));
    line(
        "most of the mask ready since it read the vocabulary; ours is made once in each answer.\n",
    );
    line(&other_slots(vocabularies));
    line("## Ours against the size of the file\n");
    line(&format!(
        "How many times what it takes for 1 KB ({}).\n",
        largest.name
    ));
    line(&growth(largest));
    line("## In milliseconds\n");
    line(&format!(
        "For context: ours, in the processor's time, on {} cores ({}) that other work shared.\n",
        n_cores,
        std::env::consts::ARCH
    ));
    line(&milliseconds(vocabularies, counts));
    let verdict = if index_ms <= INDEX_GOAL_MS {
        "met"
    } else {
        "missed"
    };
    let sorting = time("ours", largest, "sort", Some(1_000_000)) / 1e6 / index_ms;
    line(&format!(
        "The goal for the index of 1 MB was {INDEX_GOAL_MS:.0} ms. \
         In this run it took {index_ms:.0} ms: {verdict}. Sorting the"
    ));
    line(&format!(
        "suffixes alone (`divsufsort`) takes {sorting:.2} of it. (Before, \
         on the same machine when nothing else ran: 44 to 52 ms.)"
    ));
    text
}

fn against(vocabulary: &Vocabulary, counts: &AllCounts) -> String {
    let counted = |n_bytes: usize| &counts[&(vocabulary.name.clone(), n_bytes)];
    let mut table = Table::with_sizes("llguidance / ours");
    for metric in ["index", "first mask", "median mask"] {
        table.row(metric, |n_bytes| {
            times(ratio(vocabulary, metric, Some(n_bytes)))
        });
    }
    table.row("worst mask", |n_bytes| {
        let [ours, theirs] = counted(n_bytes);
        times(theirs.worst_mask.as_secs_f64() / ours.worst_mask.as_secs_f64())
    });
    table.row("forced run", |n_bytes| {
        times(ratio(vocabulary, "forced run", Some(n_bytes)))
    });
    table.row("whole edit", |n_bytes| {
        times(whole("llguidance", vocabulary, n_bytes) / whole("ours", vocabulary, n_bytes))
    });
    table.row("memory", |n_bytes| {
        let [ours, theirs] = counted(n_bytes);
        times(theirs.memory as f64 / ours.memory as f64)
    });
    table.row("a model is asked", |n_bytes| {
        let [ours, theirs] = counted(n_bytes);
        format!("{} / {}", theirs.n_asked, ours.n_asked)
    });
    table.row("tokens forced", |n_bytes| {
        let [ours, theirs] = counted(n_bytes);
        format!("{} / {}", theirs.n_forced, ours.n_forced)
    });
    table.row("with llguidance's default limits", |n_bytes| {
        if counted(n_bytes)[1].refused.is_some() {
            "refused".to_owned()
        } else {
            "yes".to_owned()
        }
    });
    let mut text = table.text;
    if let Some(refused) = SIZES
        .iter()
        .find_map(|&n_bytes| counted(n_bytes)[1].refused.clone())
    {
        write!(
            text,
            "\nRefused with: \"{refused}\". \
                      The figures are with limits raised as far as it takes.\n"
        )
        .unwrap();
    }
    text
}

fn other_slots(vocabularies: &[Vocabulary]) -> String {
    let mut table = Table::new(
        "llguidance / ours",
        vocabularies.iter().map(|v| v.name.clone()),
    );
    for (name, metric) in [
        ("making the choice of paths", "paths"),
        ("median mask of a path", "median mask of a path"),
        ("first mask of free text", "first mask of free text"),
    ] {
        table.row_of(
            name,
            vocabularies
                .iter()
                .map(|vocabulary| times(ratio(vocabulary, metric, None))),
        );
    }
    table.text
}

fn growth(vocabulary: &Vocabulary) -> String {
    let mut table = Table::with_sizes("ours / ours at 1 KB");
    for metric in ["index", "first mask", "median mask", "forced run"] {
        let first = time("ours", vocabulary, metric, Some(SIZES[0]));
        table.row(metric, |n_bytes| {
            times(time("ours", vocabulary, metric, Some(n_bytes)) / first)
        });
    }
    let first = whole("ours", vocabulary, SIZES[0]);
    table.row("whole edit", |n_bytes| {
        times(whole("ours", vocabulary, n_bytes) / first)
    });
    table.text
}

fn milliseconds(vocabularies: &[Vocabulary], counts: &AllCounts) -> String {
    let mut table = Table::with_sizes("ours, ms");
    for vocabulary in vocabularies {
        let name = |metric: &str| format!("{metric}, {}", vocabulary.name);
        if vocabulary.name == vocabularies[0].name {
            table.row("index", |n_bytes| {
                ms(time("ours", vocabulary, "index", Some(n_bytes)))
            });
            table.row("its memory, MB", |n_bytes| {
                format!(
                    "{:.2}",
                    counts[&(vocabulary.name.clone(), n_bytes)][0].memory as f64 / 1e6
                )
            });
        }
        for metric in ["first mask", "median mask"] {
            table.row(&name(metric), |n_bytes| {
                ms(time("ours", vocabulary, metric, Some(n_bytes)))
            });
        }
        table.row(&name("whole edit"), |n_bytes| {
            ms(whole("ours", vocabulary, n_bytes))
        });
    }
    table.text
}

/// Criterion's median, in nanoseconds.
fn time(side: &str, vocabulary: &Vocabulary, metric: &str, n_bytes: Option<usize>) -> f64 {
    let mut path = figures()
        .join(format!("{side} {}", vocabulary.name))
        .join(metric);
    path.extend(n_bytes.map(|n| n.to_string()));
    path.extend(["new", "estimates.json"]);
    let estimates =
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let estimates: serde_json::Value = serde_json::from_slice(&estimates).unwrap();
    estimates["median"]["point_estimate"].as_f64().unwrap()
}

fn whole(side: &str, vocabulary: &Vocabulary, n_bytes: usize) -> f64 {
    ["index", "whole edit"]
        .iter()
        .map(|metric| time(side, vocabulary, metric, Some(n_bytes)))
        .sum()
}

fn ratio(vocabulary: &Vocabulary, metric: &str, n_bytes: Option<usize>) -> f64 {
    time("llguidance", vocabulary, metric, n_bytes) / time("ours", vocabulary, metric, n_bytes)
}

/// A table in Markdown.
struct Table {
    text: String,
}

impl Table {
    fn new(corner: &str, columns: impl Iterator<Item = String>) -> Table {
        let columns: Vec<String> = columns.collect();
        let rule = "|---:".repeat(columns.len());
        Table {
            text: format!("| {corner} | {} |\n|---{rule}|\n", columns.join(" | ")),
        }
    }

    fn with_sizes(corner: &str) -> Table {
        Table::new(corner, SIZES.iter().map(|&n_bytes| size(n_bytes)))
    }

    fn row_of(&mut self, name: &str, cells: impl Iterator<Item = String>) {
        let cells: Vec<String> = cells.collect();
        writeln!(self.text, "| {name} | {} |", cells.join(" | ")).unwrap();
    }

    fn row(&mut self, name: &str, cell: impl Fn(usize) -> String) {
        self.row_of(name, SIZES.iter().map(|&n_bytes| cell(n_bytes)));
    }
}

fn size(n_bytes: usize) -> String {
    if n_bytes < 1_000_000 {
        format!("{} KB", n_bytes / 1_000)
    } else {
        format!("{} MB", n_bytes / 1_000_000)
    }
}

/// Two digits: more would be noise.
fn times(ratio: f64) -> String {
    match ratio {
        r if r >= 9.95 => format!("{}×", thousands(two_digits(r) as usize)),
        r if r >= 0.995 => format!("{r:.1}×"),
        r => format!("{r:.*}×", (1.0 - r.log10().floor()) as usize),
    }
}

fn ms(nanoseconds: f64) -> String {
    let ms = nanoseconds / 1e6;
    let n_decimals = (1.0 - ms.log10().floor()).clamp(0.0, 5.0) as usize;
    format!("{ms:.n_decimals$}")
}

fn two_digits(value: f64) -> f64 {
    let unit = 10f64.powf(value.log10().floor() - 1.0);
    (value / unit).round() * unit
}

fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| str::from_utf8(group).expect("digits are ASCII"))
        .collect();
    groups.join(",")
}

/// The ratios over the sizes, both logarithmic: one line a metric.
fn plot(vocabulary: &Vocabulary) -> String {
    let lines: Vec<(&str, &str, Vec<f64>)> = [
        ("index", "#c0392b"),
        ("first mask", "#2471a3"),
        ("median mask", "#1e8449"),
    ]
    .map(|(metric, colour)| {
        (
            metric,
            colour,
            SIZES
                .iter()
                .map(|&n| ratio(vocabulary, metric, Some(n)))
                .collect(),
        )
    })
    .into_iter()
    .chain([(
        "whole edit",
        "#7d3c98",
        SIZES
            .iter()
            .map(|&n| whole("llguidance", vocabulary, n) / whole("ours", vocabulary, n))
            .collect(),
    )])
    .collect();
    let all = || {
        lines
            .iter()
            .flat_map(|(_, _, ratios)| ratios.iter().copied())
    };
    let low = all().fold(1.0, f64::min).log10().floor();
    let high = all().fold(10.0, f64::max).log10().ceil();
    let (left, right, top, bottom) = (60.0, 540.0, 40.0, 340.0);
    let x = |i: usize| left + (right - left) * i as f64 / (SIZES.len() - 1) as f64;
    let y = |ratio: f64| bottom - (bottom - top) * (ratio.log10() - low) / (high - low);
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 660 380\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"660\" height=\"380\" fill=\"white\"/>\n",
    );
    let mut push = |element: String| svg.push_str(&(element + "\n"));
    push(format!(
        "<text x=\"{left}\" y=\"22\">llguidance's time / ours, by the size of the file ({})</text>",
        vocabulary.name
    ));
    for power in low as i32..=high as i32 {
        let ratio = 10f64.powi(power);
        let (at, width) = (y(ratio), if power == 0 { 2 } else { 1 });
        push(format!(
            "<line x1=\"{left}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ccc\" \
             stroke-width=\"{width}\"/>"
        ));
        push(format!(
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{ratio}×</text>",
            left - 6.0,
            at + 4.0
        ));
    }
    for (i, &n_bytes) in SIZES.iter().enumerate() {
        push(format!(
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            x(i),
            bottom + 20.0,
            size(n_bytes)
        ));
    }
    // Names that would overlap are moved apart, from the top down.
    let mut named: Vec<(f64, &str, &str)> = lines
        .iter()
        .map(|(name, colour, ratios)| (y(ratios[SIZES.len() - 1]) + 4.0, *name, *colour))
        .collect();
    named.sort_by(|a, b| a.0.total_cmp(&b.0));
    for i in 1..named.len() {
        named[i].0 = named[i].0.max(named[i - 1].0 + 16.0);
    }
    for (_, colour, ratios) in &lines {
        let points: Vec<String> = ratios
            .iter()
            .enumerate()
            .map(|(i, &ratio)| format!("{:.1},{:.1}", x(i), y(ratio)))
            .collect();
        push(format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join(" ")
        ));
    }
    for (at, name, colour) in named {
        push(format!(
            "<text x=\"{}\" y=\"{at:.1}\" fill=\"{colour}\">{name}</text>",
            right + 8.0
        ));
    }
    svg.push_str("</svg>\n");
    svg
}
