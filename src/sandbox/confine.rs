//! The walls, on Linux: namespaces, capabilities, Landlock, seccomp. Each is had if the system
//! gives it.

use super::filter::{self, Sockets};
use super::protocol::{CommandSpec, Setting};
use super::{layout, view};
use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::process::{DumpableBehavior, getgid, getuid, set_dumpable_behavior};
use rustix::thread::{
    CapabilitySet, CapabilitySets, UnshareFlags, capabilities, clear_ambient_capability_set,
    configure_capability_in_ambient_set, remove_capability_from_bounding_set, set_capabilities,
    set_no_new_privs,
};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The newest version that is asked for; older kernels give what they have.
const LANDLOCK: ABI = ABI::V9;

/// Devices that are no way out.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts/ptmx",
];

/// Folders of a view of its own that a command may write to.
const VIEW_FOLDERS: &[&str] = &["/dev/shm", "/dev/pts"];

/// Puts this process, which has one thread, and its future children into namespaces of their own.
/// Gives their names, or why there are none.
pub(super) fn enter_namespaces() -> Result<Vec<String>, String> {
    let (uid, gid) = (getuid().as_raw(), getgid().as_raw());
    let all =
        UnshareFlags::NEWUSER | UnshareFlags::NEWPID | UnshareFlags::NEWNET | UnshareFlags::NEWIPC;
    unshare(all).map_err(|error| error.to_string())?;
    let told = fs::write("/proc/self/setgroups", "deny")
        .and_then(|()| fs::write("/proc/self/uid_map", format!("{uid} {uid} 1")))
        .and_then(|()| fs::write("/proc/self/gid_map", format!("{gid} {gid} 1")));
    told.map_err(|error| format!("names of users: {error}"))?;
    // A process loses its capabilities when it becomes another program, except the ambient ones.
    let mut may = capabilities(None).map_err(|error| error.to_string())?;
    may.inheritable = may.permitted;
    set_capabilities(None, may)
        .and_then(|()| configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, true))
        .and_then(|()| configure_capability_in_ambient_set(CapabilitySet::SETPCAP, true))
        .map_err(|error| error.to_string())?;
    Ok(["user", "pid", "network", "ipc"]
        .map(str::to_owned)
        .to_vec())
}

/// `unshare`, which is only unsafe for what threads share.
#[expect(
    deprecated,
    reason = "the safe form is deprecated for the sake of CLONE_FILES, which is not asked for"
)]
fn unshare(flags: UnshareFlags) -> io::Result<()> {
    Ok(rustix::thread::unshare(flags)?)
}

/// Confines this process and what it starts. Writes into the spec what that came to.
pub(super) fn confine(spec: &mut CommandSpec) {
    if spec.isolation.has_namespace("user") {
        match unshare(UnshareFlags::NEWNS)
            .and_then(|()| view::make(&spec.setting, spec.limits.memory))
        {
            Ok(()) => spec.isolation.namespaces.push("mount".to_owned()),
            Err(error) => spec
                .isolation
                .missing
                .push(format!("a view of its own ({error})")),
        }
    }
    // With a view of its own, the sockets of the person's services cannot be named.
    let (extra, sockets) = match spec.isolation.has_namespace("mount") {
        true => (VIEW_FOLDERS, Sockets::Local),
        false => (&[][..], Sockets::Refused),
    };
    if let Err(error) = drop_capabilities() {
        spec.isolation
            .missing
            .push(format!("giving up capabilities ({error})"));
    }
    match landlock(&spec.setting, extra) {
        Ok(Ok(abi)) => spec.isolation.landlock = Some(abi),
        Ok(Err(reason)) => spec.isolation.missing.push(format!("Landlock ({reason})")),
        Err(error) => spec.isolation.missing.push(format!("Landlock ({error})")),
    }
    match filter::apply(sockets) {
        Ok(()) => spec.isolation.seccomp = true,
        Err(reason) => spec.isolation.missing.push(format!("seccomp ({reason})")),
    }
    // The command shall not reach into the process that says how it ended.
    if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        spec.isolation
            .missing
            .push(format!("hiding the process inside ({error})"));
    }
}

/// Also root is then nobody in particular.
fn drop_capabilities() -> io::Result<()> {
    const MAX_CAPABILITIES: u32 = 64;
    for bit in 0..MAX_CAPABILITIES {
        // Those that the kernel does not know, and those of a person who has none to give up, are
        // no loss.
        let _ = remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << bit));
    }
    clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    set_capabilities(
        None,
        CapabilitySets {
            effective: none,
            permitted: none,
            inheritable: none,
        },
    )?;
    Ok(set_no_new_privs(true)?)
}

/// Allows reading and writing what is named here, and nothing else. `extra` is written to as well.
/// Gives the kernel's version of Landlock, or why there is none.
fn landlock(setting: &Setting, extra: &[&str]) -> Result<Result<u32, &'static str>, RulesetError> {
    let mut write = vec![
        layout::copy_in(&setting.space),
        layout::home_in(&setting.space),
        layout::temporary_in(&setting.space),
    ];
    write.extend(extra.iter().map(PathBuf::from));
    let read = setting
        .read
        .iter()
        .chain(setting.dependencies.iter().map(|(_, link)| link))
        .map(PathBuf::as_path);
    let read = read.chain([Path::new("/proc")]);
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(LANDLOCK))?
        .handle_access(AccessNet::from_all(LANDLOCK))?
        .scope(Scope::from_all(LANDLOCK))?
        .create()?
        .add_rules(path_beneath_rules(read, AccessFs::from_read(LANDLOCK)))?
        .add_rules(path_beneath_rules(write, AccessFs::from_all(LANDLOCK)))?
        .add_rules(path_beneath_rules(DEVICES, device))?
        .restrict_self()?;
    Ok(match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, LandlockStatus::NotEnabled) => {
            Err("not enabled when the system started")
        }
        (RulesetStatus::NotEnforced, _) => Err("not in this kernel"),
        (_, LandlockStatus::Available { effective_abi, .. }) => Ok(effective_abi as u32),
        _ => Err("not available"),
    })
}
