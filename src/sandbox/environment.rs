//! The environment variables that a command gets, and the paths that it may read.
//!
//! Both are lists of what is known to be needed. Nothing else is passed on, since environments hold
//! secrets, and nothing else under the person's home is readable. A list is a text of words.

use super::layout::Space;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Folders of the system.
const SYSTEM: &str = "\
    /usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /opt /nix /gnu /snap /run/current-system \
    /sys/devices/system /sys/fs/cgroup /var/lib/ghc";

/// Settings of the system. Those that not every user may read, such as passwords, are not readable
/// for commands of root either.
const SETTINGS: &str = "/etc";

/// Parts of the person's home that hold tools. Never a whole folder of settings: `~/.cargo` has
/// tokens in it.
const HOME_PARTS: &str = "\
    .local/bin .local/lib .local/share/uv .local/share/pipx .local/share/mise .local/share/fnm \
    .local/share/pnpm .local/share/rtx .rustup go .pyenv .rbenv .nvm .volta .asdf .sdkman .jenv \
    .nodenv .goenv .deno/bin .bun/bin .bun/install/cache .gem .ghcup .opam .elan .juliaup \
    .nix-profile miniconda3 anaconda3 miniforge3 .m2/repository .gradle/caches .gradle/wrapper \
    .dotnet .nuget/packages .cache/ms-playwright";

/// Parts of CARGO_HOME, wherever that is. The settings may name another registry, without which
/// nothing builds.
const CARGO_PARTS: &str = "bin registry git config.toml config env";

/// Variables that name a folder of tools: passed on, and the folder is readable.
const TOOL_FOLDERS: &str = "\
    RUSTUP_HOME GOROOT GOPATH GOMODCACHE PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX NVM_DIR NVM_BIN \
    VOLTA_HOME ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR JAVA_HOME DOTNET_ROOT SDKMAN_DIR GEM_HOME \
    RBENV_ROOT PNPM_HOME BUN_INSTALL LIBCLANG_PATH";

/// Variables that are passed on as they are.
const PASSED_ON: &str = "\
    LANG LC_ALL LC_CTYPE LC_MESSAGES TZ USER LOGNAME RUSTUP_TOOLCHAIN PYENV_VERSION \
    RBENV_VERSION CC CXX PKG_CONFIG_PATH LD_LIBRARY_PATH NIX_PROFILES";

/// Set for every command: no network, no traces in the copy, no colours.
const SET: &[(&str, &str)] = &[
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
pub(super) fn of(root: &Path, space: &Space) -> Vec<(OsString, OsString)> {
    let mut environment: Vec<(OsString, OsString)> = Vec::new();
    for (name, value) in SET {
        environment.push((name.into(), value.into()));
    }
    for name in TOOL_FOLDERS.split(' ').chain(PASSED_ON.split(' ')) {
        if let Some(value) = variable(name) {
            environment.push((name.into(), in_copy(Path::new(&value), root, space).into()));
        }
    }
    environment.extend(folders_in_home());

    let path = variable("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    let folders = std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| in_copy(&folder, root, space));
    let path = std::env::join_paths(folders).unwrap_or_else(|_| "/usr/bin:/bin".into());
    environment.push(("PATH".into(), path));

    environment.push(("HOME".into(), space.home().into()));
    for name in ["TMPDIR", "TMP", "TEMP"] {
        environment.push((name.into(), space.temporary().into()));
    }
    environment
}

/// Variables for what tools keep in the person's home, since HOME is another folder for commands.
fn folders_in_home() -> Vec<(OsString, OsString)> {
    let mut environment = Vec::new();
    let Some(home) = home() else {
        return environment;
    };
    for (name, part) in [
        ("CARGO_HOME", ".cargo"),
        ("RUSTUP_HOME", ".rustup"),
        ("GOMODCACHE", "go/pkg/mod"),
    ] {
        let folder = home.join(part);
        match variable(name) {
            Some(folder) if name == "CARGO_HOME" => environment.push((name.into(), folder)),
            None if folder.is_dir() => environment.push((name.into(), folder.into())),
            _ => {}
        }
    }
    environment
}

/// A folder under the root, such as a virtual environment's, as the copy has it.
fn in_copy(folder: &Path, root: &Path, space: &Space) -> PathBuf {
    match folder.strip_prefix(root) {
        Ok(inside) if !root.as_os_str().is_empty() => space.copy().join(inside),
        _ => folder.to_path_buf(),
    }
}

/// The existing paths that commands may read, besides the copy of `root` and its dependencies.
pub(super) fn readable(root: &Path) -> Vec<PathBuf> {
    let home = home();
    let mut paths = candidates(home.as_deref());
    paths.retain(|path| {
        path.is_absolute()
            && path.parent().is_some()
            && path.exists()
            && !holds(path, home.as_deref())
    });
    // Commands find paths under the root, such as a virtual environment, in the copy.
    if !holds(root, home.as_deref()) {
        paths.retain(|path| !path.starts_with(root));
    }

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

/// The paths that commands may read if they exist and hold nothing of the person's own.
fn candidates(home: Option<&Path>) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = SYSTEM.split(' ').map(PathBuf::from).collect();
    paths.extend(
        TOOL_FOLDERS
            .split(' ')
            .filter_map(variable)
            .map(PathBuf::from),
    );
    if let Some(home) = home {
        paths.extend(HOME_PARTS.split(' ').map(|part| home.join(part)));
    }
    let cargo = variable("CARGO_HOME").map(PathBuf::from);
    if let Some(cargo) = cargo.or_else(|| Some(home?.join(".cargo"))) {
        paths.extend(CARGO_PARTS.split(' ').map(|part| cargo.join(part)));
    }
    for name in ["PATH", "LD_LIBRARY_PATH"] {
        paths.extend(std::env::split_paths(&variable(name).unwrap_or_default()));
    }
    paths
}

/// Whether a folder is the person's home, or holds it.
fn holds(folder: &Path, home: Option<&Path>) -> bool {
    home.is_some_and(|home| home.starts_with(folder))
}

/// Adds the largest parts of a folder that every user may read as a whole. Returns whether that is
/// all of it.
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
        let secrets = "|.ssh|.aws/credentials|.netrc|.config/gh/hosts.yml|\
            .cargo/credentials.toml|.m2/settings.xml";
        for secret in secrets.split('|') {
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
        ] {
            write(at(name), "").unwrap();
            set_permissions(at(name), Permissions::from_mode(mode)).unwrap();
        }
        let folders = [
            ("", 0o755),
            ("ssl", 0o755),
            ("ssl/certs", 0o755),
            ("ssl/private", 0o710),
        ];
        for (name, mode) in folders {
            set_permissions(at(name), Permissions::from_mode(mode)).unwrap();
        }
        let mut parts = Vec::new();
        assert!(!public_parts(dir.path(), &mut parts));
        parts.sort();
        assert_eq!(parts, [at("passwd"), at("ssl/certs")]);
    }
}
