//! A command's own view of the files: nothing is in it that the command has no use for.
//!
//! Landlock says what may be opened, but neither who may be talked to through a socket that has a
//! name, nor whose permissions may be changed. So what may be read is put together, read-only, in
//! an empty file system.

use super::protocol::Setting;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change,
    mount_remount, unmount,
};
use rustix::process::pivot_root;
use std::collections::BTreeSet;
use std::ffi::{CString, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];

/// Flags of the file systems that are mounted here.
const PLAIN: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV);

/// Makes the view and enters it; the process has a mount namespace of its own already. Shared
/// memory takes at most half of `memory`, in bytes.
pub(super) fn make(setting: &Setting, memory: u64) -> io::Result<()> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private)?;
    let root = setting.space.view();
    mount("tmpfs", &root, "tmpfs", PLAIN, c"mode=0755,size=4m")?;

    let view = View { root };
    let mut writable = view.show_files(setting)?;
    writable.extend(view.make_devices(memory)?);
    view.folder(Path::new("/run"))?;
    for (path, flags) in mounts_below(&view.root)? {
        if !writable.contains(&path) {
            mount_remount(&path, MountFlags::BIND | MountFlags::RDONLY | flags, c"")?;
        }
    }

    std::env::set_current_dir(&view.root)?;
    // The old root is put over the new one, and then taken away.
    pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    std::env::set_current_dir("/")?;
    mount_remount("/", MountFlags::BIND | MountFlags::RDONLY | PLAIN, c"")?;
    Ok(())
}

/// A root that is being put together.
struct View {
    root: PathBuf,
}

impl View {
    /// Shows the files that a command may use. Returns the mounts that it may write to.
    fn show_files(&self, setting: &Setting) -> io::Result<Vec<PathBuf>> {
        let space = &setting.space;
        // First, since the other paths may lie below.
        let mut writable = vec![
            self.bind(&space.temporary(), Path::new("/tmp"))?,
            self.bind(&space.temporary(), Path::new("/var/tmp"))?,
        ];

        self.show(&setting.read)?;
        for (original, link) in &setting.dependencies {
            self.bind(original, link)?;
        }
        if let Some(stand_in) = &setting.stand_in
            && space.copy().exists()
        {
            writable.push(self.bind(&space.copy(), stand_in)?);
        }
        for folder in space.writable() {
            if folder.exists() {
                writable.push(self.bind(&folder, &folder)?);
            }
        }
        Ok(writable)
    }

    /// Makes /dev and /proc. Returns the mounts that a command may write to.
    fn make_devices(&self, memory: u64) -> io::Result<[PathBuf; 3]> {
        for name in DEVICES {
            let path = Path::new("/dev").join(name);
            self.bind(&path, &path)?;
        }

        let proc = self.folder(Path::new("/proc"))?;
        // In a container parts of it may be hidden, and then only the old one can be had.
        if mount("proc", &proc, "proc", PLAIN | MountFlags::NOEXEC, None).is_err() {
            mount_bind_recursive("/proc", &proc)?;
        }

        let terminals = self.folder(Path::new("/dev/pts"))?;
        let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
        let options = c"newinstance,ptmxmode=0666,mode=0620";
        mount("devpts", &terminals, "devpts", flags, options)?;

        let shared = self.folder(Path::new("/dev/shm"))?;
        let options = CString::new(format!("mode=1777,size={}", memory / 2))?;
        mount("tmpfs", &shared, "tmpfs", PLAIN, options.as_c_str())?;

        for (name, target) in [
            ("ptmx", "pts/ptmx"),
            ("fd", "/proc/self/fd"),
            ("stdin", "fd/0"),
            ("stdout", "fd/1"),
            ("stderr", "fd/2"),
        ] {
            symlink(target, self.at(&Path::new("/dev").join(name)))?;
        }
        Ok([proc, terminals, shared])
    }

    /// Where a path lies while the view is put together.
    fn at(&self, path: &Path) -> PathBuf {
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }

    fn folder(&self, path: &Path) -> io::Result<PathBuf> {
        let folder = self.at(path);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Shows one path at another. Returns the mount.
    fn bind(&self, from: &Path, to: &Path) -> io::Result<PathBuf> {
        let at = self.at(to);
        if from.is_dir() {
            fs::create_dir_all(&at)?;
        } else {
            fs::create_dir_all(at.parent().unwrap_or(&self.root))?;
            if !at.exists() {
                fs::File::create(&at)?;
            }
        }
        mount_bind_recursive(from, &at)?;
        Ok(at)
    }

    /// Shows paths as they are, with the links that lead to them.
    fn show(&self, paths: &[PathBuf]) -> io::Result<()> {
        // A folder comes before what is in it, and shows that too.
        let mut real = BTreeSet::new();
        for path in paths {
            // Landlock says which part of the system's settings may be read.
            let is_setting = path.starts_with("/etc");
            let path = self.follow(if is_setting { Path::new("/etc") } else { path })?;
            if path.exists() {
                real.insert(path);
            }
        }

        let mut last: Option<&PathBuf> = None;
        for path in &real {
            if !last.is_some_and(|last| path.starts_with(last)) {
                self.bind(path, path)?;
                last = Some(path);
            }
        }
        Ok(())
    }

    /// Makes the links on the way to a path. Returns the path without links.
    fn follow(&self, path: &Path) -> io::Result<PathBuf> {
        const MAX_LINKS: usize = 40;
        let mut path = path.to_path_buf();
        for _ in 0..MAX_LINKS {
            let Some((link, target, rest)) = first_link(&path) else {
                break;
            };
            let at = self.at(&link);
            fs::create_dir_all(at.parent().unwrap_or(&self.root))?;
            if fs::symlink_metadata(&at).is_err() {
                symlink(&target, &at)?;
            }
            let folder = link.parent().unwrap_or(Path::new("/"));
            path = normal(&folder.join(target).join(rest));
        }
        Ok(path)
    }
}

/// The first component of a path that is a link: the path up to it, where it leads, and the rest.
fn first_link(path: &Path) -> Option<(PathBuf, PathBuf, PathBuf)> {
    let mut walked = PathBuf::new();
    let mut components = path.components();
    while let Some(component) = components.next() {
        walked.push(component);
        if let Ok(target) = fs::read_link(&walked) {
            return Some((walked, target, components.as_path().to_path_buf()));
        }
    }
    None
}

/// The same path without `.` and `..`. There is a folder before each `..`, and not a link.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// The mounts below a folder, each with the flags to keep when it is mounted again.
fn mounts_below(root: &Path) -> io::Result<Vec<(PathBuf, MountFlags)>> {
    let table = fs::read("/proc/self/mountinfo")?;
    let mut mounts = Vec::new();
    for line in table.split(|&byte| byte == b'\n') {
        let mut fields = line.split(|&byte| byte == b' ').skip(4);
        let (Some(path), Some(options)) = (fields.next(), fields.next()) else {
            continue;
        };
        let path = PathBuf::from(OsString::from_vec(unescaped(path)));
        if path.starts_with(root) && path != root {
            mounts.push((path, flags(&String::from_utf8_lossy(options))));
        }
    }
    Ok(mounts)
}

fn flags(options: &str) -> MountFlags {
    let mut flags = MountFlags::empty();
    for option in options.split(',') {
        flags |= match option {
            "nosuid" => MountFlags::NOSUID,
            "nodev" => MountFlags::NODEV,
            "noexec" => MountFlags::NOEXEC,
            "noatime" => MountFlags::NOATIME,
            "nodiratime" => MountFlags::NODIRATIME,
            "relatime" => MountFlags::RELATIME,
            "nosymfollow" => MountFlags::NOSYMFOLLOW,
            _ => MountFlags::empty(),
        };
    }
    flags
}

/// A path of the table without its escapes: spaces and the like are `\` and three octal digits.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = field;
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after
            .get(..3)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match code {
            Some(code) if byte == b'\\' => {
                bytes.push(code);
                rest = &after[3..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_the_table_are_read() {
        assert_eq!(unescaped(br"/a\040b\134c"), br"/a b\c");
        assert_eq!(
            flags("rw,nosuid,noexec,relatime"),
            MountFlags::NOSUID | MountFlags::NOEXEC | MountFlags::RELATIME
        );
    }

    #[test]
    fn links_on_the_way_are_found() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("real/bin")).unwrap();
        symlink("real", root.join("link")).unwrap();
        let found = first_link(&root.join("link/bin")).unwrap();
        assert_eq!(
            found,
            (
                root.join("link"),
                PathBuf::from("real"),
                PathBuf::from("bin")
            )
        );
        assert_eq!(first_link(&root.join("real/bin")), None);
        assert_eq!(normal(Path::new("/a/./b/../c")), Path::new("/a/c"));
    }
}
