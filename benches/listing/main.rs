//! How long it takes to list 200 models, and how many bytes of their files are read for it.
//! Prints both.
//!
//! ```text
//! cargo bench --bench listing
//! ```
//!
//! The models are in an Ollama root, a tree of LM Studio's and a hub cache. Each has a vocabulary of
//! 150,000 tokens, and weights of 1 GB that are a hole in the file.

use slotwright::models::{Listing, Machine, Places, look};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

const MODELS: usize = 200;
const WEIGHTS: u64 = 1_000_000_000;

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let dir = tempfile::tempdir()?;
    let places = Places {
        ollama: vec![dir.path().join("ollama")],
        lm_studio: vec![dir.path().join("lmstudio")],
        hubs: vec![dir.path().join("hub")],
        ..Places::default()
    };
    let header = header();
    for i in 0..MODELS {
        put(dir.path(), i, &header)?;
    }
    let machine = Machine {
        memory: 8 << 30,
        threads: 2,
        has_device: false,
    };
    let mut times = Vec::new();
    let mut last = Listing::default();
    let mut chosen = None;
    for _ in 0..11 {
        let started = Instant::now();
        last = look(&places, |_| None);
        // As the command does it: the default too, and what is said of each model.
        chosen = last.default_model(&machine).map(|model| model.name.clone());
        for model in &last.models {
            std::hint::black_box((model.fits(&machine), model.reading_speed(&machine)));
        }
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    let n_models = last.models.len();
    if n_models != MODELS || chosen.is_none() {
        return Err(format!("{n_models} models, {chosen:?} chosen: {:?}", last.flawed).into());
    }
    let median = times[times.len() / 2];
    println!(
        "{n_models} models: {median:.1} ms (median of {}), {} bytes of each read, \
         of a header of {} and a file of {WEIGHTS}",
        times.len(),
        last.bytes_read / n_models as u64,
        header.len(),
    );
    Ok(())
}

/// Puts a model into one of the stores.
fn put(root: &Path, i: usize, header: &[u8]) -> Result<(), Error> {
    let digest = format!("{i:064x}");
    let write = |path: &Path| -> Result<(), Error> {
        fs::create_dir_all(path.parent().ok_or("a path without a folder")?)?;
        let mut file = File::create(path)?;
        file.write_all(header)?;
        // Of different sizes, so that no two are taken for copies.
        file.set_len(WEIGHTS + i as u64)?;
        Ok(())
    };
    match i % 3 {
        0 => {
            let root = root.join("ollama");
            write(&root.join(format!("blobs/sha256-{digest}")))?;
            let manifest = root.join(format!(
                "manifests/registry.ollama.ai/library/model-{i}/latest"
            ));
            fs::create_dir_all(manifest.parent().ok_or("a path without a folder")?)?;
            let layer = format!(
                r#"{{"mediaType":"application/vnd.ollama.image.model","digest":"sha256:{digest}"}}"#
            );
            fs::write(manifest, format!(r#"{{"layers":[{layer}]}}"#))?;
        }
        1 => write(&root.join(format!("lmstudio/models/org/m{i}-GGUF/m{i}-Q4_K_M.gguf")))?,
        _ => {
            let folder = root.join(format!("hub/models--org--m{i}-GGUF"));
            write(&folder.join(format!("snapshots/c0ffee/m{i}-Q4_K_M.gguf")))?;
            fs::create_dir_all(folder.join("refs"))?;
            fs::write(folder.join("refs/main"), "c0ffee")?;
        }
    }
    Ok(())
}

/// The metadata of a usual model.
fn header() -> Vec<u8> {
    let mut values = Vec::new();
    let mut n_values = 0u64;
    let text = |out: &mut Vec<u8>, text: &str| {
        out.extend((text.len() as u64).to_le_bytes());
        out.extend(text.as_bytes());
    };
    let mut key = |values: &mut Vec<u8>, name: &str, kind: u32| {
        n_values += 1;
        text(values, name);
        values.extend(kind.to_le_bytes());
    };
    for (name, value) in [
        ("general.architecture", "llama"),
        ("tokenizer.ggml.model", "gpt2"),
    ] {
        key(&mut values, name, 8);
        text(&mut values, value);
    }
    for (name, value) in [("context_length", 32_768u32), ("block_count", 28)] {
        key(&mut values, &format!("llama.{name}"), 4);
        values.extend(value.to_le_bytes());
    }
    for name in ["tokens", "merges"] {
        key(&mut values, &format!("tokenizer.ggml.{name}"), 9);
        values.extend(8u32.to_le_bytes());
        values.extend(150_000u64.to_le_bytes());
        for i in 0..150_000 {
            text(&mut values, &format!("token {i}"));
        }
    }
    key(&mut values, "tokenizer.chat_template", 8);
    text(&mut values, "{{ messages }}");
    let mut out = b"GGUF".to_vec();
    out.extend(3u32.to_le_bytes());
    out.extend(1u64.to_le_bytes());
    out.extend(n_values.to_le_bytes());
    out.extend(values);
    out
}
