//! What the constraint costs, and llguidance's for the same task: `./x bench`. Figures to read, not
//! to pass: machines differ, and are shared. The run ends by writing BENCHMARKS.md and its plot
//! ([`report`]).
//!
//! The task is one edit of a file of 1 KB to 1 MB: an answer is written whose `old` is copied out
//! of the middle of the file. No model is asked; whatever the answer wants next is chosen where the
//! mask leaves a choice, so that what is left is the constraint. Times are Criterion's medians of
//! ten samples, of the processor's time for this thread (the constraint needs one), so that other
//! work on the machine distorts less; counts are counted once.

mod report;
mod theirs;
mod vocabulary;

use criterion::{BenchmarkId, Criterion, SamplingMode};
use slotwright::constrain::mask::{Matcher, SlotMatcher};
use slotwright::constrain::schema::SchemaCompiler;
use slotwright::constrain::{Constraint, NoEdit, PickFile, SlotSpec};
use slotwright::slots::Operation;
use slotwright::text::Shown;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering};
use std::time::Duration;
use vocabulary::Vocabulary;

/// Bytes of the files.
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// Paths to choose among.
const N_PATHS: usize = 10_000;

/// Something to measure of an answer in the making: its name, and how it is read off.
type Metric = (&'static str, fn(&Course) -> Duration);

const METRICS: [Metric; 3] = [
    ("median mask", |course| median(&course.masks)),
    ("forced run", |course| median(&course.forced_runs)),
    ("whole edit", |course| course.whole()),
];

/// What is counted of one edit, by one of the two.
#[derive(Clone, Debug, Default)]
struct Counts {
    /// Allocated for the compiled constraint, in bytes.
    memory: isize,
    /// Times that a model is asked, tokens that it chooses and tokens forced.
    n_asked: usize,
    n_forced: usize,
    worst_mask: Duration,
    /// Why it is refused with the limits that it has by default.
    refused: Option<String>,
}

/// How one answer came about.
struct Course {
    masks: Vec<Duration>,
    forced_runs: Vec<Duration>,
    n_forced: usize,
}

impl Course {
    fn whole(&self) -> Duration {
        self.masks.iter().chain(&self.forced_runs).sum()
    }
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400))
        .without_plots()
        .output_directory(&report::figures())
        .configure_from_args();
    let vocabularies = vocabulary::three_largest();
    let texts: Vec<String> = SIZES.iter().map(|&n_bytes| corpus(n_bytes)).collect();
    let mut counts = report::AllCounts::new();
    sorting(&mut criterion, &vocabularies[0], &texts[SIZES.len() - 1]);
    for vocabulary in &vocabularies {
        for (&n_bytes, text) in SIZES.iter().zip(&texts) {
            counts.insert(
                (vocabulary.name.clone(), n_bytes),
                edits(&mut criterion, vocabulary, n_bytes, text),
            );
        }
        paths_and_free_text(&mut criterion, vocabulary);
    }
    criterion.final_summary();
    // With a filter or as a test only part of it has run.
    if std::env::args()
        .skip(1)
        .all(|argument| argument == "--bench")
    {
        report::write(&vocabularies, &counts);
    }
}

/// What of the index is sorting suffixes alone.
fn sorting(criterion: &mut Criterion, vocabulary: &Vocabulary, text: &str) {
    let escaped = serde_json::to_vec(text).unwrap();
    let mut group = criterion.benchmark_group(format!("ours {}", vocabulary.name));
    group.bench_function(
        BenchmarkId::new("sort", SIZES[SIZES.len() - 1]),
        |bencher| {
            bencher.iter_custom(|n| (0..n).map(|_| time_of(|| divsufsort::sort(&escaped))).sum());
        },
    );
    group.finish();
}

/// One edit, ours and theirs.
fn edits(
    criterion: &mut Criterion,
    vocabulary: &Vocabulary,
    n_bytes: usize,
    text: &str,
) -> [Counts; 2] {
    // Without blocks, which llguidance's grammar cannot have.
    let spec = SlotSpec::Replace {
        shown: Shown::whole(text),
        blocks: false,
    };
    let answer = answer(text);
    let before = allocated();
    let ours = Constraint::new(&spec);
    let our_memory = allocated() - before;
    measure(
        criterion,
        ("ours", vocabulary, n_bytes),
        || Constraint::new(&spec),
        || SlotMatcher::new(&ours, &vocabulary.trie),
        &answer,
    );
    let our_course = course(
        &mut SlotMatcher::new(&ours, &vocabulary.trie),
        vocabulary,
        &answer,
    );
    drop(ours);

    let grammar = theirs::grammar(text);
    let refused = theirs::Compiler::new(vocabulary, theirs::default_limits())
        .compile(&grammar)
        .err();
    let compiler = theirs::Compiler::new(vocabulary, theirs::high_limits());
    let before = allocated();
    let theirs = compiler.compile(&grammar).unwrap();
    let their_memory = allocated() - before;
    measure(
        criterion,
        ("llguidance", vocabulary, n_bytes),
        || compiler.compile(&grammar).unwrap(),
        || theirs.fresh(),
        &answer,
    );
    let their_course = course(&mut theirs.fresh(), vocabulary, &answer);
    let counts = |course: Course, memory: isize, refused: Option<String>| Counts {
        memory,
        n_asked: course.masks.len(),
        n_forced: course.n_forced,
        worst_mask: course.masks.iter().max().copied().unwrap_or_default(),
        refused,
    };
    [
        counts(our_course, our_memory, None),
        counts(their_course, their_memory, refused),
    ]
}

fn measure<C, M: Matcher>(
    criterion: &mut Criterion,
    (side, vocabulary, n_bytes): (&str, &Vocabulary, usize),
    compile: impl Fn() -> C,
    begin: impl Fn() -> M,
    answer: &[u8],
) {
    let id = |metric: &str| BenchmarkId::new(metric, n_bytes);
    let mut group = criterion.benchmark_group(format!("{side} {}", vocabulary.name));
    group.sampling_mode(SamplingMode::Flat);
    group.bench_function(id("index"), |bencher| {
        bencher.iter_custom(|n| (0..n).map(|_| time_of(&compile)).sum());
    });
    group.bench_function(id("first mask"), |bencher| {
        bencher.iter_custom(|n| {
            (0..n)
                .map(|_| next_mask(&mut begin(), vocabulary, br#"{"old":""#))
                .sum()
        });
    });
    let run = || course(&mut begin(), vocabulary, answer);
    for (metric, of) in METRICS {
        group.bench_function(id(metric), |bencher| {
            bencher.iter_custom(|n| (0..n).map(|_| of(&run())).sum());
        });
    }
    group.finish();
}

/// Writes an answer as [`slotwright::engine::generate`] does, with a model that knows what it
/// wants.
fn course(matcher: &mut dyn Matcher, vocabulary: &Vocabulary, answer: &[u8]) -> Course {
    let mut course = Course {
        masks: Vec::new(),
        forced_runs: Vec::new(),
        n_forced: 0,
    };
    let mut last = None;
    loop {
        let started = now();
        let forced = matcher.take_forced(last, vocabulary).unwrap();
        let took = now() - started;
        if !forced.tokens.is_empty() {
            course.forced_runs.push(took);
            course.n_forced += forced.tokens.len();
        }
        if matcher.is_complete() {
            assert_eq!(
                String::from_utf8_lossy(matcher.answer()),
                String::from_utf8_lossy(answer)
            );
            return course;
        }
        let token = vocabulary.next(&answer[matcher.answer().len()..]);
        // Some of a mask's work may be left for the token that is taken.
        let started = now();
        let is_allowed = matcher.mask().unwrap().is_allowed(token);
        assert!(
            is_allowed,
            "{:?}",
            String::from_utf8_lossy(matcher.answer())
        );
        matcher.consume(token).unwrap();
        course.masks.push(now() - started);
        last = Some(token);
    }
}

/// The first some 400 bytes behind the middle of a text that stand there once, and the same with a
/// word before.
fn answer(text: &str) -> Vec<u8> {
    let line_ends: Vec<usize> = text
        .match_indices('\n')
        .map(|(i, _)| i)
        .filter(|&i| i > text.len() / 2)
        .collect();
    let candidates = line_ends.iter().map(|&start| {
        let end = line_ends
            .iter()
            .find(|&&end| end > start + 400)
            .copied()
            .unwrap_or(text.trim_end().len());
        text[start..end].trim_start()
    });
    let old = candidates
        .into_iter()
        .find(|old| text.matches(old).count() == 1)
        .expect("an edit without a place");
    serde_json::to_vec(&serde_json::json!({"old": old, "new": format!("new {old}")})).unwrap()
}

/// What else a model is asked: one of many paths, and any text.
fn paths_and_free_text(criterion: &mut Criterion, vocabulary: &Vocabulary) {
    let paths: Vec<String> = (0..N_PATHS)
        .map(|i| format!("src/module_{}/part_{}/file_{i}.rs", i % 97, i % 13))
        .collect();
    let operations = vec![Operation::Replace, Operation::Insert];
    let files = paths
        .iter()
        .map(|path| PickFile {
            path: path.clone(),
            operations: operations.clone(),
        })
        .collect();
    let spec = SlotSpec::Pick {
        files,
        may_create: false,
        goes_on: false,
        no_edit: NoEdit::ForAnyReason,
    };
    let schema = serde_json::json!({
        "type": "object",
        "properties": {"path": {"enum": paths}, "operation": {"enum": operations}},
        "required": ["path", "operation"],
        "additionalProperties": false,
    });
    let answer = serde_json::to_vec(
        &serde_json::json!({"path": paths[N_PATHS / 2], "operation": "replace"}),
    )
    .unwrap();
    let compiler = SchemaCompiler::new(&vocabulary.trie).unwrap();
    let ours = Constraint::new(&spec);
    let mut group = criterion.benchmark_group(format!("ours {}", vocabulary.name));
    group.bench_function("paths", |bencher| {
        bencher.iter_custom(|n| (0..n).map(|_| time_of(|| Constraint::new(&spec))).sum());
    });
    group.bench_function("median mask of a path", |bencher| {
        let run = || {
            median(
                &course(
                    &mut SlotMatcher::new(&ours, &vocabulary.trie),
                    vocabulary,
                    &answer,
                )
                .masks,
            )
        };
        bencher.iter_custom(|n| (0..n).map(|_| run()).sum());
    });
    let text = Constraint::new(&SlotSpec::Create {
        existing: vec![],
        spelled: vec![],
    });
    let in_text = br#"{"path":"a","text":""#;
    group.bench_function("first mask of free text", |bencher| {
        bencher.iter_custom(|n| {
            (0..n)
                .map(|_| {
                    next_mask(
                        &mut SlotMatcher::new(&text, &vocabulary.trie),
                        vocabulary,
                        in_text,
                    )
                })
                .sum()
        });
    });
    group.finish();
    let mut group = criterion.benchmark_group(format!("llguidance {}", vocabulary.name));
    group.bench_function("paths", |bencher| {
        bencher.iter_custom(|n| {
            (0..n)
                .map(|_| time_of(|| compiler.compile(&schema).unwrap()))
                .sum()
        });
    });
    group.bench_function("median mask of a path", |bencher| {
        let run =
            || median(&course(&mut compiler.compile(&schema).unwrap(), vocabulary, &answer).masks);
        bencher.iter_custom(|n| (0..n).map(|_| run()).sum());
    });
    let string = serde_json::json!({
        "type": "object",
        "properties": {"path": {"type": "string"}, "text": {"type": "string"}},
        "required": ["path", "text"]
    });
    group.bench_function("first mask of free text", |bencher| {
        bencher.iter_custom(|n| {
            (0..n)
                .map(|_| next_mask(&mut compiler.compile(&string).unwrap(), vocabulary, in_text))
                .sum()
        });
    });
    group.finish();
}

/// The time of the mask after these bytes.
fn next_mask(matcher: &mut dyn Matcher, vocabulary: &Vocabulary, bytes: &[u8]) -> Duration {
    for token in vocabulary.trie.greedy_tokenize(bytes) {
        matcher.consume(token).unwrap();
    }
    let started = now();
    matcher.mask().unwrap();
    now() - started
}

/// Of making something, not of dropping it.
fn time_of<T>(make: impl Fn() -> T) -> Duration {
    let started = now();
    let made = make();
    let took = now() - started;
    drop(std::hint::black_box(made));
    took
}

/// The processor's time for this thread so far.
#[allow(unsafe_code)]
fn now() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: it writes to the value that it is given.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(result, 0);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort();
    times[times.len() / 2]
}

/// This project's own sources, as often as needed, with other names each time.
fn corpus(n_bytes: usize) -> String {
    let sources = [
        include_str!("../../crates/text/src/text/shown.rs"),
        include_str!("../../crates/constrain/src/automaton.rs"),
        include_str!("../../crates/text/src/edit/mod.rs"),
        include_str!("../../src/flow/pick.rs"),
        include_str!("../../src/workspace/mod.rs"),
        include_str!("../../src/engine/process.rs"),
    ];
    let mut text = String::new();
    for round in 0.. {
        for source in sources {
            text.push_str(
                &source
                    .replace("text", &format!("text{round}"))
                    .replace("path", &format!("path{round}")),
            );
        }
        if text.len() >= n_bytes {
            break;
        }
    }
    text.truncate(text.floor_char_boundary(n_bytes));
    text
}

/// Counts what is allocated, so that memory is a count and not a guess from the system's.
struct Counting;

static ALLOCATED: AtomicIsize = AtomicIsize::new(0);

#[allow(unsafe_code)]
// SAFETY: all is the system's; only sizes are added up beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller's arguments.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: the caller's arguments.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocated() -> isize {
    ALLOCATED.load(Ordering::Relaxed)
}
