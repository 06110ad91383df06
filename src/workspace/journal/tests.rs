use super::store::KEPT_ENTRIES;
use super::*;
use std::fs;

struct Setting {
    root: tempfile::TempDir,
    state: tempfile::TempDir,
    workspace: Workspace,
}

impl Setting {
    fn new(files: &[(&str, &str)]) -> Setting {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            fs::create_dir_all(root.path().join(path).parent().unwrap()).unwrap();
            fs::write(root.path().join(path), text).unwrap();
        }
        let workspace = Workspace::open(root.path()).unwrap();
        Setting {
            root,
            state: tempfile::tempdir().unwrap(),
            workspace,
        }
    }

    fn journal(&self) -> Journal {
        Journal::open(self.state.path(), &self.workspace).unwrap()
    }

    fn put(&self, path: &str, text: &str) {
        fs::write(self.root.path().join(path), text).unwrap();
    }

    #[track_caller]
    fn holds(&self, files: &[(&str, Option<&str>)]) {
        for (path, text) in files {
            assert_eq!(
                fs::read_to_string(self.root.path().join(path))
                    .ok()
                    .as_deref(),
                *text,
                "{path}"
            );
        }
    }
}

#[track_caller]
fn is_stale<T: std::fmt::Debug>(result: &Result<T, JournaledError>, expected: &str) {
    let Err(JournaledError::Commit(CommitError::Stale { path })) = result else {
        panic!("{result:?}")
    };
    assert_eq!(path, expected);
}

/// Changes that replace one file, make one and remove one.
fn changes() -> Vec<Change> {
    let removed = Change::remove("c.txt", b"c");
    vec![
        Change::replace("a.txt", b"a", b"A"),
        Change::create("new/b.txt", b"B"),
        removed,
    ]
}

const BEFORE: [(&str, Option<&str>); 3] = [
    ("a.txt", Some("a")),
    ("new/b.txt", None),
    ("c.txt", Some("c")),
];
const AFTER: [(&str, Option<&str>); 3] = [
    ("a.txt", Some("A")),
    ("new/b.txt", Some("B")),
    ("c.txt", None),
];

#[test]
fn what_was_written_can_be_undone_last_first() {
    let setting = Setting::new(&[("a.txt", "a"), ("c.txt", "c")]);
    setting
        .journal()
        .commit(&setting.workspace, &changes(), "first")
        .unwrap();
    setting.holds(&AFTER);
    setting
        .journal()
        .commit(
            &setting.workspace,
            &[Change::replace("a.txt", b"A", b"AA")],
            "second",
        )
        .unwrap();
    assert_eq!(
        setting.journal().undo(&setting.workspace).unwrap().what,
        "second"
    );
    setting.holds(&AFTER);
    assert_eq!(
        setting.journal().undo(&setting.workspace).unwrap().what,
        "first"
    );
    setting.holds(&BEFORE);
    assert!(
        !setting.root.path().join("new").exists(),
        "a folder that was made for it goes with it"
    );
    let nothing = setting.journal().undo(&setting.workspace);
    assert!(
        matches!(nothing, Err(JournaledError::NothingToUndo { .. })),
        "{nothing:?}"
    );
    let states: Vec<State> = setting
        .journal()
        .entries()
        .unwrap()
        .into_iter()
        .map(|(_, entry)| entry.state)
        .collect();
    assert_eq!(states, [State::Undone, State::Undone]);
}

#[test]
fn an_entry_of_an_older_program_is_undone() {
    let setting = Setting::new(&[]);
    let made = [Change::create("new/b.txt", b"b")];
    setting
        .journal()
        .commit(&setting.workspace, &made, "make")
        .unwrap();
    let path = setting.journal().folder().join("000001/entry.json");
    let entry = fs::read_to_string(&path).unwrap();
    let older = entry.replace(",\n      \"new_folders\": 1", "");
    assert_ne!(older, entry);
    fs::write(&path, older).unwrap();
    setting.journal().undo(&setting.workspace).unwrap();
    assert!(!setting.root.path().join("new").exists());
}

#[test]
fn an_empty_folder_that_was_there_stays() {
    let setting = Setting::new(&[("a.txt", "a")]);
    let folder = |path: &str| setting.root.path().join(path);
    fs::create_dir_all(folder("empty")).unwrap();
    let made = [
        Change::create("empty/b.txt", b"b"),
        Change::create("empty/new/deep/c.txt", b"c"),
        Change::create("empty/new/d.txt", b"d"),
    ];
    for is_by_number in [false, true] {
        setting
            .journal()
            .commit(&setting.workspace, &made, "make")
            .unwrap();
        if is_by_number {
            setting
                .journal()
                .undo_number(&setting.workspace, 2)
                .unwrap();
        } else {
            setting.journal().undo(&setting.workspace).unwrap();
        }
        assert!(folder("empty").is_dir());
        assert!(!folder("empty/new").exists());
    }
    // Whichever is taken back last takes the folder that was made for both.
    let two = ["new/a.txt", "new/b.txt"].map(|path| [Change::create(path, b"x")]);
    for one in &two {
        setting
            .journal()
            .commit(&setting.workspace, one, "make")
            .unwrap();
    }
    setting
        .journal()
        .undo_number(&setting.workspace, 3)
        .unwrap();
    setting
        .journal()
        .undo_number(&setting.workspace, 4)
        .unwrap();
    assert!(!folder("new").exists());
    // A deleted file takes its folder with it, as in git.
    setting.put("empty/b.txt", "b");
    let removed = [Change::remove("empty/b.txt", b"b")];
    setting
        .journal()
        .commit(&setting.workspace, &removed, "remove")
        .unwrap();
    assert!(!folder("empty").exists());
}

#[cfg(unix)]
#[test]
fn what_comes_back_has_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let setting = Setting::new(&[("run.sh", "x")]);
    let path = |name: &str| setting.root.path().join(name);
    fs::set_permissions(path("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    let mode_of = |name: &str| fs::metadata(path(name)).unwrap().permissions().mode() & 0o7777;
    let moved = Change {
        mode: setting.workspace.mode("run.sh"),
        ..Change::create("go.sh", b"x")
    };
    setting
        .journal()
        .commit(
            &setting.workspace,
            &[moved, Change::remove("run.sh", b"x")],
            "move",
        )
        .unwrap();
    assert_eq!(mode_of("go.sh"), 0o750);
    setting.journal().undo(&setting.workspace).unwrap();
    assert_eq!(mode_of("run.sh"), 0o750);
    setting.holds(&[("go.sh", None), ("run.sh", Some("x"))]);
}

#[test]
fn a_file_changed_since_is_not_undone_nor_any_other() {
    let setting = Setting::new(&[("a.txt", "a"), ("c.txt", "c")]);
    setting
        .journal()
        .commit(&setting.workspace, &changes(), "edit")
        .unwrap();
    setting.put("new/b.txt", "theirs");
    let refused = setting.journal().undo(&setting.workspace);
    is_stale(&refused.map(|_| ()), "new/b.txt");
    setting.holds(&[
        ("a.txt", Some("A")),
        ("new/b.txt", Some("theirs")),
        ("c.txt", None),
    ]);
}

#[test]
fn all_or_nothing() {
    let setting = Setting::new(&[("a.txt", "a"), ("c.txt", "theirs")]);
    let refused = setting
        .journal()
        .commit(&setting.workspace, &changes(), "edit");
    is_stale(&refused, "c.txt");
    setting.holds(&[
        ("a.txt", Some("a")),
        ("new/b.txt", None),
        ("c.txt", Some("theirs")),
    ]);
    assert_eq!(
        setting.journal().entries().unwrap(),
        [],
        "refused before it began"
    );
}

#[test]
fn what_fails_in_the_middle_is_taken_back() {
    let setting = Setting::new(&[("a.txt", "a"), ("c.txt", "c")]);
    let twice = [changes(), vec![Change::create("new/b.txt", b"again")]].concat();
    let failed = setting.journal().commit(&setting.workspace, &twice, "edit");
    let Err(JournaledError::Commit(CommitError::Exists { path })) = &failed else {
        panic!("{failed:?}")
    };
    assert_eq!(path, "new/b.txt");
    setting.holds(&BEFORE);
    assert_eq!(
        setting.journal().entries().unwrap()[0].1.state,
        State::RolledBack
    );
}

#[cfg(unix)]
#[test]
fn what_cannot_be_put_back_is_said_and_stays_begun() {
    let setting = Setting::new(&[("a.txt", "a")]);
    let from = setting.workspace.mode("a.txt").unwrap();
    // What is read-only is not written any more.
    let chmod = Some(crate::workspace::Chmod { from, to: 0o444 });
    let read_only = Change {
        chmod,
        ..Change::replace("a.txt", b"a", b"A")
    };
    // A file stands by then where its folder would be.
    let in_a_file = Change::create("new/b.txt", b"B");
    let changes = [read_only, Change::create("new", b""), in_a_file];
    let failed = setting
        .journal()
        .commit(&setting.workspace, &changes, "edit");
    let Err(JournaledError::HalfDone { left, kept_in, .. }) = &failed else {
        panic!("{failed:?}")
    };
    assert!(
        matches!(&left[..], [CommitError::ReadOnly { path }] if path == "a.txt"),
        "{left:?}"
    );
    assert_eq!(fs::read(kept_in.join("0.before")).unwrap(), b"a");
    setting.holds(&[("a.txt", Some("A")), ("new", None)]);
    let message = failed.unwrap_err().to_string();
    assert!(message.starts_with("cannot write new/b.txt: "), "{message}");
    assert!(
        message.ends_with("cannot be put back: a.txt is read-only"),
        "{message}"
    );
    // So the next program sees that it has begun.
    assert_eq!(
        setting.journal().entries().unwrap()[0].1.state,
        State::Prepared
    );
}

/// The state that a program leaves if it is killed after writing this many files.
fn interrupted(n_written: usize, state: State) -> Setting {
    let setting = Setting::new(&[("a.txt", "a"), ("c.txt", "c")]);
    let journal = setting.journal();
    let (number, mut entry) = journal.store.prepare(&changes(), "edit", None).unwrap();
    let mut written = changes();
    if state == State::Undoing {
        for change in changes() {
            setting.workspace.write(&change).unwrap();
        }
        journal
            .store
            .mark(number, &mut entry, State::Undoing)
            .unwrap();
        written = changes().iter().map(Change::reversed).collect();
    }
    for change in &written[..n_written] {
        setting.workspace.write(change).unwrap();
    }
    setting
}

#[test]
fn what_was_interrupted_is_finished() {
    for n_written in 0..=3 {
        for (state, expected, files) in [
            (State::Prepared, State::Done, AFTER),
            (State::Undoing, State::Undone, BEFORE),
        ] {
            let setting = interrupted(n_written, state);
            let recovered = setting.journal().recover(&setting.workspace).unwrap();
            assert_eq!(
                (
                    recovered.len(),
                    recovered[0].changed.len(),
                    recovered[0].entry.state
                ),
                (1, 0, expected)
            );
            setting.holds(&files);
            assert_eq!(
                setting.journal().recover(&setting.workspace).unwrap(),
                [],
                "once"
            );
        }
    }
}

#[test]
fn what_somebody_changed_meanwhile_stays_and_the_rest_is_taken_back() {
    for n_written in 0..=3 {
        let setting = interrupted(n_written, State::Prepared);
        setting.put("a.txt", "theirs");
        let recovered = setting.journal().recover(&setting.workspace).unwrap();
        assert_eq!(recovered[0].changed, ["a.txt"]);
        assert_eq!(recovered[0].entry.state, State::RolledBack);
        setting.holds(&[
            ("a.txt", Some("theirs")),
            ("new/b.txt", None),
            ("c.txt", Some("c")),
        ]);
        assert_eq!(
            fs::read(recovered[0].kept_in.join("0.after")).unwrap(),
            b"A",
            "ours is kept"
        );
    }
    let setting = interrupted(1, State::Prepared);
    fs::remove_file(setting.root.path().join("a.txt")).unwrap();
    fs::create_dir(setting.root.path().join("a.txt")).unwrap();
    let recovered = setting.journal().recover(&setting.workspace).unwrap();
    assert_eq!(
        recovered[0].changed,
        ["a.txt"],
        "a folder is not ours either"
    );
}

fn commit(setting: &Setting, path: &str, before: &str, after: &str, what: &str) {
    let change = Change::replace(path, before.as_bytes(), after.as_bytes());
    setting
        .journal()
        .commit(&setting.workspace, &[change], what)
        .unwrap();
}

fn undo_number(setting: &Setting, number: u64) -> Result<Entry, JournaledError> {
    setting.journal().undo_number(&setting.workspace, number)
}

/// The numbers of the commits in force.
fn in_force(setting: &Setting) -> Vec<u64> {
    let entries = setting.journal().entries().unwrap();
    let numbers = entries.iter().map(|(number, _)| *number);
    numbers
        .filter(|number| is_in_force(&entries, *number))
        .collect()
}

#[test]
fn an_older_commit_is_undone_and_later_ones_in_other_lines_stay() {
    let setting = Setting::new(&[("a.txt", "a\nb\nc\n"), ("z.txt", "z\n")]);
    commit(&setting, "a.txt", "a\nb\nc\n", "A\nb\nc\n", "first");
    commit(&setting, "z.txt", "z\n", "Z\n", "second");
    commit(&setting, "a.txt", "A\nb\nc\n", "A\nb\nC\n", "third");
    setting.put("a.txt", "A\nb\nC\ntheirs\n");
    assert_eq!(undo_number(&setting, 2).unwrap().what, "second");
    setting.holds(&[("z.txt", Some("z\n"))]);
    assert_eq!(undo_number(&setting, 1).unwrap().what, "undo of 1: first");
    setting.holds(&[("a.txt", Some("a\nb\nC\ntheirs\n"))]);
    assert_eq!(in_force(&setting), [3, 4], "4 undoes 1");
    for number in [1, 2] {
        let again = undo_number(&setting, number);
        assert!(
            matches!(
                again,
                Err(JournaledError::NotInForce { was_done: true, .. })
            ),
            "{again:?}"
        );
    }
    // The undoing is undone like any other commit, and then the first one is in force again.
    assert_eq!(
        setting.journal().undo(&setting.workspace).unwrap().what,
        "undo of 1: first"
    );
    setting.holds(&[("a.txt", Some("A\nb\nC\ntheirs\n"))]);
    assert_eq!(in_force(&setting), [1, 3]);
    undo_number(&setting, 1).unwrap();
    setting.holds(&[("a.txt", Some("a\nb\nC\ntheirs\n"))]);
    let unknown = undo_number(&setting, 99);
    assert!(matches!(
        unknown,
        Err(JournaledError::NoSuchEntry { number: 99, .. })
    ));
}

#[test]
fn what_is_in_the_way_is_named() {
    let setting = Setting::new(&[("a.txt", "a\nb\nc\nd\n"), ("c.txt", "c")]);
    commit(&setting, "a.txt", "a\nb\nc\nd\n", "a\nB\nc\nd\n", "first");
    commit(&setting, "a.txt", "a\nB\nc\nd\n", "a\nB\nc\nD\n", "second");
    commit(&setting, "a.txt", "a\nB\nc\nD\n", "a\nBB\nc\nD\n", "third");
    let made = [
        Change::create("new/b.txt", b"B\n"),
        Change::remove("c.txt", b"c"),
    ];
    setting
        .journal()
        .commit(&setting.workspace, &made, "fourth")
        .unwrap();
    let files = [
        ("a.txt", Some("a\nBB\nc\nD\n")),
        ("new/b.txt", Some("theirs\nB\n")),
        ("c.txt", Some("back")),
    ];
    setting.put("new/b.txt", "theirs\nB\n");
    setting.put("c.txt", "back");
    let refused = |number: u64| match undo_number(&setting, number) {
        Err(JournaledError::InTheWay { obstacles, .. }) => {
            let shown = obstacles.into_iter().map(|Obstacle { path, place, by }| {
                (path, place, by.map(|(number, entry)| (number, entry.what)))
            });
            shown.collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    let line = |first: usize, last: usize| Place::Lines { first, last };
    let by = Some((3, "third".to_owned()));
    assert_eq!(refused(1), [("a.txt".to_owned(), line(2, 2), by)]);
    assert_eq!(
        refused(4),
        [
            ("new/b.txt".to_owned(), line(1, 1), None),
            ("c.txt".to_owned(), Place::File, None)
        ]
    );
    setting.holds(&files);
    assert_eq!(in_force(&setting), [1, 2, 3, 4], "nothing was undone");
    // Once that is out of the way, it can be undone.
    undo_number(&setting, 3).unwrap();
    undo_number(&setting, 1).unwrap();
    setting.holds(&[("a.txt", Some("a\nb\nc\nD\n"))]);
}

#[cfg(unix)]
#[test]
fn a_file_that_a_later_commit_made_executable_does_not_go() {
    use crate::workspace::Chmod;
    let setting = Setting::new(&[("a.txt", "a\n")]);
    let make = [
        Change::create("run.sh", b"x"),
        Change::replace("a.txt", b"a\n", b"A\n"),
    ];
    setting
        .journal()
        .commit(&setting.workspace, &make, "first")
        .unwrap();
    let from = setting.workspace.mode("run.sh").unwrap();
    let chmod = Some(Chmod {
        from,
        to: from | 0o111,
    });
    let run = [Change {
        chmod,
        ..Change::replace("run.sh", b"x", b"x")
    }];
    setting
        .journal()
        .commit(&setting.workspace, &run, "second")
        .unwrap();
    setting.put("a.txt", "A\nb\n");
    match undo_number(&setting, 1) {
        Err(JournaledError::InTheWay { obstacles, .. }) => {
            assert_eq!(
                obstacles
                    .iter()
                    .map(|obstacle| obstacle.path.as_str())
                    .collect::<Vec<_>>(),
                ["run.sh", "a.txt"]
            );
            assert_eq!(obstacles[0].by.as_ref().map(|(number, _)| *number), Some(2));
        }
        other => panic!("{other:?}"),
    }
    setting.put("a.txt", "A\n");
    assert!(
        undo_number(&setting, 1).is_err(),
        "nothing else is in the way"
    );
    undo_number(&setting, 2).unwrap();
    undo_number(&setting, 1).unwrap();
    setting.holds(&[("a.txt", Some("a\n")), ("run.sh", None)]);
}

#[test]
fn an_interrupted_undoing_of_an_older_commit_is_finished() {
    for n_written in 0..=2 {
        let setting = Setting::new(&[("a.txt", "a\nb\n"), ("b.txt", "a\nb\n")]);
        let both = |from: &str, to: &str| {
            ["a.txt", "b.txt"].map(|path| Change::replace(path, from.as_bytes(), to.as_bytes()))
        };
        let journal = setting.journal();
        journal
            .commit(&setting.workspace, &both("a\nb\n", "A\nb\n"), "first")
            .unwrap();
        journal
            .commit(&setting.workspace, &both("A\nb\n", "A\nB\n"), "second")
            .unwrap();
        // What `undo_number` writes, up to this file.
        let changes = both("A\nB\n", "a\nB\n");
        journal
            .store
            .prepare(&changes, "undo of 1: first", Some(1))
            .unwrap();
        for change in &changes[..n_written] {
            setting.workspace.write(change).unwrap();
        }
        assert!(is_in_force(&journal.entries().unwrap(), 1));
        journal.recover(&setting.workspace).unwrap();
        setting.holds(&[("a.txt", Some("a\nB\n")), ("b.txt", Some("a\nB\n"))]);
        assert!(!is_in_force(&journal.entries().unwrap(), 1));
    }
}

#[cfg(unix)]
#[test]
fn permissions_are_finished_undone_and_left_to_others() {
    use crate::workspace::Chmod;
    use std::os::unix::fs::PermissionsExt;
    for (is_written, is_theirs) in [(false, false), (true, false), (false, true), (true, true)] {
        let setting = Setting::new(&[("run.sh", "x")]);
        let path = setting.root.path().join("run.sh");
        let set = |mode: u32| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
        set(0o644);
        let chmod = Some(Chmod {
            from: 0o644,
            to: 0o755,
        });
        let changes = [Change {
            chmod,
            ..Change::replace("run.sh", b"x", b"x")
        }];
        setting
            .journal()
            .store
            .prepare(&changes, "edit", None)
            .unwrap();
        if is_written {
            setting.workspace.write(&changes[0]).unwrap();
        }
        if is_theirs {
            set(0o600);
        }
        let recovered = setting.journal().recover(&setting.workspace).unwrap();
        assert_eq!(recovered[0].changed.len(), usize::from(is_theirs));
        assert_eq!(mode(), if is_theirs { 0o600 } else { 0o755 });
        if !is_theirs {
            setting.journal().undo(&setting.workspace).unwrap();
            assert_eq!(mode(), 0o644);
        }
    }
}

#[test]
fn one_at_a_time_and_each_folder_has_its_own() {
    let setting = Setting::new(&[("a.txt", "a")]);
    let held = setting.journal();
    let second = Journal::open(setting.state.path(), &setting.workspace);
    assert!(
        matches!(second, Err(JournalError::Locked { .. })),
        "{second:?}"
    );
    let other = Setting::new(&[]);
    assert!(Journal::open(setting.state.path(), &other.workspace).is_ok());
    drop(held);
    setting.journal();
}

#[test]
fn old_entries_are_forgotten_and_unfinished_ones_are_not() {
    let setting = interrupted(0, State::Prepared);
    let journal = setting.journal();
    for i in 0..KEPT_ENTRIES + 5 {
        let (before, after) = (format!("{i}"), format!("{}", i + 1));
        let before = if i == 0 { "a" } else { &before };
        journal
            .commit(
                &setting.workspace,
                &[Change::replace(
                    "a.txt",
                    before.as_bytes(),
                    after.as_bytes(),
                )],
                "edit",
            )
            .unwrap();
    }
    let numbers: Vec<u64> = journal
        .entries()
        .unwrap()
        .iter()
        .map(|(number, _)| *number)
        .collect();
    assert_eq!(numbers.len(), KEPT_ENTRIES + 1);
    assert_eq!(
        numbers[..2],
        [1, 7],
        "the unfinished one, and then the newest"
    );
}

#[cfg(unix)]
#[test]
fn only_its_owner_reads_it() {
    use std::os::unix::fs::PermissionsExt;
    let setting = Setting::new(&[("a.txt", "a")]);
    let state = setting.state.path().join("slotwright");
    Journal::open(&state, &setting.workspace).unwrap();
    assert_eq!(
        fs::metadata(&state).unwrap().permissions().mode() & 0o777,
        0o700
    );
}
