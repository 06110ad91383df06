//! The environment variables that a command gets, and the paths that it may read.
//!
//! Both are lists of what is known to be needed. Nothing else is passed on, since environments hold
//! secrets, and nothing else under the person's home is readable.

use super::folder::SandboxFolder;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Folders of the system.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/snap",
    "/run/current-system",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/var/lib/ghc",
];

/// Settings of the system. What in them is not for everybody, such as passwords, is not for
/// commands of root either.
const SETTINGS: &str = "/etc";

/// Parts of the person's home that hold tools. Never a whole folder of settings: `~/.cargo` has
/// tokens in it.
const HOME_PARTS: &[&str] = &[
    ".local/bin",
    ".local/lib",
    ".local/share/uv",
    ".local/share/pipx",
    ".local/share/mise",
    ".local/share/fnm",
    ".local/share/pnpm",
    ".local/share/rtx",
    ".rustup",
    "go",
    ".pyenv",
    ".rbenv",
    ".nvm",
    ".volta",
    ".asdf",
    ".sdkman",
    ".jenv",
    ".nodenv",
    ".goenv",
    ".deno/bin",
    ".bun/bin",
    ".bun/install/cache",
    ".gem",
    ".ghcup",
    ".opam",
    ".elan",
    ".juliaup",
    ".nix-profile",
    "miniconda3",
    "anaconda3",
    "miniforge3",
    ".m2/repository",
    ".gradle/caches",
    ".gradle/wrapper",
    ".dotnet",
    ".nuget/packages",
    ".cache/ms-playwright",
];

/// Parts of CARGO_HOME, wherever that is. The settings may name another registry, without which
/// nothing builds.
const CARGO_PARTS: &[&str] = &["bin", "registry", "git", "config.toml", "config", "env"];

/// Variables that name a folder of tools: passed on, and the folder is readable.
const TOOL_FOLDERS: &[&str] = &[
    "RUSTUP_HOME",
    "GOROOT",
    "GOPATH",
    "GOMODCACHE",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "NVM_DIR",
    "NVM_BIN",
    "VOLTA_HOME",
    "ASDF_DIR",
    "ASDF_DATA_DIR",
    "MISE_DATA_DIR",
    "JAVA_HOME",
    "DOTNET_ROOT",
    "SDKMAN_DIR",
    "GEM_HOME",
    "RBENV_ROOT",
    "PNPM_HOME",
    "BUN_INSTALL",
    "LIBCLANG_PATH",
];

/// Variables that are passed on as they are.
const PASSED_ON: &[&str] = &[
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "TZ",
    "USER",
    "LOGNAME",
    "RUSTUP_TOOLCHAIN",
    "PYENV_VERSION",
    "RBENV_VERSION",
    "CC",
    "CXX",
    "PKG_CONFIG_PATH",
    "LD_LIBRARY_PATH",
    "NIX_PROFILES",
];

/// Said to every command: no network, no traces in the copy, no colours.
const SAID: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("CARGO_NET_OFFLINE", "true"),
    ("GOPROXY", "off"),
    ("GOTOOLCHAIN", "local"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("PIP_NO_INDEX", "1"),
    ("npm_config_offline", "true"),
    ("npm_config_update_notifier", "false"),
];

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

fn home() -> Option<PathBuf> {
    etcetera::home_dir()
        .ok()
        .filter(|home| home.is_absolute() && home.parent().is_some())
}

/// The environment of commands in the copy of `root`.
pub(super) fn of(root: &Path, sandbox: &SandboxFolder) -> Vec<(OsString, OsString)> {
    let mut environment: Vec<(OsString, OsString)> = SAID
        .iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    let mut set = |name: &str, value: &OsStr| environment.push((name.into(), value.into()));
    for name in TOOL_FOLDERS.iter().chain(PASSED_ON) {
        if let Some(value) = variable(name) {
            set(name, in_copy(Path::new(&value), root, sandbox).as_os_str());
        }
    }
    // HOME is another one, so what tools keep there must be named.
    if let Some(home) = home() {
        for (name, part) in [
            ("CARGO_HOME", ".cargo"),
            ("RUSTUP_HOME", ".rustup"),
            ("GOMODCACHE", "go/pkg/mod"),
        ] {
            let folder = home.join(part);
            match variable(name) {
                Some(folder) if name == "CARGO_HOME" => set(name, &folder),
                None if folder.is_dir() => set(name, folder.as_os_str()),
                _ => {}
            }
        }
    }
    let path = variable("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    let folders = std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| in_copy(&folder, root, sandbox));
    set(
        "PATH",
        &std::env::join_paths(folders).unwrap_or_else(|_| "/usr/bin:/bin".into()),
    );
    set("HOME", sandbox.home().as_os_str());
    for name in ["TMPDIR", "TMP", "TEMP"] {
        set(name, sandbox.temporary().as_os_str());
    }
    environment
}

/// A folder under the root, such as a virtual environment's, as the copy has it.
fn in_copy(folder: &Path, root: &Path, sandbox: &SandboxFolder) -> PathBuf {
    match folder.strip_prefix(root) {
        Ok(inside) if !root.as_os_str().is_empty() => sandbox.copy().join(inside),
        _ => folder.to_path_buf(),
    }
}

/// The existing paths that commands may read, besides the copy of `root` and its dependencies.
pub(super) fn readable(root: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    let home = home();
    paths.extend(
        TOOL_FOLDERS
            .iter()
            .filter_map(|name| variable(name))
            .map(PathBuf::from),
    );
    if let Some(home) = &home {
        paths.extend(HOME_PARTS.iter().map(|part| home.join(part)));
    }
    if let Some(cargo) = variable("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| home.as_ref().map(|home| home.join(".cargo")))
    {
        paths.extend(CARGO_PARTS.iter().map(|part| cargo.join(part)));
    }
    paths.extend(std::env::split_paths(&variable("PATH").unwrap_or_default()));
    paths.extend(std::env::split_paths(
        &variable("LD_LIBRARY_PATH").unwrap_or_default(),
    ));
    let holds_home = |path: &Path| home.as_ref().is_some_and(|home| home.starts_with(path));
    paths.retain(|path| {
        path.is_absolute() && path.parent().is_some() && path.exists() && !holds_home(path)
    });
    // Commands find paths under the root, such as a virtual environment, in the copy.
    paths.retain(|path| holds_home(root) || !path.starts_with(root));
    let (settings, mut paths): (Vec<_>, Vec<_>) = paths
        .into_iter()
        .partition(|path| path.starts_with(SETTINGS));
    for path in &settings {
        public_parts(path, &mut paths);
    }
    paths.sort();
    paths.dedup();
    paths
}

/// The largest parts of a folder of which everybody may read everything. Gives whether that is all
/// of it.
fn public_parts(path: &Path, parts: &mut Vec<PathBuf>) -> bool {
    const EVERYBODY: u32 = 0o004;
    let Ok(metadata) = path.symlink_metadata() else {
        return false;
    };
    if metadata.is_symlink() {
        return true; // what it leads to is looked at where it is
    }
    let n_before = parts.len();
    let mut is_public = metadata.mode() & EVERYBODY != 0;
    if metadata.is_dir() && is_public {
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            is_public &= public_parts(&entry.path(), parts);
        }
    }
    if is_public {
        parts.truncate(n_before);
        parts.push(path.to_path_buf());
    }
    is_public
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_is_not_readable_as_a_whole() {
        let readable = readable(Path::new("/nowhere"));
        assert!(readable.contains(&PathBuf::from("/usr")));
        let home = home().expect("a test has a home");
        for secret in [
            "",
            ".ssh",
            ".aws/credentials",
            ".netrc",
            ".config/gh/hosts.yml",
            ".cargo/credentials.toml",
            ".m2/settings.xml",
        ] {
            let path = home.join(secret);
            assert!(
                !readable.iter().any(|folder| path.starts_with(folder)),
                "{}",
                path.display()
            );
        }
    }

    #[test]
    fn the_root_itself_is_not_readable() {
        let below_usr = |root: &str| {
            readable(Path::new(root))
                .iter()
                .any(|path| path.starts_with("/usr"))
        };
        assert!(below_usr("/nowhere") && !below_usr("/usr"));
    }

    #[test]
    fn only_what_everybody_may_read_is_public() {
        use std::fs::{Permissions, create_dir_all, set_permissions, write};
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        create_dir_all(at("ssl/certs")).unwrap();
        create_dir_all(at("ssl/private")).unwrap();
        for (name, mode) in [
            ("passwd", 0o644),
            ("shadow", 0o640),
            ("ssl/certs/a", 0o644),
            ("ssl/private/key", 0o644),
            ("ssl/private", 0o710),
        ] {
            if name.contains("private/") || !name.ends_with("private") {
                write(at(name), "").unwrap();
            }
            set_permissions(at(name), Permissions::from_mode(mode)).unwrap();
        }
        for name in ["", "ssl", "ssl/certs"] {
            set_permissions(at(name), Permissions::from_mode(0o755)).unwrap();
        }
        let mut parts = Vec::new();
        assert!(!public_parts(dir.path(), &mut parts));
        parts.sort();
        assert_eq!(parts, [at("passwd"), at("ssl/certs")]);
    }
}
