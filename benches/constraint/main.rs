//! What the constraint costs, beside llguidance's for the same task: `./x bench constraint` prints a
//! table for each vocabulary. Read the ratios, since machines differ and are shared.
//!
//! The task is one edit of a file of 1 KB to 1 MB: an answer is written whose `old` is copied out
//! of the middle of the file. No model is asked. Whatever the answer wants next is chosen where the
//! mask leaves a choice, so that what is left is the constraint. Times are medians of ten runs, of
//! the processor's time for this thread (the constraint needs one).

mod theirs;
mod vocabulary;

use slotwright::constrain::mask::{Matcher, SlotMatcher};
use slotwright::constrain::{Constraint, SlotSpec};
use slotwright::text::Shown;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering};
use std::time::Duration;
use toktrie::TokTrie;
use vocabulary::Vocabulary;

/// Bytes of the files.
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// Runs of which the median is taken.
const RUNS: usize = 10;

/// What one constraint took for one edit.
struct Figures {
    /// Allocated for the compiled constraint, in bytes.
    memory: isize,
    index: Duration,
    first_mask: Duration,
    median_mask: Duration,
    worst_mask: Duration,
    forced_run: Duration,
    /// Writing the answer, without the index.
    answer: Duration,
}

/// The times of writing one answer.
#[derive(Default)]
struct Course {
    masks: Vec<Duration>,
    forced_runs: Vec<Duration>,
}

fn main() {
    let texts = SIZES.map(corpus);

    for vocabulary in vocabulary::three_largest() {
        let n_tokens = vocabulary.trie.vocab_size();
        println!(
            "\n{}, {n_tokens} tokens: ours; llguidance / ours\n",
            vocabulary.name
        );
        println!("| | 1 KB | 10 KB | 100 KB | 1 MB |\n|---|---:|---:|---:|---:|");
        let edits: Vec<[Figures; 2]> = texts.iter().map(|text| edit(&vocabulary, text)).collect();
        print_row("index", &edits, |figures| figures.index);
        print_row("first mask", &edits, |figures| figures.first_mask);
        print_row("median mask", &edits, |figures| figures.median_mask);
        print_row("worst mask", &edits, |figures| figures.worst_mask);
        print_row("forced run", &edits, |figures| figures.forced_run);
        print_row("whole edit", &edits, |figures| {
            figures.index + figures.answer
        });

        let memory = edits.iter().map(|[ours, theirs]| {
            let ratio = theirs.memory as f64 / ours.memory as f64;
            format!(" {:.2} MB; {ratio:.0}× |", ours.memory as f64 / 1e6)
        });
        println!("| memory |{}", memory.collect::<String>());
    }
}

fn print_row(name: &str, edits: &[[Figures; 2]], of: fn(&Figures) -> Duration) {
    let cells = edits.iter().map(|[ours, theirs]| {
        let ratio = of(theirs).as_secs_f64() / of(ours).as_secs_f64();
        format!(" {:.4} ms; {ratio:.2}× |", of(ours).as_secs_f64() * 1e3)
    });
    println!("| {name} |{}", cells.collect::<String>());
}

/// A compiled constraint, and what writes an answer under it.
trait Compiled {
    fn begin(&self) -> Box<dyn Matcher + '_>;
}

struct Ours<'t>(Constraint, &'t TokTrie);

impl Compiled for Ours<'_> {
    fn begin(&self) -> Box<dyn Matcher + '_> {
        Box::new(SlotMatcher::new(&self.0, self.1))
    }
}

impl Compiled for theirs::Theirs {
    fn begin(&self) -> Box<dyn Matcher + '_> {
        Box::new(self.fresh())
    }
}

/// One edit, ours and theirs.
fn edit(vocabulary: &Vocabulary, text: &str) -> [Figures; 2] {
    // Without blocks, which llguidance's grammar cannot have.
    let spec = SlotSpec::Replace {
        shown: Shown::whole(text),
        blocks: false,
    };
    let answer = answer(text);
    let ours = measure(vocabulary, &answer, || {
        Ours(Constraint::new(&spec), &vocabulary.trie)
    });

    let grammar = theirs::grammar(text);
    let compiler = theirs::Compiler::new(vocabulary);
    let theirs = measure(vocabulary, &answer, || compiler.compile(&grammar).unwrap());

    [ours, theirs]
}

fn measure<C: Compiled>(
    vocabulary: &Vocabulary,
    answer: &[u8],
    compile: impl Fn() -> C,
) -> Figures {
    let before = allocated();
    let compiled = compile();
    let memory = allocated() - before;

    let courses: Vec<Course> = (0..RUNS)
        .map(|_| write(compiled.begin().as_mut(), vocabulary, answer))
        .collect();

    Figures {
        memory,
        index: median((0..RUNS).map(|_| time_of(&compile))),
        first_mask: median(
            (0..RUNS).map(|_| mask_after(compiled.begin().as_mut(), vocabulary, br#"{"old":""#)),
        ),
        median_mask: median(
            courses
                .iter()
                .map(|course| median(course.masks.iter().copied())),
        ),
        worst_mask: median(
            courses
                .iter()
                .map(|course| *course.masks.iter().max().unwrap()),
        ),
        forced_run: median(
            courses
                .iter()
                .map(|course| median(course.forced_runs.iter().copied())),
        ),
        answer: median(
            courses
                .iter()
                .map(|course| course.masks.iter().chain(&course.forced_runs).sum()),
        ),
    }
}

/// Writes an answer as [`slotwright::engine::generate`] does, with a model that knows what it
/// wants.
fn write(matcher: &mut dyn Matcher, vocabulary: &Vocabulary, answer: &[u8]) -> Course {
    let mut course = Course::default();
    let mut last = None;
    loop {
        let started = now();
        let forced = matcher.take_forced(last, vocabulary).unwrap();
        let took = now() - started;
        if !forced.tokens.is_empty() {
            course.forced_runs.push(took);
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

/// The time of the mask after these bytes.
fn mask_after(matcher: &mut dyn Matcher, vocabulary: &Vocabulary, bytes: &[u8]) -> Duration {
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

fn median(times: impl Iterator<Item = Duration>) -> Duration {
    let mut times: Vec<Duration> = times.collect();
    times.sort();
    times[times.len() / 2]
}

/// This project's own sources, as often as needed, with other names each time.
fn corpus(n_bytes: usize) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/flow");
    let files = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    let sources: Vec<String> = paths
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();

    let mut text = String::new();
    for round in 0.. {
        for source in &sources {
            let renamed = source.replace("text", &format!("text{round}"));
            text.push_str(&renamed.replace("path", &format!("path{round}")));
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
