//! Commands that use too much: time, processes, disk, memory.

use super::case::{Case, has, limits, running};
use slotwright::sandbox::{Ended, Limits};
use std::time::Duration;

#[test]
fn a_command_that_hangs_is_killed_with_all_that_it_started() {
    let case = Case::new(&[]);
    let limits = Limits {
        time: Duration::from_secs(2),
        ..limits()
    };
    let ran = case.run_within(
        "trap '' TERM HUP INT; sleep 86411 & (setsid sleep 86411 &) ; echo started; sleep 86411; \
         sleep 86411",
        &limits,
    );
    assert_eq!(
        (ran.end, ran.output.text().as_str()),
        (Ended::TimedOut, "started\n")
    );
    assert!(ran.time >= limits.time, "{:?}", ran.time);
    assert_eq!(running("86411"), 0);
}

#[test]
fn daemons_end_with_the_command() {
    let case = Case::new(&[]);
    let ran = case.run(
        "(setsid sh -c 'trap \"\" TERM; \
                        sleep 86412 & sleep 86412' >/dev/null 2>&1 &); sleep 1; echo done",
    );
    assert_eq!(
        (ran.end, ran.output.text().as_str()),
        (Ended::Exited(0), "done\n")
    );
    assert_eq!(running("86412"), 0);
    // One that keeps the output open does not keep us waiting.
    let ran = case.run("setsid sleep 86413 & echo done");
    assert_eq!(
        (ran.end, ran.output.text().as_str()),
        (Ended::Exited(0), "done\n")
    );
    assert_eq!(running("86413"), 0);
}

#[test]
fn forking_without_end_ends() {
    let python = "import os, sys\nwhile True:\n    try:\n        os.fork()\n    except OSError:\
                  \n        pass\n";
    let case = Case::new(&[
        ("bomb.sh", b"sh bomb.sh 86414 & sh bomb.sh 86414 & wait\n"),
        ("bomb.py", python.as_bytes()),
    ]);
    let limits = Limits {
        time: Duration::from_secs(30),
        processes: 40,
        ..limits()
    };
    // This one gives up when it cannot fork any more.
    case.run_within("sh bomb.sh 86414", &limits);
    assert_eq!(running("86414"), 0);
    if has("python3") {
        assert_eq!(
            case.run_within("python3 bomb.py 86414", &limits).end,
            Ended::TooManyProcesses
        );
        assert_eq!(running("86414"), 0);
    }
}

#[test]
fn a_full_disk_is_noticed() {
    let case = Case::new(&[]);
    let limits = Limits {
        disk: 64 << 20,
        file_size: 8 << 20,
        ..limits()
    };
    let many = "n=0; while :; do head -c 4000000 /dev/zero > file$n; n=$((n+1)); done";
    assert_eq!(case.run_within(many, &limits).end, Ended::TooMuchDisk);
    for place in ["$HOME", "$TMPDIR", "/tmp"] {
        assert_eq!(
            case.run_within(&format!("cd {place} && {many}"), &limits)
                .end,
            Ended::TooMuchDisk,
            "{place}"
        );
    }
    let ran = case.run_within(
        "head -c 100000000 /dev/zero > file; echo $(wc -c < file)",
        &limits,
    );
    assert_eq!(ran.output.text().lines().last(), Some("8388608"), "{ran:?}");
    let deleted = "for n in 3 4 5 6 7 8 9; do eval \"exec $n>f\"; rm f; \
                   head -c 8000000 /dev/zero >&$n; done; \
        sh -c 'for n in 3 4 5 6 7 8 9; do eval \"exec $n>f\"; rm f; head -c 8000000 /dev/zero \
            >&$n; done; sleep 60'; sleep 60";
    assert_eq!(case.run_within(deleted, &limits).end, Ended::TooMuchDisk);
}

#[test]
fn a_memory_hog_is_ended() {
    if !has("python3") {
        return;
    }
    let case = Case::new(&[]);
    let limits = Limits {
        memory: 256 << 20,
        ..limits()
    };
    // One process, several together, shared memory, and memory that is a file.
    let one = "python3 -c 'import time; x = b\"x\" * (400 << 20); time.sleep(60)'";
    assert_eq!(case.run_within(one, &limits).end, Ended::TooMuchMemory);
    // What is mapped and not used does no harm.
    let mapped = "python3 -c 'import mmap; x = mmap.mmap(-1, 100 << 30, \
                  flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000); print(len(x) >> 30)'";
    assert_eq!(case.run_within(mapped, &limits).output.text(), "100\n");
    let several = "for n in 1 2 3; do python3 -c 'x = b\"x\" * (120 << 20); import time; \
                   time.sleep(60)' & done; wait";
    assert_eq!(case.run_within(several, &limits).end, Ended::TooMuchMemory);
    let file = "python3 -c '
import os, time
for _ in range(8):
    os.write(os.memfd_create(\"\"), b\"x\" * (60 << 20))
time.sleep(60)'";
    assert_eq!(case.run_within(file, &limits).end, Ended::TooMuchMemory);
    let ran = case.run_within("head -c 400000000 /dev/zero > /dev/shm/x; echo $?", &limits);
    assert!(ran.output.text().ends_with("1\n"), "{ran:?}");
}
