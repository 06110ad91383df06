//! A portable build has libraries: they are put beside the binary, and it is told to look there.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    // llama.cpp's build says where its variants are, in a portable build alone.
    let Some(variants) = env::var_os("DEP_LLAMA_BACKENDS_DIR") else { return Ok(()) };
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return Ok(());
    }
    // Into RPATH, not RUNPATH: that is searched after LD_LIBRARY_PATH, an empty entry of which means the current
    // folder.
    println!("cargo:rustc-link-arg-bins=-Wl,--disable-new-dtags,-rpath,$ORIGIN");
    let out = env::var_os("OUT_DIR").unwrap_or_default();
    let beside = Path::new(&out).ancestors().nth(3).unwrap_or(Path::new("."));
    copy(Path::new(&variants), beside, |name| name.ends_with(".so"))?;
    // Of libllama.so, libllama.so.0 and libllama.so.0.1.2 the loader asks for the middle one.
    let is_asked_for = |name: &str| name.rsplit_once(".so.").is_some_and(|(_, version)| !version.contains('.'));
    copy(&Path::new(&variants).with_file_name("lib"), beside, is_asked_for)
}

/// Copies what links lead to, under the link's own name. (The crate that builds llama.cpp copies links.)
fn copy(from: &Path, to: &Path, is_wanted: impl Fn(&str) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_str().is_some_and(&is_wanted) {
            let place = to.join(&name);
            // Whoever runs the old one goes on with it.
            fs::remove_file(&place).or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })?;
            fs::copy(entry.path(), place)?;
        }
    }
    Ok(())
}
