//! A control group for the processes of one command: it counts what limits of single processes
//! cannot, for root too.
//!
//! It is made below the group that this process is in, so that what limits that one stays in force.
//! Of the second version the group needs to be ours to divide, which on most systems it is for root
//! only. Of the first version only the counting of processes is used: what else there is often
//! belongs to whatever runs the container, which would not expect a group below its own.

use super::limits::Limits;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

const PREFIX: &str = "slotwright-";

/// The most tries at removing a group, 2 ms apart.
const MAX_TRIES: u32 = 500;

/// The groups of one command, one for each hierarchy. They are removed when this is dropped.
#[derive(Debug)]
pub(super) struct Group {
    folders: Vec<PathBuf>,
    counts: Vec<String>,
}

impl Group {
    /// Makes the groups that can be made, or says why there are none.
    pub(super) fn make(limits: &Limits) -> Result<Group, String> {
        let read = |path: &str| fs::read_to_string(path).map_err(|error| error.to_string());
        let (own, mounts) = (read("/proc/self/cgroup")?, read("/proc/self/mountinfo")?);
        let mut group = Group {
            folders: Vec::new(),
            counts: Vec::new(),
        };
        let mut reason = "none of a kind that is of use".to_owned();
        for parent in parents(&own, &mounts) {
            if let Err(error) = group.make_below(&parent, limits) {
                reason = error.to_string();
            }
        }
        if group.folders.is_empty() {
            Err(reason)
        } else {
            Ok(group)
        }
    }

    fn make_below(&mut self, parent: &Path, limits: &Limits) -> io::Result<()> {
        remove_abandoned(parent);
        let folder = parent.join(format!("{PREFIX}{}", std::process::id()));
        fs::create_dir(&folder)?;
        self.folders.push(folder.clone());
        let mut set = |name: &str, file: &str, value: String| {
            if folder.join(file).exists() && fs::write(folder.join(file), value).is_ok() {
                self.counts.push(name.to_owned());
            }
        };
        set("pids", "pids.max", limits.kernel_processes().to_string());
        set("memory", "memory.max", limits.memory.to_string());
        // Swapped memory counts as well.
        let _ = fs::write(folder.join("memory.swap.max"), "0");
        if folder.join("cgroup.kill").exists() {
            self.counts.push("kill".to_owned());
        }
        Ok(())
    }

    /// What the groups count or do: `pids`, `memory`, `kill`.
    pub(super) fn counts(&self) -> Vec<String> {
        self.counts.clone()
    }

    /// Puts a process into the groups; what it starts from then on is in them too.
    pub(super) fn add(&self, pid: u32) -> io::Result<()> {
        self.folders
            .iter()
            .try_for_each(|folder| fs::write(folder.join("cgroup.procs"), pid.to_string()))
    }

    /// Kills all at once, where the kernel can.
    pub(super) fn kill(&self) {
        for file in self
            .folders
            .iter()
            .map(|folder| folder.join("cgroup.kill"))
            .filter(|file| file.exists())
        {
            let _ = fs::write(file, "1"); // it is one way of several
        }
    }

    /// Whether the kernel has killed a process because memory ran out.
    pub(super) fn ran_out_of_memory(&self) -> bool {
        let has_killed = |events: String| {
            events
                .lines()
                .any(|line| line.strip_prefix("oom_kill ").is_some_and(|n| n != "0"))
        };
        self.folders
            .iter()
            .any(|folder| fs::read_to_string(folder.join("memory.events")).is_ok_and(has_killed))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // The kernel takes a moment to forget processes that are gone; what is left all the same,
        // the next one removes.
        let is_busy = |folder: &PathBuf| {
            fs::remove_dir(folder).is_err_and(|error| error.kind() == io::ErrorKind::ResourceBusy)
        };
        let mut tries = 0..MAX_TRIES;
        while self.folders.iter().any(is_busy) && tries.next().is_some() {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Removes the groups of processes that are gone; those that something is in stay.
fn remove_abandoned(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(pid) = name
            .to_str()
            .and_then(|name| name.strip_prefix(PREFIX)?.parse::<u32>().ok())
        else {
            continue;
        };
        if !Path::new("/proc").join(pid.to_string()).exists() {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// The folders of the groups that a process is in, of the kinds that are of use: the second
/// version, and the counting of processes of the first.
fn parents(own: &str, mounts: &str) -> Vec<PathBuf> {
    let mut parents = Vec::new();
    for line in own.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(id), Some(controllers), Some(group)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let is_second = id == "0" && controllers.is_empty();
        if !is_second && !controllers.split(',').any(|name| name == "pids") {
            continue;
        }
        let is_mount = |kind: &str, options: &str| {
            if is_second {
                kind == "cgroup2"
            } else {
                kind == "cgroup" && options.split(',').any(|option| option == "pids")
            }
        };
        parents.extend(mounts.lines().find_map(|line| {
            let (mount, kind) = line.split_once(" - ")?;
            let mut mount = mount.split(' ').skip(3);
            let (root, at) = (mount.next()?, mount.next()?);
            let mut kind = kind.split(' ');
            let (kind, options) = (kind.next()?, kind.nth(1)?);
            let below = Path::new(group)
                .strip_prefix(root)
                .ok()
                .filter(|_| is_mount(kind, options))?;
            // A group outside of what is mounted has a name that climbs.
            (!group.contains("/..")).then(|| Path::new(at).join(below))
        }));
    }
    parents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_groups_of_a_process_are_found() {
        let second =
            "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
        assert_eq!(
            parents("0::/user.slice/a.scope\n", second),
            [Path::new("/sys/fs/cgroup/user.slice/a.scope")]
        );
        let container = "30 24 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup rw\n";
        assert_eq!(
            parents("0::/docker/1/x\n", container),
            [Path::new("/sys/fs/cgroup/x")]
        );
        assert_eq!(parents("0::/../other\n", second), Vec::<PathBuf>::new());
        let first = "40 2 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                     41 2 0:31 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n";
        assert_eq!(
            parents("8:pids:/a\n4:memory:/b\n0::/\n", first),
            [Path::new("/sys/fs/cgroup/pids/a")]
        );
    }

    #[test]
    fn what_a_group_has_is_set() {
        let dir = tempfile::tempdir().unwrap();
        let mut group = Group {
            folders: Vec::new(),
            counts: Vec::new(),
        };
        let limits = Limits {
            processes: 10,
            memory: 1 << 20,
            ..Limits::default()
        };
        group.make_below(dir.path(), &limits).unwrap();
        assert!(
            group.folders[0].starts_with(dir.path()) && group.counts().is_empty(),
            "a plain folder has nothing to set"
        );
        assert!(!group.ran_out_of_memory());
        fs::write(
            group.folders[0].join("memory.events"),
            "low 0\noom 3\noom_kill 2\n",
        )
        .unwrap();
        assert!(group.ran_out_of_memory());
    }
}
