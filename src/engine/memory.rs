//! Checks that a model fits into memory before it computes. A system may grant more memory than it
//! has, and later kill the process that uses it.

use super::protocol::ChildFailure;
use sysinfo::{MemoryRefreshKind, System};

/// The sizes of a model that determine its memory use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Bytes of the weights.
    pub weights: u64,
    pub n_layers: u64,
    /// Numbers in a hidden state.
    pub width: u64,
    /// Numbers in the keys of one token in one layer. The values have as many.
    pub key_width: u64,
    pub vocabulary: u64,
}

impl Sizes {
    /// Bytes needed for a context of `context_tokens`, read in batches of `batch_tokens`. It counts
    /// weights, keys and values as 16-bit floats, and for one batch the logits and some eight
    /// hidden states as 32-bit floats. This is a lower bound. A model that passes may still run out
    /// of memory, which is then reported where it happens.
    pub fn needed(&self, context_tokens: u64, batch_tokens: u64) -> u64 {
        let cache = context_tokens * self.n_layers * 2 * self.key_width * 2;
        let batch = batch_tokens * 4 * (self.vocabulary + 8 * self.width);
        self.weights + cache + batch
    }
}

/// Fails if there is less memory than `needed`. Of these bytes `mapped` are mapped already: they
/// still need memory, but no further addresses.
pub(super) fn check(needed: u64, mapped: u64) -> Result<(), ChildFailure> {
    let available = free().min(address_space().saturating_add(mapped));
    if needed > available { Err(ChildFailure::Memory { needed, available }) } else { Ok(()) }
}

/// Bytes that are free or could be freed, within the container's limit. `u64::MAX` if the system
/// does not say.
fn free() -> u64 {
    let mut system = System::new();
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let free = match system.available_memory() {
        0 => u64::MAX,
        bytes => bytes,
    };
    // The container's page cache counts as used, but is given up when memory is needed.
    let container = system
        .cgroup_limits()
        .map_or(u64::MAX, |limits| limits.total_memory.saturating_sub(limits.rss));
    free.min(container)
}

/// Bytes that `ulimit -v` leaves to this process.
#[cfg(target_os = "linux")]
fn address_space() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    #[allow(unsafe_code)]
    // SAFETY: the pointer is to a structure of our own, which the call fills in.
    let asked = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
    if asked != 0 || limit.rlim_cur == libc::RLIM_INFINITY {
        return u64::MAX;
    }
    // The value is in kB, whatever the page size is.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let used = status.lines().find_map(|line| {
        line.strip_prefix("VmSize:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    });
    limit.rlim_cur.saturating_sub(used.unwrap_or(0) * 1024)
}

#[cfg(not(target_os = "linux"))]
fn address_space() -> u64 {
    u64::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_needs_grows_with_its_context() {
        // The published shape of a model of 0.5 billion parameters: 24 layers, 2 key heads of 64,
        // 152,000 tokens.
        let sizes = Sizes {
            weights: 400 << 20,
            n_layers: 24,
            width: 896,
            key_width: 128,
            vocabulary: 152_000,
        };
        let small = sizes.needed(2_048, 512);
        assert_eq!(sizes.needed(4_096, 512) - small, 24 << 20, "12 KiB a token");
        assert!(small > 400 << 20 && small < 1 << 30, "{small}");
    }

    #[test]
    fn there_is_some_memory_and_not_all_of_it() {
        assert!(check(1 << 20, 0).is_ok());
        let Err(ChildFailure::Memory { needed, available }) = check(u64::MAX - 1, 0) else {
            panic!("no machine has that")
        };
        assert!(available > 0 && needed == u64::MAX - 1);
    }
}
