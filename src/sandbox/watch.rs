//! The memory and disk that the processes of a command use, read from /proc. Without /proc nothing
//! is found.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// All descendants of a process.
pub(super) fn descendants(of: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.parse::<u32>().ok());
        if let Some(pid) = pid
            && let Some(parent) = parent_of(pid)
        {
            children.entry(parent).or_default().push(pid);
        }
    }

    let mut found = Vec::new();
    let mut next = vec![of];
    while let Some(pid) = next.pop() {
        let below = children.remove(&pid).unwrap_or_default();
        found.extend(&below);
        next.extend(below);
    }
    found
}

fn parent_of(pid: u32) -> Option<u32> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name, in brackets, may hold anything.
    let end = stat.iter().rposition(|&byte| byte == b')')?;
    let after = std::str::from_utf8(&stat[end + 1..]).ok()?;
    after.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Whether these processes use more memory than this many bytes together. What they share counts
/// once, and what they keep in files without a name counts too, unless those lie on the disk of
/// `folder`.
pub(super) fn use_more_memory_than(max: u64, pids: &[u32], folder: &Path) -> bool {
    let disk = fs::metadata(folder).map(|metadata| metadata.dev()).ok();
    let mut unnamed = 0;
    for ((device, _), bytes) in deleted_files(pids) {
        if Some(device) != disk {
            unnamed += bytes;
        }
    }
    // The first count is cheap. What is shared counts several times in it, so it is never too low.
    memory(pids, unnamed, with_all_shared) > max && memory(pids, unnamed, with_own_share) > max
}

/// The memory of these processes, in bytes, by the private and shared memory of each.
fn memory(pids: &[u32], unnamed: u64, of_process: fn(u32) -> Option<(u64, u64)>) -> u64 {
    let mut all_private = 0;
    let mut all_shared = 0;
    for (private, shared) in pids.iter().filter_map(|&pid| of_process(pid)) {
        all_private += private;
        all_shared += shared;
    }
    all_private + all_shared.max(unnamed)
}

fn with_all_shared(pid: u32) -> Option<(u64, u64)> {
    fields(&format!("/proc/{pid}/status"), "RssAnon:", "RssShmem:")
}

fn with_own_share(pid: u32) -> Option<(u64, u64)> {
    let path = format!("/proc/{pid}/smaps_rollup");
    fields(&path, "Pss_Anon:", "Pss_Shmem:").or_else(|| with_all_shared(pid))
}

/// Two fields that are given in kB, in bytes; `None` if the file cannot be read.
fn fields(path: &str, first: &str, second: &str) -> Option<(u64, u64)> {
    let text = fs::read_to_string(path).ok()?;
    Some((field(&text, first), field(&text, second)))
}

fn field(text: &str, name: &str) -> u64 {
    let value = text.lines().find_map(|line| line.strip_prefix(name));
    let number = value.and_then(|value| value.split_ascii_whitespace().next());
    number.map_or(0, |number| number.parse::<u64>().unwrap_or_default() << 10)
}

/// Files without a name that these processes hold open, by device and number, with their bytes.
fn deleted_files(pids: &[u32]) -> HashMap<(u64, u64), u64> {
    let mut files = HashMap::new();
    for pid in pids {
        let open = fs::read_dir(format!("/proc/{pid}/fd"));
        for entry in open.into_iter().flatten().flatten() {
            if let Ok(metadata) = fs::metadata(entry.path())
                && metadata.is_file()
                && metadata.nlink() == 0
            {
                files.insert((metadata.dev(), metadata.ino()), metadata.blocks() * 512);
            }
        }
    }
    files
}

/// Bytes on disk of what is in these folders, and of files there that are deleted and still open in
/// these processes.
pub(super) fn disk_use(folders: &[PathBuf], pids: &[u32]) -> u64 {
    let mut linked = HashSet::new();
    let mut devices = HashSet::new();
    let mut total = 0;
    let mut next = folders.to_vec();
    while let Some(folder) = next.pop() {
        devices.extend(fs::metadata(&folder).map(|metadata| metadata.dev()));
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            if metadata.is_dir() {
                next.push(entry.path());
            }
            // A file with several names counts once.
            if metadata.is_dir()
                || metadata.nlink() < 2
                || linked.insert((metadata.dev(), metadata.ino()))
            {
                total += metadata.blocks() * 512;
            }
        }
    }

    for ((device, _), bytes) in deleted_files(pids) {
        if devices.contains(&device) {
            total += bytes;
        }
    }
    total
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_child_is_seen_with_its_memory() {
        let mut child = std::process::Command::new("sh")
            .args(["-c", "sleep 60 & wait"])
            .spawn()
            .unwrap();
        let mut pids = Vec::new();
        while pids.is_empty() {
            std::thread::yield_now();
            pids = descendants(child.id());
        }
        assert!(descendants(std::process::id()).contains(&child.id()));
        assert!(
            use_more_memory_than(0, &pids, Path::new("/"))
                && !use_more_memory_than(1 << 30, &pids, Path::new("/"))
        );
        for pid in pids
            .iter()
            .filter_map(|&pid| rustix::process::Pid::from_raw(pid as i32))
        {
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        }
        child.wait().unwrap();
    }

    #[test]
    fn deleted_files_count_while_they_are_open() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("kept"), [1; 1 << 16]).unwrap();
        fs::hard_link(dir.path().join("kept"), dir.path().join("again")).unwrap();
        let before = disk_use(&[dir.path().to_path_buf()], &[std::process::id()]);
        assert!((1 << 16..1 << 17).contains(&before), "{before}");
        let mut file = fs::File::create(dir.path().join("deleted")).unwrap();
        file.write_all(&[1; 1 << 17]).unwrap();
        file.sync_all().unwrap();
        fs::remove_file(dir.path().join("deleted")).unwrap();
        assert!(disk_use(&[dir.path().to_path_buf()], &[std::process::id()]) >= before + (1 << 17));
        drop(file);
        assert_eq!(
            disk_use(&[dir.path().to_path_buf()], &[std::process::id()]),
            before
        );
    }
}
