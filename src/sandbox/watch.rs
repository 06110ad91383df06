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
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<u32>().ok())
        else {
            continue;
        };
        if let Some(parent) = parent_of(pid) {
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
    let after = stat.iter().rposition(|&byte| byte == b')')?;
    std::str::from_utf8(&stat[after + 1..])
        .ok()?
        .split_ascii_whitespace()
        .nth(1)?
        .parse()
        .ok()
}

/// Whether these processes use more memory than this many bytes together. What they share counts
/// once, and what they keep in files without a name counts too, unless those lie on the disk of
/// `folder`.
pub(super) fn use_more_memory_than(max: u64, pids: &[u32], folder: &Path) -> bool {
    // Counting what is shared for each is cheap, and enough as long as even that is below.
    let counted_each =
        |pid: &u32| fields(&format!("/proc/{pid}/status"), ["RssAnon:", "RssShmem:"]);
    let shared_once = |pid: &u32| {
        fields(
            &format!("/proc/{pid}/smaps_rollup"),
            ["Pss_Anon:", "Pss_Shmem:"],
        )
    };
    let device = fs::metadata(folder).map(|metadata| metadata.dev()).ok();
    let unnamed = deleted_files(pids)
        .into_iter()
        .filter(|((dev, _), _)| Some(*dev) != device);
    let unnamed: u64 = unnamed.map(|(_, bytes)| bytes).sum();
    let is_more = |each: &dyn Fn(&u32) -> Option<(u64, u64)>| {
        let (private, shared) = pids
            .iter()
            .filter_map(each)
            .fold((0, 0), |(a, b), (private, shared)| {
                (a + private, b + shared)
            });
        private + shared.max(unnamed) > max
    };
    is_more(&counted_each) && is_more(&|pid| shared_once(pid).or_else(|| counted_each(pid)))
}

/// Two fields that are given in kB, in bytes; none if the file cannot be read.
fn fields(path: &str, names: [&str; 2]) -> Option<(u64, u64)> {
    let text = fs::read_to_string(path).ok()?;
    let value = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()
    };
    let [first, second] = names.map(|name| value(name).unwrap_or_default() << 10);
    Some((first, second))
}

/// Files without a name that these processes hold open, by device and number, with their bytes.
fn deleted_files(pids: &[u32]) -> HashMap<(u64, u64), u64> {
    let open = pids.iter().flat_map(|pid| {
        fs::read_dir(format!("/proc/{pid}/fd"))
            .into_iter()
            .flatten()
            .flatten()
    });
    let files = open
        .filter_map(|entry| fs::metadata(entry.path()).ok())
        .filter(|metadata| metadata.is_file() && metadata.nlink() == 0);
    files
        .map(|metadata| ((metadata.dev(), metadata.ino()), metadata.blocks() * 512))
        .collect()
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
        for metadata in fs::read_dir(&folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let metadata = entry.metadata().ok()?;
                if metadata.is_dir() {
                    next.push(entry.path());
                }
                Some(metadata)
            })
        {
            if metadata.is_dir()
                || metadata.nlink() < 2
                || linked.insert((metadata.dev(), metadata.ino()))
            {
                total += metadata.blocks() * 512;
            }
        }
    }
    let deleted = deleted_files(pids)
        .into_iter()
        .filter(|((device, _), _)| devices.contains(device));
    total + deleted.map(|(_, bytes)| bytes).sum::<u64>()
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
        let below = || descendants(child.id());
        while below().is_empty() {
            std::thread::yield_now();
        }
        let pids = below();
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
