//! The process that watches a command from outside its walls: it starts the one inside, counts, and
//! kills.
//!
//! It ends everything when the command has ended, when a limit is passed, or when its standard
//! input closes, which happens also when the program is killed. It does not end before nothing of
//! the command is left.

#[cfg(target_os = "linux")]
use super::cgroup::Group;
use super::command::Ended;
use super::limits::Limits;
use super::protocol::{CHILD_ARGUMENT, ChildEvent, CommandSpec, INSIDE};
use super::{folder, layout, watch};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};
use std::io::{self, BufRead, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The shortest time between two looks at a limit.
const INTERVAL: Duration = Duration::from_millis(50);

/// Looking at one of them takes at most this part of the time: a large copy takes long to walk
/// through.
const PART: u32 = 10;

/// The limits that are looked at, each in its own time.
const LOOKS: [fn(&Watching) -> Option<Ended>; 2] = [
    Watching::passed_limit_of_processes,
    Watching::passed_limit_of_disk,
];

/// How long the process inside may take to restrict itself. Also how long killed processes may take
/// to be gone.
const PATIENCE: Duration = Duration::from_secs(20);

/// Reads what is to be done, does it, and says what came of it.
pub(super) fn run() -> io::Result<()> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let spec: CommandSpec = serde_json::from_str(&line)?;
    let last = supervise(spec).unwrap_or_else(|error| ChildEvent::Failed(error.to_string()));
    last.write(&mut io::stdout())
}

fn supervise(mut spec: CommandSpec) -> io::Result<ChildEvent> {
    let space = spec.setting.space.display().to_string();
    let _held = folder::hold(&spec.setting.space)
        .map_err(|error| failed(&format!("its folder {space}"), error))?;
    let started = Started::start(&mut spec)?;
    let watching = Watching::new(&spec, started);
    watching.watch()
}

/// Says what it was that failed: the kernel's word alone tells nobody.
fn failed(what: &str, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{what}: {error}"))
}

/// The process inside, and what keeps hold of it.
struct Started {
    child: Child,
    events: UnixStream,
    /// When the child is gone, so is every process of the command: the kernel's promise.
    is_alone: bool,
    #[cfg(target_os = "linux")]
    group: Option<Group>,
}

impl Started {
    fn start(spec: &mut CommandSpec) -> io::Result<Started> {
        #[cfg(target_os = "linux")]
        let group = {
            // Orphans come to this process.
            rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
            let group = Group::make(&spec.limits);
            match &group {
                Ok(group) => spec.isolation.cgroup = group.counts(),
                Err(reason) => spec
                    .isolation
                    .missing
                    .push(format!("control group ({reason})")),
            }
            if spec.setting.namespaces {
                match super::confine::enter_namespaces() {
                    Ok(names) => spec.isolation.namespaces = names,
                    Err(reason) => spec
                        .isolation
                        .missing
                        .push(format!("namespaces ({reason})")),
                }
            }
            spec.isolation.watched = ["memory", "processes", "disk"].map(str::to_owned).to_vec();
            group.ok()
        };
        let (events, theirs) = UnixStream::pair()?;
        let output = || io::stderr().as_fd().try_clone_to_owned().map(Stdio::from);
        let this = if cfg!(target_os = "linux") {
            PathBuf::from("/proc/self/exe")
        } else {
            std::env::current_exe()?
        };
        let mut command = Command::new(this);
        command
            .args([CHILD_ARGUMENT, INSIDE])
            .stdin(OwnedFd::from(theirs))
            .stdout(output()?)
            .stderr(output()?);
        let child = command
            .spawn()
            .map_err(|error| failed("starting the process inside", error))?;
        drop(command); // and with it the other end of the pair
        let is_alone = spec.isolation.has_namespace("pid");
        let mut started = Started {
            child,
            events,
            is_alone,
            #[cfg(target_os = "linux")]
            group,
        };
        // It waits to be told what to do, so that nothing happens outside the group.
        if let Err(error) = started.join_group().and_then(|()| started.tell(spec)) {
            started.kill_all();
            return Err(error);
        }
        Ok(started)
    }

    fn join_group(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if let Some(group) = &self.group {
            return group
                .add(self.child.id())
                .map_err(|error| failed("its control group", error));
        }
        Ok(())
    }

    fn tell(&mut self, spec: &CommandSpec) -> io::Result<()> {
        io::Write::write_all(&mut self.events, &spec.to_line()?)
            .map_err(|error| failed("telling the process inside", error))
    }

    /// Kills what is left of the command. Gives how many processes are there in spite of it.
    fn kill_all(&mut self) -> usize {
        let deadline = Instant::now() + PATIENCE;
        let inside = Pid::from_child(&self.child);
        loop {
            let _ = kill_process(inside, Signal::KILL); // each of these may be gone
            if !self.is_alone {
                let _ = kill_process_group(inside, Signal::KILL);
                #[cfg(target_os = "linux")]
                self.group.as_ref().map(Group::kill);
                for pid in watch::descendants(std::process::id()) {
                    let _ = Pid::from_raw(pid as i32).map(|pid| kill_process(pid, Signal::KILL));
                }
            }
            // Every descendant is, or becomes, a child of this process: when there is none, there
            // is none.
            loop {
                match waitpid(None, WaitOptions::NOHANG) {
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

struct Watching {
    started: Started,
    limits: Limits,
    space: PathBuf,
    folders: Vec<PathBuf>,
    /// Bytes that the copy takes.
    disk_before: u64,
    /// When the process inside was told, and then when the command was started.
    since: Instant,
    time: Duration,
    buffer: Vec<u8>,
}

impl Watching {
    fn new(spec: &CommandSpec, started: Started) -> Watching {
        let space = spec.setting.space.clone();
        let folders = vec![
            layout::copy_in(&space),
            layout::home_in(&space),
            layout::temporary_in(&space),
        ];
        let disk_before = if spec.command.is_some() {
            watch::disk_use(&folders, &[])
        } else {
            0
        };
        let (since, time) = (Instant::now(), PATIENCE);
        Watching {
            started,
            limits: spec.limits,
            space,
            folders,
            disk_before,
            since,
            time,
            buffer: Vec::new(),
        }
    }

    /// Until the command has ended or is ended.
    fn watch(mut self) -> io::Result<ChildEvent> {
        let last = self.last_event();
        let time = self.since.elapsed();
        match self.started.kill_all() {
            0 => Ok(match last? {
                Some(event) => event,
                None => ChildEvent::Ended {
                    end: Ended::Signal(Signal::KILL.as_raw()),
                    time,
                },
            }),
            n => Ok(ChildEvent::LeftBehind(n)),
        }
    }

    /// Waits for the last event of the process inside, or for a limit that is passed. None
    /// if that process was killed.
    fn last_event(&mut self) -> io::Result<Option<ChildEvent>> {
        let mut next_looks = [self.since; LOOKS.len()];
        loop {
            let (is_abandoned, is_ready) = self.wait()?;
            if is_abandoned {
                return Err(io::Error::other("nobody waits for the command any more"));
            }
            if is_ready {
                match self.next_event()? {
                    Said::Nothing => {}
                    Said::Isolated(event) => {
                        event.write(&mut io::stdout())?;
                        (self.since, self.time) = (Instant::now(), self.limits.time);
                    }
                    Said::Last(event) => return Ok(event),
                }
            }
            let time = self.since.elapsed();
            if time > self.time {
                return Ok(Some(ChildEvent::Ended {
                    end: Ended::TimedOut,
                    time,
                }));
            }
            for (next, look) in next_looks.iter_mut().zip(LOOKS) {
                let before = Instant::now();
                if before >= *next {
                    if let Some(end) = look(self) {
                        return Ok(Some(ChildEvent::Ended { end, time }));
                    }
                    *next = Instant::now() + INTERVAL.max(before.elapsed() * PART);
                }
            }
        }
    }

    /// Waits for what happens next, but not for long. Whether the program is gone; whether there is
    /// something to read.
    fn wait(&self) -> io::Result<(bool, bool)> {
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
        Ok((!both[0].revents().is_empty(), !both[1].revents().is_empty()))
    }

    fn next_event(&mut self) -> io::Result<Said> {
        let mut block = [0; 1 << 14];
        let n_read = match self.started.events.read(&mut block) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => 0,
            other => other?,
        };
        if n_read == 0 {
            return Ok(Said::Last(None));
        }
        self.buffer.extend_from_slice(&block[..n_read]);
        let Some(end) = self.buffer.iter().position(|&byte| byte == b'\n') else {
            return Ok(Said::Nothing);
        };
        let line: Vec<u8> = self.buffer.drain(..=end).collect();
        let event: ChildEvent = serde_json::from_slice(&line)?;
        // The last may have come together with the first.
        if let (ChildEvent::Isolated(_), Some(_)) =
            (&event, self.buffer.iter().position(|&byte| byte == b'\n'))
        {
            event.write(&mut io::stdout())?;
            return Ok(Said::Last(Some(serde_json::from_slice(&self.buffer)?)));
        }
        Ok(if let ChildEvent::Isolated(_) = event {
            Said::Isolated(event)
        } else {
            Said::Last(Some(event))
        })
    }

    fn passed_limit_of_processes(&self) -> Option<Ended> {
        let pids = watch::descendants(std::process::id());
        // One of them is the process inside.
        if pids.len() > self.limits.processes as usize + 1 {
            return Some(Ended::TooManyProcesses);
        }
        #[cfg(target_os = "linux")]
        if self
            .started
            .group
            .as_ref()
            .is_some_and(Group::ran_out_of_memory)
        {
            return Some(Ended::TooMuchMemory);
        }
        watch::use_more_memory_than(self.limits.memory, &pids, &self.space)
            .then_some(Ended::TooMuchMemory)
    }

    fn passed_limit_of_disk(&self) -> Option<Ended> {
        let used = watch::disk_use(&self.folders, &watch::descendants(std::process::id()));
        (used > self.disk_before.saturating_add(self.limits.disk)).then_some(Ended::TooMuchDisk)
    }
}

/// A message of the process inside.
enum Said {
    Nothing,
    Isolated(ChildEvent),
    Last(Option<ChildEvent>),
}
