//! `install.sh` of the archive: it installs, and takes away what it installed and nothing else.
//! `./x dist` runs this on the unpacked archive; elsewhere a folder with the same files is made.

use crate::support::{PROGRAM, Run, quiet, run};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The unpacked archive. The second value removes it.
fn archive() -> (PathBuf, Option<tempfile::TempDir>) {
    if let Some(program) = std::env::var_os("SLOTWRIGHT_PROGRAM") {
        return (Path::new(&program).parent().unwrap().to_path_buf(), None);
    }
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().to_path_buf();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::copy(PROGRAM, place.join("slotwright")).unwrap();
    fs::copy(
        sources.join("packaging/install.sh"),
        place.join("install.sh"),
    )
    .unwrap();
    for file in ["NOTICE", "LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(sources.join(file), place.join(file)).unwrap();
    }
    fs::create_dir(place.join("completions")).unwrap();
    for (shell, name) in [
        ("bash", "slotwright.bash"),
        ("zsh", "_slotwright"),
        ("fish", "slotwright.fish"),
    ] {
        let script = run(Command::new(PROGRAM).args(["completions", shell]))
            .says(0, "")
            .stdout;
        fs::write(place.join("completions").join(name), script).unwrap();
    }
    run(Command::new(PROGRAM).arg("man").arg(place.join("man"))).says(0, "");
    (place, Some(dir))
}

fn install(archive: &Path, prefix: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new("sh");
    command
        .arg(archive.join("install.sh"))
        .args(arguments)
        .arg("--prefix")
        .arg(prefix);
    Run::from(quiet(&mut command).output().unwrap())
}

/// Everything below a folder, relative to it.
fn all_below(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(inner).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            }
            found.insert(entry.path().strip_prefix(folder).unwrap().to_path_buf());
        }
    }
    found
}

#[test]
fn what_is_installed_runs_and_is_removed_again() {
    let (archive, _dir) = archive();
    let aside = tempfile::tempdir().unwrap();
    let prefix = aside.path().join("a prefix");
    fs::create_dir_all(prefix.join("share/man/man1")).unwrap();
    fs::write(prefix.join("share/man/man1/other.1"), "theirs").unwrap();
    let before = all_below(&prefix);

    // Twice: an update takes the place of what is there.
    for _ in 0..2 {
        install(&archive, &prefix, &[]).says(0, "installed slotwright in");
    }
    let program = prefix.join("bin/slotwright");
    let version = run(Command::new(&program).arg("--version"))
        .says(0, "")
        .stdout;
    assert_eq!(
        version,
        format!("slotwright {}\n", env!("CARGO_PKG_VERSION"))
    );
    let installed = all_below(&prefix);
    for path in [
        "lib/slotwright/NOTICE",
        "share/bash-completion/completions/slotwright",
        "share/zsh/site-functions/_slotwright",
        "share/fish/vendor_completions.d/slotwright.fish",
        "share/man/man1/slotwright.1",
        "share/man/man1/slotwright-edit.1",
    ] {
        assert!(installed.contains(Path::new(path)), "{path} is missing");
    }

    install(&archive, &prefix, &["--remove"]).says(0, "removed slotwright from");
    assert_eq!(all_below(&prefix), before);
    install(&archive, &prefix, &["--remove"]).says(1, "nothing was installed in");
}

#[test]
fn files_of_others_are_neither_overwritten_nor_removed() {
    let (archive, _dir) = archive();
    let prefix = tempfile::tempdir().unwrap();
    fs::create_dir(prefix.path().join("bin")).unwrap();
    let theirs = prefix.path().join("bin/slotwright");
    fs::write(&theirs, "theirs").unwrap();
    let before = all_below(prefix.path());
    install(&archive, prefix.path(), &[]).says(1, "was not put there by install.sh");
    assert_eq!(all_below(prefix.path()), before);
    assert_eq!(fs::read(&theirs).unwrap(), b"theirs");

    fs::remove_file(&theirs).unwrap();
    install(&archive, prefix.path(), &[]).says(0, "installed");
    let own = prefix.path().join("lib/slotwright/notes");
    fs::write(&own, "theirs").unwrap();
    install(&archive, prefix.path(), &["--remove"]).says(0, "removed");
    let left: Vec<PathBuf> = all_below(prefix.path()).into_iter().collect();
    let expected = ["bin", "lib", "lib/slotwright", "lib/slotwright/notes"];
    assert_eq!(left, expected.map(PathBuf::from));
}

#[test]
fn an_archive_that_is_not_whole_changes_nothing() {
    let (archive, dir) = archive();
    if dir.is_none() {
        return; // the archive itself stays as it is
    }
    let prefix = tempfile::tempdir().unwrap();
    install(&archive, prefix.path(), &[]).says(0, "installed");
    let before = all_below(prefix.path());
    fs::remove_file(archive.join("completions/_slotwright")).unwrap();
    install(&archive, prefix.path(), &[]).says(1, "is missing: unpack the whole archive again");
    assert_eq!(all_below(prefix.path()), before);
    install(&archive, prefix.path(), &["--nonsense"]).says(1, "usage: ");
}
