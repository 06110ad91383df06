//! The suites of `evals/` go into the binary; a portable build has libraries, which are put beside
//! the binary, and it is told to look there.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    bundle_suites()?;
    // llama.cpp's build says where its variants are, in a portable build alone.
    let Some(variants) = env::var_os("DEP_LLAMA_BACKENDS_DIR") else {
        return Ok(());
    };
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return Ok(());
    }
    // Into RPATH, not RUNPATH: that is searched after LD_LIBRARY_PATH, an empty entry of which
    // means the current folder.
    println!("cargo:rustc-link-arg-bins=-Wl,--disable-new-dtags,-rpath,$ORIGIN");
    let out = env::var_os("OUT_DIR").unwrap_or_default();
    let beside = Path::new(&out).ancestors().nth(3).unwrap_or(Path::new("."));
    copy(Path::new(&variants), beside, |name| name.ends_with(".so"))?;
    // Of libllama.so, libllama.so.0 and libllama.so.0.1.2 the loader asks for the middle one.
    let is_asked_for = |name: &str| {
        name.rsplit_once(".so.")
            .is_some_and(|(_, version)| !version.contains('.'))
    };
    copy(
        &Path::new(&variants).with_file_name("lib"),
        beside,
        is_asked_for,
    )
}

/// A list of paths and what is in them, as Rust has it.
fn bundle_suites() -> io::Result<()> {
    println!("cargo:rerun-if-changed=evals");
    let evals = Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("evals");
    let mut files = Vec::new();
    let mut folders = vec![evals.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    let line = |path: &PathBuf| {
        let name: Vec<_> = path
            .strip_prefix(&evals)
            .into_iter()
            .flatten()
            .map(|part| part.to_string_lossy())
            .collect();
        format!("    ({:?}, include_bytes!({path:?})),\n", name.join("/"))
    };
    let list = format!("&[\n{}]\n", files.iter().map(line).collect::<String>());
    fs::write(
        Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("bundled_suites.rs"),
        list,
    )
}

/// Copies what links lead to, under the link's own name. (The crate that builds llama.cpp copies
/// links.)
fn copy(from: &Path, to: &Path, is_wanted: impl Fn(&str) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_str().is_some_and(&is_wanted) {
            let place = to.join(&name);
            // Whoever runs the old one goes on with it.
            fs::remove_file(&place).or_else(|error| {
                if error.kind() == io::ErrorKind::NotFound {
                    Ok(())
                } else {
                    Err(error)
                }
            })?;
            fs::copy(entry.path(), place)?;
        }
    }
    Ok(())
}
