//! The walls, on Linux: namespaces, capabilities, Landlock, seccomp. Each is had if the system
//! gives it.

use super::filter::{self, Sockets};
use super::protocol::{CommandSpec, Setting};
use super::view;
use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, RestrictionStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
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
const DEVICES: [&str; 8] = [
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
/// Returns the names of the namespaces.
///
/// # Errors
/// Why there are none, in words.
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

/// Confines this process and what it starts. Writes into the spec what is in force and what is not.
pub(super) fn confine(spec: &mut CommandSpec) {
    let CommandSpec {
        setting,
        limits,
        isolation,
        ..
    } = spec;
    let mut missing = Vec::new();

    if isolation.has_namespace("user") {
        let entered =
            unshare(UnshareFlags::NEWNS).and_then(|()| view::make(setting, limits.memory));
        match entered {
            Ok(()) => isolation.namespaces.push("mount".to_owned()),
            Err(error) => missing.push(format!("a view of its own ({error})")),
        }
    }
    // With a view of its own, the sockets of the person's services cannot be named.
    let (writable, sockets) = if isolation.has_namespace("mount") {
        (VIEW_FOLDERS, Sockets::Local)
    } else {
        (&[][..], Sockets::Refused)
    };

    if let Err(error) = drop_capabilities() {
        missing.push(format!("giving up capabilities ({error})"));
    }
    match landlock(setting, writable) {
        Ok(abi) => isolation.landlock = Some(abi),
        Err(reason) => missing.push(format!("Landlock ({reason})")),
    }
    match filter::apply(sockets) {
        Ok(()) => isolation.seccomp = true,
        Err(reason) => missing.push(format!("seccomp ({reason})")),
    }

    // The command must not reach into the process that reports how it ended.
    if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        missing.push(format!("hiding the process inside ({error})"));
    }
    isolation.missing.extend(missing);
}

/// Gives up all capabilities, so that root has no more rights than others.
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

/// Allows reading and writing what is named here, and nothing else. `extra`: paths that may be
/// written to as well. Returns the kernel's version of Landlock (its ABI).
///
/// # Errors
/// Why there is no Landlock, in words.
fn landlock(setting: &Setting, extra: &[&str]) -> Result<u32, String> {
    let mut write = setting.space.writable().to_vec();
    write.extend(extra.iter().map(PathBuf::from));
    let mut read: Vec<&Path> = setting.read.iter().map(PathBuf::as_path).collect();
    read.extend(setting.dependencies.iter().map(|(_, link)| link.as_path()));
    read.push(Path::new("/proc"));

    let status = restrict(&read, &write).map_err(|error| error.to_string())?;
    match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, LandlockStatus::NotEnabled) => {
            Err("not enabled when the system started".to_owned())
        }
        (RulesetStatus::NotEnforced, _) => Err("not in this kernel".to_owned()),
        (_, LandlockStatus::Available { effective_abi, .. }) => Ok(effective_abi as u32),
        _ => Err("not available".to_owned()),
    }
}

fn restrict(read: &[&Path], write: &[PathBuf]) -> Result<RestrictionStatus, RulesetError> {
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
    Ruleset::default()
        .handle_access(AccessFs::from_all(LANDLOCK))?
        .handle_access(AccessNet::from_all(LANDLOCK))?
        .scope(Scope::from_all(LANDLOCK))?
        .create()?
        .add_rules(path_beneath_rules(read, AccessFs::from_read(LANDLOCK)))?
        .add_rules(path_beneath_rules(write, AccessFs::from_all(LANDLOCK)))?
        .add_rules(path_beneath_rules(DEVICES, device))?
        .restrict_self()
}
