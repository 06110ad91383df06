//! System calls that commands may not make.

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};
use std::collections::BTreeMap;

/// Calls that are refused whatever is asked: another way to sockets and files, and the person's
/// keys.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
];

/// `socket` once more, for programs that take 64-bit registers for 32-bit pointers.
#[cfg(target_arch = "x86_64")]
const X32_SOCKET: i64 = 0x4000_0000 + libc::SYS_socket;

/// Which sockets a command may have. A pair of connected ones is always allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sockets {
    /// None.
    Refused,
    /// Those between processes of this machine.
    Local,
}

/// Refuses sockets to this process and what it starts.
///
/// # Errors
/// Why they cannot be refused, in words.
pub(super) fn apply(sockets: Sockets) -> Result<(), String> {
    let program = program(sockets).map_err(|error| error.to_string())?;
    apply_filter(&program).map_err(|error| error.to_string())
}

fn program(sockets: Sockets) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.iter().map(|&call| (call, Vec::new())).collect();
    // Without a rule, a call is refused whatever its arguments.
    let refused_sockets = match sockets {
        Sockets::Refused => Vec::new(),
        Sockets::Local => {
            let (argument, unix) = (SeccompCmpArgLen::Dword, libc::AF_UNIX as u64);
            let is_not_local = SeccompCondition::new(0, argument, SeccompCmpOp::Ne, unix)?;
            vec![SeccompRule::new(vec![is_not_local])?]
        }
    };
    rules.insert(libc::SYS_socket, refused_sockets);
    #[cfg(target_arch = "x86_64")]
    rules.insert(X32_SOCKET, Vec::new());

    let refused = SeccompAction::Errno(libc::EPERM as u32);
    let machine = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, SeccompAction::Allow, refused, machine)?.try_into()
}
