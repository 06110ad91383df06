//! Checks that a model fits into memory before it computes. A system may grant more memory than it
//! has, and later kill the process that uses it.

use super::error::EngineError;
use sysinfo::{MemoryRefreshKind, System};

/// Fails if there is less memory than `needed`. Of these bytes `mapped` are mapped already: they
/// still need memory, but no further addresses.
pub(super) fn check(needed: u64, mapped: u64) -> Result<(), EngineError> {
    let available = free().min(address_space().saturating_add(mapped));
    if needed > available {
        Err(EngineError::Memory { needed, available })
    } else {
        Ok(())
    }
}

/// Bytes of memory that this process may ever use, whoever uses them now. `u64::MAX` if the system
/// does not say.
pub fn total_memory() -> u64 {
    let system = system();
    let container = system
        .cgroup_limits()
        .map_or(u64::MAX, |limits| limits.total_memory);
    known(system.total_memory())
        .min(container)
        .min(address_space())
}

/// Bytes that are free or could be freed, within the container's limit. `u64::MAX` if the system
/// does not say.
fn free() -> u64 {
    let system = system();
    // The container's page cache counts as used, but is given up when memory is needed.
    let container = system.cgroup_limits().map_or(u64::MAX, |limits| {
        limits.total_memory.saturating_sub(limits.rss)
    });
    known(system.available_memory()).min(container)
}

fn system() -> System {
    let mut system = System::new();
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    system
}

/// A system that does not say gives 0.
fn known(bytes: u64) -> u64 {
    if bytes == 0 { u64::MAX } else { bytes }
}

/// Bytes that `ulimit -v` leaves to this process.
#[cfg(target_os = "linux")]
fn address_space() -> u64 {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As);
    let Some(limit) = limit.current else {
        return u64::MAX;
    };
    // The value is in kB, whatever the page size is.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let used = status.lines().find_map(|line| {
        line.strip_prefix("VmSize:")?
            .trim()
            .strip_suffix(" kB")?
            .parse::<u64>()
            .ok()
    });
    limit.saturating_sub(used.unwrap_or(0) * 1024)
}

#[cfg(not(target_os = "linux"))]
fn address_space() -> u64 {
    u64::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_some_memory_and_not_all_of_it() {
        assert!(check(1 << 20, 0).is_ok());
        let Err(EngineError::Memory { needed, available }) = check(u64::MAX - 1, 0) else {
            panic!("no machine has that")
        };
        assert!(available > 0 && needed == u64::MAX - 1);
        assert!(total_memory() >= available);
    }
}
