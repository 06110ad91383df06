//! Loads the libraries that compute, in a build that brings several (`portable`).
//!
//! Some are llama.cpp's CPU code for one kind of processor each, and score how well they suit the
//! present one. Others are for one kind of device each. llama.cpp's own search for libraries is not used. If it finds nothing it continues
//! in the current folder, and it loads whatever `GGML_BACKEND_PATH` names. Here a library is loaded
//! only from the program's own folder, by its absolute path.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// This variant is never chosen, since its AMX code kills the process. Compilers drop most of the
/// tile configuration that llama.cpp hands to the processor: GCC 12 assumes that `ldtilecfg` reads
/// 8 bytes, but it reads 64. See <https://github.com/ggml-org/llama.cpp/pull/26954>. Processors
/// with AMX get the next best variant, which uses all of AVX-512.
const LEFT_OUT: [&str; 1] = ["sapphirerapids"];

/// Loads the variant that suits this processor best, and returns its name, such as `haswell`.
pub(super) fn load_best() -> Result<String, String> {
    let folder = own_folder()
        .map_err(|error| format!("the program's own folder cannot be found: {error}"))?;
    let found = variants(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let scored = found
        .into_iter()
        .map(|(name, path)| (score(&path), name, path));
    // Among equals the first name wins, so that every run takes the same variant.
    let best = scored
        .filter(|&(score, ..)| score > 0)
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    match best {
        Some((_, name, path)) if load(&path) => Ok(name),
        Some((_, _, path)) => Err(format!("{} cannot be loaded; {MEND}", path.display())),
        None => Err(format!(
            "no library for this processor (libggml-cpu-*.so) in {}; {MEND}",
            folder.display()
        )),
    }
}

const MEND: &str = "unpack the whole archive again and keep its folder together";

/// The program's folder, with all links followed.
fn own_folder() -> std::io::Result<PathBuf> {
    let program = std::env::current_exe()?.canonicalize()?;
    Ok(program.parent().map(Path::to_path_buf).unwrap_or_default())
}

/// Loads the code for devices. Returns what cannot be used, each with the reason: mostly there is no
/// driver, which is no fault.
pub(super) fn load_devices() -> Vec<String> {
    let found = own_folder().and_then(|folder| libraries(&folder, "libggml-"));
    let of_devices = found.unwrap_or_default().into_iter().filter(|(name, _)| {
        let kind = name.split('-').next();
        !matches!(kind, Some("cpu" | "base"))
    });
    let loaded = of_devices.map(|(kind, path)| (kind, open(&path)));
    let unusable = loaded.filter_map(|(kind, opened)| Some(format!("{kind}: {}", opened.err()?)));
    unusable.collect()
}

/// Makes llama.cpp know the devices of the library at this absolute path, or says why there are none.
fn open(path: &Path) -> Result<(), String> {
    let c_path = CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    // SAFETY: the path has a slash, so no search takes place, and the library is of our own folder.
    // What `dlerror` returns is a string until the next such call of this thread. The library stays
    // open, and llama.cpp opens it once more.
    unsafe {
        if libc::dlopen(c_path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL).is_null() {
            let reason = libc::dlerror();
            return Err(if reason.is_null() {
                "it cannot be loaded".to_owned()
            } else {
                CStr::from_ptr(reason).to_string_lossy().into_owned()
            });
        }
        let backend = llama_cpp_sys_2::ggml_backend_load(c_path.as_ptr());
        if backend.is_null() || llama_cpp_sys_2::ggml_backend_reg_dev_count(backend) == 0 {
            return Err("there is no such device here, or no driver for it".to_owned());
        }
    }
    Ok(())
}

/// The variants of the CPU code in a folder, sorted by name.
fn variants(folder: &Path) -> std::io::Result<Vec<(String, PathBuf)>> {
    let mut variants = libraries(folder, "libggml-cpu-")?;
    variants.retain(|(name, _)| !LEFT_OUT.contains(&name.as_str()));
    Ok(variants)
}

/// The libraries in a folder whose names begin so, by the rest of their names, sorted.
fn libraries(folder: &Path, beginning: &str) -> std::io::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let rest = name.and_then(|name| name.strip_prefix(beginning));
        if let Some(rest) = rest.and_then(|rest| rest.strip_suffix(".so")) {
            found.push((rest.to_owned(), path));
        }
    }
    found.sort();
    Ok(found)
}

/// The score that the library at this absolute path gives itself. 0 if the processor cannot run it,
/// or if the file is not such a library.
fn score(path: &Path) -> i32 {
    const SCORE: &CStr = c"ggml_backend_score";
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else {
        return 0;
    };
    // SAFETY: the path has a slash, so no search takes place. Opening and scoring run llama.cpp's
    // code from our own folder, which is compiled for any processor. The function of that name
    // takes no arguments and returns an int. Nothing of the library is used after it is closed.
    unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        if library.is_null() {
            return 0;
        }
        let symbol = libc::dlsym(library, SCORE.as_ptr());
        let score = if symbol.is_null() {
            0
        } else {
            std::mem::transmute::<*mut libc::c_void, extern "C" fn() -> i32>(symbol)()
        };
        libc::dlclose(library);
        score
    }
}

/// Makes llama.cpp compute with the library at this absolute path. Returns whether that worked.
fn load(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else {
        return false;
    };
    // SAFETY: the path is a string that lives for the call. The library is never unloaded.
    unsafe { !llama_cpp_sys_2::ggml_backend_load(path.as_ptr()).is_null() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variants_are_tried_and_none_with_amx() {
        let dir = tempfile::tempdir().unwrap();
        for name in [
            "libggml-cpu-x64.so",
            "libggml-cpu-haswell.so",
            "libggml-cpu-sapphirerapids.so",
            "libggml-cpu.so",
        ] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        std::fs::write(dir.path().join("libggml-vulkan.so"), "").unwrap();
        let names: Vec<String> = variants(dir.path())
            .unwrap()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["haswell", "x64"]);
    }

    #[test]
    fn what_is_no_library_has_no_score() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("libggml-cpu-x64.so");
        std::fs::write(&path, "text").unwrap();
        assert_eq!((score(&path), load(&path)), (0, false));
    }
}
