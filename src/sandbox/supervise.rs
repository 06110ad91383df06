//! The process that watches a command from outside its walls: it starts the one inside, counts, and
//! kills.
//!
//! It kills all processes when the command has ended, when a limit is passed, or when its standard
//! input closes, which happens also when the program is killed. It ends only when no process of the
//! command is left.

use super::command::Ended;
use super::layout::Space;
use super::limits::Limits;
use super::protocol::{CHILD_ARGUMENT, ChildEvent, CommandSpec, INSIDE};
use super::{folder, watch};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, wait};
use std::io::{self, BufRead, Read, Write};
use std::ops::ControlFlow;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// The shortest time between two looks at a limit.
const INTERVAL: Duration = Duration::from_millis(50);

/// Looking at a limit takes at most one part of so many of the time: a large copy takes long to
/// walk through.
const PART: u32 = 10;

/// The limits that are looked at, each in its own time.
const LOOKS: [fn(&Watching) -> Option<Ended>; 2] = [
    Watching::passed_limit_of_processes,
    Watching::passed_limit_of_disk,
];

/// How long the process inside may take to restrict itself. Also how long killed processes may take
/// to be gone.
const PATIENCE: Duration = Duration::from_secs(20);

/// Reads the orders, carries them out, and writes what happened.
pub(super) fn run() -> io::Result<()> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let spec: CommandSpec = serde_json::from_str(&line)?;
    let last = supervise(spec).unwrap_or_else(|error| ChildEvent::Failed(error.to_string()));
    last.write(&mut io::stdout())
}

fn supervise(mut spec: CommandSpec) -> io::Result<ChildEvent> {
    let space = spec.setting.space.path().display().to_string();
    let _held = folder::hold(&spec.setting.space)
        .map_err(|error| failed(&format!("its folder {space}"), error))?;
    let started = Started::start(&mut spec)?;
    let watching = Watching::new(&spec, started);
    watching.watch()
}

/// Adds what failed to an error of the system, which does not say it.
fn failed(what: &str, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{what}: {error}"))
}

/// The process inside, and what keeps hold of it.
struct Started {
    child: Child,
    events: UnixStream,
    /// Whether the kernel ends all processes of the command with the child: it has a namespace.
    is_alone: bool,
}

impl Started {
    fn start(spec: &mut CommandSpec) -> io::Result<Started> {
        #[cfg(target_os = "linux")]
        isolate(spec)?;
        let (child, events) = start_inside()?;
        let mut started = Started {
            child,
            events,
            is_alone: spec.isolation.has_namespace("pid"),
        };
        if let Err(error) = started.order(spec) {
            started.kill_all();
            return Err(error);
        }
        Ok(started)
    }

    fn order(&mut self, spec: &CommandSpec) -> io::Result<()> {
        let written = self.events.write_all(&spec.to_line()?);
        written.map_err(|error| failed("ordering the process inside", error))
    }

    /// Kills what is left of the command. Returns the number of processes that could not be killed.
    fn kill_all(&mut self) -> usize {
        let deadline = Instant::now() + PATIENCE;
        let inside = Pid::from_child(&self.child);
        loop {
            let _ = kill_process(inside, Signal::KILL); // each of these may be gone
            if !self.is_alone {
                let _ = kill_process_group(inside, Signal::KILL);
                for pid in watch::descendants(std::process::id()) {
                    let _ = Pid::from_raw(pid as i32).map(|pid| kill_process(pid, Signal::KILL));
                }
            }

            // Every descendant is, or becomes, a child of this process. So none is left when there
            // is no child.
            loop {
                match wait(WaitOptions::NOHANG) {
                    Ok(Some(_)) => {}
                    Err(rustix::io::Errno::CHILD) => return 0,
                    _ => break,
                }
            }
            if Instant::now() > deadline {
                return watch::descendants(std::process::id()).len();
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Isolates this process as far as that is done from outside, and writes into the spec what is in
/// force.
#[cfg(target_os = "linux")]
fn isolate(spec: &mut CommandSpec) -> io::Result<()> {
    // Orphans come to this process.
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;

    let isolation = &mut spec.isolation;
    if spec.setting.namespaces {
        match super::confine::enter_namespaces() {
            Ok(names) => isolation.namespaces = names,
            Err(reason) => isolation.missing.push(format!("namespaces ({reason})")),
        }
    }
    isolation.watched = ["memory", "processes", "disk"].map(str::to_owned).to_vec();
    Ok(())
}

/// Starts the process inside. Its standard input is a socket, whose other end is returned.
fn start_inside() -> io::Result<(Child, UnixStream)> {
    let (events, theirs) = UnixStream::pair()?;
    let this = if cfg!(target_os = "linux") {
        PathBuf::from("/proc/self/exe")
    } else {
        std::env::current_exe()?
    };
    let child = Command::new(this)
        .args([CHILD_ARGUMENT, INSIDE])
        .stdin(OwnedFd::from(theirs))
        .stdout(io::stderr().as_fd().try_clone_to_owned()?)
        .stderr(io::stderr().as_fd().try_clone_to_owned()?)
        .spawn();
    let child = child.map_err(|error| failed("starting the process inside", error))?;
    Ok((child, events))
}

struct Watching {
    started: Started,
    limits: Limits,
    space: Space,
    /// How many bytes the copy takes.
    disk_before: u64,
    /// When the process inside got its orders, and later when it started the command.
    since: Instant,
    /// How long it may take from then on.
    time: Duration,
    /// When each limit is looked at next.
    next_looks: [Instant; LOOKS.len()],
    /// What the process inside has sent of its next message.
    buffer: Vec<u8>,
}

impl Watching {
    fn new(spec: &CommandSpec, started: Started) -> Watching {
        let space = spec.setting.space.clone();
        let disk_before = if spec.command.is_some() {
            watch::disk_use(&space.writable(), &[])
        } else {
            0
        };
        let since = Instant::now();
        Watching {
            started,
            limits: spec.limits,
            space,
            disk_before,
            since,
            time: PATIENCE,
            next_looks: [since; LOOKS.len()],
            buffer: Vec::new(),
        }
    }

    /// Watches until the command has ended by itself or was ended.
    fn watch(mut self) -> io::Result<ChildEvent> {
        let last = self.last_event();
        let time = self.since.elapsed();
        let n_left = self.started.kill_all();
        if n_left > 0 {
            return Ok(ChildEvent::LeftBehind(n_left));
        }
        Ok(last?.unwrap_or(ChildEvent::Ended {
            end: Ended::Signal(Signal::KILL.as_raw()),
            time,
        }))
    }

    /// Waits for the last event of the process inside, or for a limit that is passed. `None` if that
    /// process was killed.
    fn last_event(&mut self) -> io::Result<Option<ChildEvent>> {
        loop {
            if self.wait_for_events()?
                && let ControlFlow::Break(last) = self.read_events()?
            {
                return Ok(last);
            }
            let time = self.since.elapsed();
            if let Some(end) = self.passed_limit(time) {
                return Ok(Some(ChildEvent::Ended { end, time }));
            }
        }
    }

    /// Waits a short time for an event. Returns whether there is something to read.
    ///
    /// # Errors
    /// Also if the program is gone, or does not want the result any more.
    fn wait_for_events(&self) -> io::Result<bool> {
        let stdin = io::stdin();
        let mut both = [
            PollFd::new(&stdin, PollFlags::IN),
            PollFd::new(&self.started.events, PollFlags::IN),
        ];
        let rest = self.time.saturating_sub(self.since.elapsed()) + Duration::from_millis(1);
        let timeout = Timespec::try_from(rest.min(INTERVAL)).map_err(io::Error::other)?;
        match poll(&mut both, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }

        if !both[0].revents().is_empty() {
            return Err(io::Error::other(
                "the command's result is not wanted any more",
            ));
        }
        Ok(!both[1].revents().is_empty())
    }

    /// Reads what the process inside has sent. Breaks with its last event, or with `None` if it was
    /// killed.
    fn read_events(&mut self) -> io::Result<ControlFlow<Option<ChildEvent>>> {
        let mut block = [0; 1 << 14];
        let n_read = match self.started.events.read(&mut block) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => 0,
            other => other?,
        };
        if n_read == 0 {
            return Ok(ControlFlow::Break(None));
        }
        self.buffer.extend_from_slice(&block[..n_read]);

        while let Some(end) = self.buffer.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.buffer.drain(..=end).collect();
            let event: ChildEvent = serde_json::from_slice(&line)?;
            if !matches!(event, ChildEvent::Isolated(_)) {
                return Ok(ControlFlow::Break(Some(event)));
            }
            event.write(&mut io::stdout())?;
            // Now the command starts.
            self.since = Instant::now();
            self.time = self.limits.time;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The limit that is passed after this time, if one is.
    fn passed_limit(&mut self, time: Duration) -> Option<Ended> {
        if time > self.time {
            return Some(Ended::TimedOut);
        }
        for (i, look) in LOOKS.iter().enumerate() {
            let before = Instant::now();
            if before >= self.next_looks[i] {
                if let Some(end) = look(self) {
                    return Some(end);
                }
                self.next_looks[i] = Instant::now() + INTERVAL.max(before.elapsed() * PART);
            }
        }
        None
    }

    fn passed_limit_of_processes(&self) -> Option<Ended> {
        let pids = watch::descendants(std::process::id());
        // One of them is the process inside.
        if pids.len() > self.limits.processes as usize + 1 {
            return Some(Ended::TooManyProcesses);
        }
        watch::use_more_memory_than(self.limits.memory, &pids, self.space.path())
            .then_some(Ended::TooMuchMemory)
    }

    fn passed_limit_of_disk(&self) -> Option<Ended> {
        let pids = watch::descendants(std::process::id());
        let used = watch::disk_use(&self.space.writable(), &pids);
        (used > self.disk_before.saturating_add(self.limits.disk)).then_some(Ended::TooMuchDisk)
    }
}
