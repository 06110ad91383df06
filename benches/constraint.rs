//! What the constraint costs: `./x bench`. Figures to read, not to pass: machines differ, and are shared.
//!
//! The vocabulary is the one of the GGUF file named by `SLOTWRIGHT_BENCH_VOCAB`, else Qwen2's (152,000
//! tokens) if it lies in `../shared/vocabs`, else one of as many made-up tokens.

use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use slotwright::constrain::mask::{Matcher, SlotMatcher, TokenId};
use slotwright::constrain::{Constraint, PickFile, Spec};
use slotwright::slots::Operation;
use slotwright::text::Shown;
use std::alloc::{GlobalAlloc, Layout, System};
use std::path::PathBuf;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::time::Instant;
use toktrie::{TokRxInfo, TokTrie};

fn main() {
    let (name, trie) = vocabulary();
    println!("vocabulary: {name}, {} tokens\n", trie.vocab_size());
    println!(
        "{:>10} {:>10} {:>10} {:>14} {:>16} {:>15} {:>8}",
        "text", "build, ms", "memory, MB", "first mask, ms", "median mask, ms", "worst mask, ms", "masks"
    );
    for n_bytes in [1_000, 10_000, 100_000, 1_000_000] {
        excerpt(n_bytes, &trie);
    }
    paths(10_000, &trie);
    free_text(&trie);
}

/// Copies 2,000 bytes out of the middle of a text, token by token.
fn excerpt(n_bytes: usize, trie: &TokTrie) {
    let text = corpus(n_bytes);
    let spec = Spec::Replace { shown: Shown::whole(&text) };
    let before = allocated_mb();
    let started = Instant::now();
    let constraint = Constraint::new(&spec);
    let build = milliseconds(started);
    let memory = allocated_mb() - before;
    let mut matcher = SlotMatcher::new(&constraint, trie);
    take(&mut matcher, trie, br#"{"old":""#);
    let started = Instant::now();
    let n_allowed = matcher.mask().unwrap().num_set();
    let first = milliseconds(started);
    assert!(n_allowed > 0);
    let start = text[n_bytes / 2..].find("fn ").map_or(0, |i| i + n_bytes / 2);
    let end = text.floor_char_boundary((start + 2_000).min(text.len() - 1));
    let escaped = serde_json::to_vec(&text[start..end]).unwrap();
    let mut times = Vec::new();
    for token in trie.greedy_tokenize(&escaped[1..escaped.len() - 1]) {
        let started = Instant::now();
        let allowed = matcher.mask().unwrap().is_allowed(token);
        times.push(milliseconds(started));
        assert!(allowed);
        matcher.consume(token).unwrap();
    }
    times.sort_by(f64::total_cmp);
    println!(
        "{:>10} {build:>10.2} {memory:>10.1} {first:>14.3} {:>16.4} {:>15.3} {:>8}",
        format!("{} KB", n_bytes / 1_000),
        times[times.len() / 2],
        times[times.len() - 1],
        times.len()
    );
}

fn paths(n: usize, trie: &TokTrie) {
    let files: Vec<PickFile> = (0..n)
        .map(|i| PickFile {
            path: format!("src/module_{}/part_{}/file_{i}.rs", i % 97, i % 13),
            operations: vec![Operation::Replace],
        })
        .collect();
    let wanted = serde_json::to_vec(&files[n / 2].path).unwrap();
    let started = Instant::now();
    let constraint = Constraint::new(&Spec::Pick { files, may_create: true });
    let build = milliseconds(started);
    let mut matcher = SlotMatcher::new(&constraint, trie);
    take(&mut matcher, trie, br#"{"path":""#);
    let mut times = Vec::new();
    for token in trie.greedy_tokenize(&wanted[1..wanted.len() - 1]) {
        let started = Instant::now();
        assert!(matcher.mask().unwrap().is_allowed(token));
        times.push(milliseconds(started));
        matcher.consume(token).unwrap();
    }
    times.sort_by(f64::total_cmp);
    println!(
        "\n{n} paths: build {build:.2} ms, median mask {:.4} ms, worst {:.3} ms",
        times[times.len() / 2],
        times[times.len() - 1]
    );
}

fn free_text(trie: &TokTrie) {
    let constraint = Constraint::new(&Spec::Create { existing: vec![] });
    let mut matcher = SlotMatcher::new(&constraint, trie);
    take(&mut matcher, trie, br#"{"path":"a","text":""#);
    let started = Instant::now();
    let n_allowed = matcher.mask().unwrap().num_set();
    let first = milliseconds(started);
    let started = Instant::now();
    matcher.mask().unwrap();
    println!("free text: {n_allowed} tokens allowed, first mask {first:.3} ms, then {:.4} ms", milliseconds(started));
}

fn take(matcher: &mut dyn Matcher, trie: &TokTrie, bytes: &[u8]) {
    for token in trie.greedy_tokenize(bytes) {
        matcher.consume(token).unwrap();
    }
}

/// This project's own sources, as often as needed, with other names each time.
fn corpus(n_bytes: usize) -> String {
    let sources = [
        include_str!("../src/text/shown.rs"),
        include_str!("../src/constrain/mod.rs"),
        include_str!("../src/edit/mod.rs"),
        include_str!("../src/flow.rs"),
        include_str!("../src/workspace/mod.rs"),
        include_str!("../src/engine/process.rs"),
    ];
    let mut text = String::new();
    for round in 0.. {
        for source in sources {
            text.push_str(&source.replace("text", &format!("text{round}")).replace("path", &format!("path{round}")));
        }
        if text.len() >= n_bytes {
            break;
        }
    }
    text.truncate(text.floor_char_boundary(n_bytes));
    text
}

fn vocabulary() -> (String, TokTrie) {
    let shared = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/vocabs/ggml-vocab-qwen2.gguf");
    let named = std::env::var_os("SLOTWRIGHT_BENCH_VOCAB").map(PathBuf::from);
    let pieces: Vec<Vec<u8>>;
    let name;
    if let Some(path) = named.or_else(|| shared.exists().then_some(shared)) {
        let mut backend = LlamaBackend::init().unwrap();
        backend.void_logs();
        let model = LlamaModel::load_from_file(&backend, &path, &LlamaModelParams::default().with_vocab_only(true)).unwrap();
        pieces = model.tokens(false).map(|(_, piece)| piece).collect();
        name = path.file_name().unwrap().to_string_lossy().into_owned();
    } else {
        pieces = (0..=254u8)
            .map(|b| vec![b])
            .chain(
                (0..152_000u32)
                    .map(|i| format!("{}{:x}", ["", " ", "_", "\""][i as usize % 4], i.wrapping_mul(2_654_435_761)).into_bytes()),
            )
            .collect();
        name = "made up".to_owned();
    }
    (name, TokTrie::from(&TokRxInfo::new(pieces.len() as TokenId, 0), &pieces))
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
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

fn allocated_mb() -> f64 {
    ALLOCATED.load(Ordering::Relaxed) as f64 / 1e6
}
