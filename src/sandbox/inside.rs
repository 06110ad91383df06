//! The process behind the walls: it restricts itself, starts the command, and waits for it.
//!
//! In a process namespace of its own it is the first process, with which all others go.

use super::command::{Command, Ended};
use super::isolation::Isolation;
use super::limits::Limits;
use super::protocol::{ChildEvent, CommandSpec};
use rustix::process::{Pid, Resource, Rlimit, WaitOptions, getrlimit, setrlimit, setsid, wait};
use std::io::{self, BufRead, BufReader};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::Instant;

/// The exit code of a shell that does not find the program.
const NOT_FOUND: i32 = 127;

/// Reads its orders from standard input, which is a socket, and writes there what happened.
pub(super) fn run() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    let mut events = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut line = String::new();
    BufReader::new(&events).read_line(&mut line)?;
    let mut spec: CommandSpec = serde_json::from_str(&line)?;

    setsid()?;
    // If the machine runs out of memory after all, the kernel kills this process first. Without the
    // file there is no such choice.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    spec.isolation.limits = limit(&spec.limits, &spec.isolation)?;
    #[cfg(target_os = "linux")]
    super::confine::confine(&mut spec);
    #[cfg(not(target_os = "linux"))]
    spec.isolation
        .missing
        .push("all of it (this is not Linux)".to_owned());
    ChildEvent::Isolated(spec.isolation.clone()).write(&mut events)?;

    let may_run = spec.isolation.confines() || spec.setting.allow_none;
    match &spec.command {
        Some(command) if may_run => run_command(command, &spec)?.write(&mut events),
        _ => Ok(()),
    }
}

fn run_command(command: &Command, spec: &CommandSpec) -> io::Result<ChildEvent> {
    let (program, arguments) = match command {
        Command::Shell(line) => ("/bin/sh", vec!["-c", line]),
        Command::Program(words) => {
            let mut words = words.iter().map(String::as_str);
            (words.next().unwrap_or_default(), words.collect())
        }
    };
    let started = Instant::now();
    let child = std::process::Command::new(program)
        .args(arguments)
        .current_dir(spec.setting.space.copy())
        .stdin(Stdio::null())
        .spawn();

    let end = match child {
        Ok(child) => wait_for(Pid::from_child(&child))?,
        Err(error) => {
            eprintln!("slotwright: cannot run {program:?}: {error}");
            Ended::Exited(NOT_FOUND)
        }
    };
    Ok(ChildEvent::Ended {
        end,
        time: started.elapsed(),
    })
}

/// Waits for a process. As the first one of its namespace, this process also reaps orphans.
fn wait_for(child: Pid) -> io::Result<Ended> {
    loop {
        let Some((pid, status)) = wait(WaitOptions::empty())? else {
            continue;
        };
        if pid != child {
            continue;
        }
        if let Some(code) = status.exit_status() {
            return Ok(Ended::Exited(code));
        }
        if let Some(signal) = status.terminating_signal() {
            return Ok(Ended::Signal(signal));
        }
    }
}

/// Sets the limits of each process. Returns their names.
fn limit(limits: &Limits, isolation: &Isolation) -> io::Result<Vec<String>> {
    // None for memory: what a process may map is no measure, sanitizers map terabytes.
    let mut wanted = vec![
        ("core", Resource::Core, 0),
        ("file_size", Resource::Fsize, limits.file_size),
    ];
    // Outside a user namespace all processes of the person would count, and root's never do.
    if isolation.has_namespace("user") && !rustix::process::getuid().is_root() {
        let max = limits.kernel_processes().into();
        wanted.push(("processes", Resource::Nproc, max));
    }

    let mut names = Vec::new();
    for (name, resource, max) in wanted {
        let there_is = getrlimit(resource).maximum.unwrap_or(max);
        let max = Some(max.min(there_is));
        let limit = Rlimit {
            current: max,
            maximum: max,
        };
        setrlimit(resource, limit)?;
        names.push(name.to_owned());
    }
    Ok(names)
}
