//! A control group (cgroup) for the processes of one command. It counts what all of them use
//! together, which the limits of single processes cannot, and it holds for root too.
//!
//! The group is created below the group of this process, so all limits of that one still apply.
//! With cgroup v2 this needs a group that is delegated to the user; on most systems only root has
//! one. With cgroup v1 only the `pids` controller is used. The others often belong to the container
//! runtime, which does not expect groups below its own.

use super::limits::Limits;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

const PREFIX: &str = "slotwright-";

/// The most tries at removing a group, 2 ms apart.
const MAX_TRIES: u32 = 500;

/// The groups of one command, one for each hierarchy. They are removed when this is dropped.
#[derive(Debug, Default)]
pub(super) struct Group {
    folders: Vec<PathBuf>,
    counts: Vec<String>,
}

impl Group {
    /// Makes the groups that can be made, or says why there are none.
    pub(super) fn make(limits: &Limits) -> Result<Group, String> {
        let own = fs::read_to_string("/proc/self/cgroup").map_err(|error| error.to_string())?;
        let mounts =
            fs::read_to_string("/proc/self/mountinfo").map_err(|error| error.to_string())?;

        let mut group = Group::default();
        let mut reason = "no group of a kind that is of use".to_owned();
        for parent in parents(&own, &mounts) {
            if let Err(error) = group.make_below(&parent, limits) {
                reason = error.to_string();
            }
        }
        if group.folders.is_empty() {
            return Err(reason);
        }
        Ok(group)
    }

    fn make_below(&mut self, parent: &Path, limits: &Limits) -> io::Result<()> {
        remove_abandoned(parent);
        let folder = parent.join(format!("{PREFIX}{}", std::process::id()));
        fs::create_dir(&folder)?;
        self.folders.push(folder.clone());

        for (name, file, max) in [
            ("pids", "pids.max", u64::from(limits.kernel_processes())),
            ("memory", "memory.max", limits.memory),
        ] {
            let file = folder.join(file);
            if file.exists() && fs::write(file, max.to_string()).is_ok() {
                self.counts.push(name.to_owned());
            }
        }
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
        for folder in &self.folders {
            fs::write(folder.join("cgroup.procs"), pid.to_string())?;
        }
        Ok(())
    }

    /// Kills all at once, where the kernel can.
    pub(super) fn kill(&self) {
        for folder in &self.folders {
            let file = folder.join("cgroup.kill");
            if file.exists() {
                let _ = fs::write(file, "1"); // it is one way of several
            }
        }
    }

    /// Whether the kernel has killed a process because memory ran out.
    pub(super) fn ran_out_of_memory(&self) -> bool {
        self.folders.iter().any(|folder| {
            let events = fs::read_to_string(folder.join("memory.events")).unwrap_or_default();
            events
                .lines()
                .any(|line| line.strip_prefix("oom_kill ").is_some_and(|n| n != "0"))
        })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // The kernel takes a moment to forget processes that are gone. A group that still cannot be
        // removed is left to the next program.
        for folder in &self.folders {
            let mut tries = 0..MAX_TRIES;
            while is_busy(fs::remove_dir(folder)) && tries.next().is_some() {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    }
}

fn is_busy(removed: io::Result<()>) -> bool {
    removed.is_err_and(|error| error.kind() == io::ErrorKind::ResourceBusy)
}

/// Removes the groups of programs that are gone, except those that still hold a process.
fn remove_abandoned(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let pid = pid.and_then(|pid| pid.parse::<u32>().ok());
        if pid.is_some_and(|pid| !Path::new("/proc").join(pid.to_string()).exists()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// The hierarchies that are of use.
#[derive(Clone, Copy)]
enum Hierarchy {
    /// cgroup v2, with all its controllers.
    Second,
    /// cgroup v1, with its `pids` controller.
    Pids,
}

/// The folders of the groups that a process is in, by its `/proc/self/cgroup` and
/// `/proc/self/mountinfo`.
fn parents(own: &str, mounts: &str) -> Vec<PathBuf> {
    let mut parents = Vec::new();
    for line in own.lines() {
        // ID:CONTROLLERS:GROUP
        let mut fields = line.splitn(3, ':');
        let (Some(id), Some(controllers), Some(group)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let hierarchy = if id == "0" && controllers.is_empty() {
            Hierarchy::Second
        } else if controllers.split(',').any(|name| name == "pids") {
            Hierarchy::Pids
        } else {
            continue;
        };

        // A group outside of what is mounted has a name that climbs.
        if !group.contains("/..") {
            let folder = mounts
                .lines()
                .find_map(|mount| folder_at(mount, hierarchy, group));
            parents.extend(folder);
        }
    }
    parents
}

/// The folder of a group, if its hierarchy is mounted by this line:
/// `… … … ROOT MOUNT_POINT … - TYPE SOURCE OPTIONS`.
fn folder_at(mount: &str, hierarchy: Hierarchy, group: &str) -> Option<PathBuf> {
    let (place, kind) = mount.split_once(" - ")?;
    let mut place = place.split(' ').skip(3);
    let root = place.next()?;
    let mount_point = place.next()?;
    let mut kind = kind.split(' ');
    let file_system = kind.next()?;
    let options = kind.nth(1)?;

    let is_mounted = match hierarchy {
        Hierarchy::Second => file_system == "cgroup2",
        Hierarchy::Pids => file_system == "cgroup" && options.split(',').any(|name| name == "pids"),
    };
    let below = Path::new(group).strip_prefix(root).ok()?;
    is_mounted.then(|| Path::new(mount_point).join(below))
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
        let mut group = Group::default();
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
