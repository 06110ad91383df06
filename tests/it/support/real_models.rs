//! Models that people use, where this machine has them. benches/README.md says which files they are.

use std::path::PathBuf;

/// Small ones that know what an instruction is, the quickest first.
const SMALL: [&str; 2] = [
    "smollm2-135m-instruct-q4_1.gguf",
    "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
];

/// The quickest real model in `$SLOTWRIGHT_TEST_MODELS` or in the cache of Hugging Face. None, with
/// a message, if neither has one.
pub fn small() -> Option<PathBuf> {
    first_of(&SMALL)
}

/// The quickest one that an adapter of ours is for, likewise.
pub fn with_adapter() -> Option<PathBuf> {
    first_of(&SMALL[1..])
}

/// The ablest one that an adapter of ours is for, likewise.
pub fn ablest() -> Option<PathBuf> {
    first_of(&["qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"])
}

fn first_of(names: &[&str]) -> Option<PathBuf> {
    let folders = folders();
    let found = names
        .iter()
        .find_map(|name| folders.iter().map(|f| f.join(name)).find(|p| p.is_file()));
    if found.is_none() {
        println!(
            "skipped: no real model here ({}; SLOTWRIGHT_TEST_MODELS names their folder)",
            names.join(", ")
        );
    }
    found
}

fn folders() -> Vec<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let hub = variable("HF_HUB_CACHE")
        .or_else(|| Some(variable("HF_HOME")?.join("hub")))
        .or_else(|| Some(variable("HOME")?.join(".cache/huggingface/hub")));
    let below = |folder: PathBuf| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    // models--OWNER--NAME/snapshots/COMMIT
    let repositories = hub.map(below).unwrap_or_default();
    let snapshots = repositories
        .into_iter()
        .flat_map(|folder| below(folder.join("snapshots")));
    variable("SLOTWRIGHT_TEST_MODELS")
        .into_iter()
        .chain(snapshots)
        .collect()
}
