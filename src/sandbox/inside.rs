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

/// Reads what is to be done from standard input, which is a socket, and writes what came of it
/// there.
pub(super) fn run() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    let mut events = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut line = String::new();
    BufReader::new(&events).read_line(&mut line)?;
    let mut spec: CommandSpec = serde_json::from_str(&line)?;
    setsid()?;
    // When the machine runs out of memory all the same, this goes first. Without the file there is
    // no such choice.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    spec.isolation.limits = limit(&spec.limits, &spec.isolation)?;
    #[cfg(target_os = "linux")]
    super::confine::confine(&mut spec);
    #[cfg(not(target_os = "linux"))]
    spec.isolation
        .missing
        .push("all of it (this is not Linux)".to_owned());
    let may_run = spec.isolation.confines() || spec.setting.allow_none;
    ChildEvent::Isolated(spec.isolation.clone()).write(&mut events)?;
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
    let mut child = std::process::Command::new(program);
    let child = match child
        .args(arguments)
        .current_dir(&spec.setting.folder)
        .stdin(Stdio::null())
        .spawn()
    {
        Ok(child) => Pid::from_child(&child),
        Err(error) => {
            eprintln!("slotwright: cannot run {program:?}: {error}");
            return Ok(ChildEvent::Ended {
                end: Ended::Exited(NOT_FOUND),
                time: started.elapsed(),
            });
        }
    };
    loop {
        let Some((pid, status)) = wait(WaitOptions::empty())? else {
            continue;
        };
        // Others are orphans, which the first process of a namespace has to bury.
        let end = match (
            pid == child,
            status.exit_status(),
            status.terminating_signal(),
        ) {
            (true, Some(code), _) => Ended::Exited(code),
            (true, _, Some(signal)) => Ended::Signal(signal),
            _ => continue,
        };
        return Ok(ChildEvent::Ended {
            end,
            time: started.elapsed(),
        });
    }
}

/// Sets the limits of each process. Gives which.
fn limit(limits: &Limits, isolation: &Isolation) -> io::Result<Vec<String>> {
    // None for memory: what a process may map is no measure, sanitizers map terabytes.
    let mut wanted = vec![
        ("core", Resource::Core, 0),
        ("file_size", Resource::Fsize, limits.file_size),
    ];
    // Outside a user namespace all processes of the person would count, and root's never do.
    if isolation.has_namespace("user") && !rustix::process::getuid().is_root() {
        wanted.push((
            "processes",
            Resource::Nproc,
            limits.kernel_processes().into(),
        ));
    }
    let mut names = Vec::new();
    for (name, resource, max) in wanted {
        let max = getrlimit(resource)
            .maximum
            .map_or(max, |there_is| max.min(there_is));
        setrlimit(
            resource,
            Rlimit {
                current: Some(max),
                maximum: Some(max),
            },
        )?;
        names.push(name.to_owned());
    }
    Ok(names)
}
