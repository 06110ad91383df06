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

fn try_commit(
    setting: &Setting,
    changes: &[Change],
    description: &str,
) -> Result<(), JournaledError> {
    let journal = setting.journal();
    let unrecorded = journal.commit(&setting.workspace, changes, description)?;
    assert!(unrecorded.is_none());
    Ok(())
}

#[track_caller]
fn commit(setting: &Setting, changes: &[Change], description: &str) {
    try_commit(setting, changes, description).unwrap();
}

fn recover(setting: &Setting) -> Vec<Recovered> {
    setting.journal().recover(&setting.workspace).unwrap()
}

fn states(setting: &Setting) -> Vec<State> {
    let entries = setting.journal().entries().unwrap();
    entries.iter().map(|(_, entry)| entry.state).collect()
}

fn undo(setting: &Setting) -> Result<Entry, JournaledError> {
    setting.journal().undo(&setting.workspace, None)
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
    commit(&setting, &changes(), "first");
    setting.holds(&AFTER);
    commit(&setting, &[Change::replace("a.txt", b"A", b"AA")], "second");
    assert_eq!(undo(&setting).unwrap().what, "second");
    setting.holds(&AFTER);
    assert_eq!(undo(&setting).unwrap().what, "first");
    setting.holds(&BEFORE);
    assert!(
        !setting.root.path().join("new").exists(),
        "a folder that was made for it goes with it"
    );
    let nothing = undo(&setting);
    assert!(
        matches!(nothing, Err(JournaledError::NothingToUndo { .. })),
        "{nothing:?}"
    );
    assert_eq!(states(&setting), [State::Undone, State::Undone]);
}

#[test]
fn an_entry_of_an_older_program_is_undone() {
    let setting = Setting::new(&[]);
    let made = [Change::create("new/b.txt", b"b")];
    commit(&setting, &made, "make");
    let path = setting.journal().folder().join("000001/entry.json");
    let entry = fs::read_to_string(&path).unwrap();
    let older = entry.replace(",\n      \"new_folders\": 1", "");
    assert_ne!(older, entry);
    fs::write(&path, older).unwrap();
    undo(&setting).unwrap();
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
    commit(&setting, &made, "make");
    undo(&setting).unwrap();
    assert!(folder("empty").is_dir());
    assert!(!folder("empty/new").exists());
    // The commit that made a folder for both takes it back.
    for path in ["new/a.txt", "new/b.txt"] {
        commit(&setting, &[Change::create(path, b"x")], "make");
    }
    undo(&setting).unwrap();
    assert!(folder("new").exists());
    undo(&setting).unwrap();
    assert!(!folder("new").exists());
    // A deleted file takes its folder with it, as in git.
    setting.put("empty/b.txt", "b");
    let removed = [Change::remove("empty/b.txt", b"b")];
    commit(&setting, &removed, "remove");
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
    commit(&setting, &[moved, Change::remove("run.sh", b"x")], "move");
    assert_eq!(mode_of("go.sh"), 0o750);
    undo(&setting).unwrap();
    assert_eq!(mode_of("run.sh"), 0o750);
    setting.holds(&[("go.sh", None), ("run.sh", Some("x"))]);
}

#[test]
fn a_file_changed_since_is_not_undone_nor_any_other() {
    let setting = Setting::new(&[("a.txt", "a"), ("c.txt", "c")]);
    commit(&setting, &changes(), "edit");
    for theirs in ["new/b.txt", "c.txt"] {
        setting.put(theirs, "theirs");
        let refused = undo(&setting);
        let Err(JournaledError::ChangedSince { path, kept_in }) = &refused else {
            panic!("{refused:?}")
        };
        assert_eq!(path, theirs);
        assert_eq!(fs::read(kept_in.join("1.after")).unwrap(), b"B");
        setting.holds(&[("a.txt", Some("A")), (theirs, Some("theirs"))]);
        setting.put("new/b.txt", "B");
    }
}

#[test]
fn all_or_nothing() {
    let setting = Setting::new(&[("a.txt", "a"), ("c.txt", "theirs")]);
    let refused = try_commit(&setting, &changes(), "edit");
    let Err(JournaledError::Commit(CommitError::Stale { path })) = &refused else {
        panic!("{refused:?}")
    };
    assert_eq!(path, "c.txt");
    setting.holds(&[
        ("a.txt", Some("a")),
        ("new/b.txt", None),
        ("c.txt", Some("theirs")),
    ]);
    assert_eq!(states(&setting), [], "refused before it began");
}

#[test]
fn what_fails_in_the_middle_is_taken_back() {
    let setting = Setting::new(&[("a.txt", "a"), ("c.txt", "c")]);
    let twice = [changes(), vec![Change::create("new/b.txt", b"again")]].concat();
    let failed = try_commit(&setting, &twice, "edit");
    let Err(JournaledError::Commit(CommitError::Exists { path })) = &failed else {
        panic!("{failed:?}")
    };
    assert_eq!(path, "new/b.txt");
    setting.holds(&BEFORE);
    assert_eq!(states(&setting), [State::RolledBack]);
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
    let failed = try_commit(&setting, &changes, "edit");
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
    assert_eq!(states(&setting), [State::Prepared]);
}

/// The state that a program leaves if it is killed after writing this many files.
fn interrupted(n_written: usize, state: State) -> Setting {
    let setting = Setting::new(&[("a.txt", "a"), ("c.txt", "c")]);
    let journal = setting.journal();
    let (number, mut entry) = journal.store.prepare(&changes(), "edit").unwrap();
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
            let recovered = recover(&setting);
            assert_eq!(recovered.len(), 1);
            assert_eq!(recovered[0].changed, [""; 0]);
            assert_eq!(recovered[0].entry.state, expected);
            setting.holds(&files);
            assert_eq!(recover(&setting), [], "once");
        }
    }
}

#[test]
fn what_somebody_changed_meanwhile_stays_and_the_rest_is_taken_back() {
    for n_written in 0..=3 {
        let setting = interrupted(n_written, State::Prepared);
        setting.put("a.txt", "theirs");
        let recovered = recover(&setting);
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
    let recovered = recover(&setting);
    assert_eq!(
        recovered[0].changed,
        ["a.txt"],
        "a folder is not ours either"
    );
}

#[test]
fn only_the_last_commit_is_undone_by_its_number() {
    let setting = Setting::new(&[("a.txt", "a"), ("b.txt", "b")]);
    commit(&setting, &[Change::replace("a.txt", b"a", b"A")], "first");
    commit(&setting, &[Change::replace("b.txt", b"b", b"B")], "second");
    commit(&setting, &[Change::replace("b.txt", b"B", b"BB")], "third");
    let undo_number = |number: u64| setting.journal().undo(&setting.workspace, Some(number));
    let refused = undo_number(1).unwrap_err();
    let expected = "edit 1 is not the last one: undo 3, 2 first; nothing was undone";
    assert_eq!(refused.to_string(), expected);
    setting.holds(&[("a.txt", Some("A")), ("b.txt", Some("BB"))]);
    for number in [3, 2] {
        undo_number(number).unwrap();
        let again = undo_number(number);
        assert!(
            matches!(
                again,
                Err(JournaledError::NotInForce { was_done: true, .. })
            ),
            "{again:?}"
        );
    }
    undo_number(1).unwrap();
    setting.holds(&[("a.txt", Some("a")), ("b.txt", Some("b"))]);
    let unknown = undo_number(99);
    assert!(matches!(
        unknown,
        Err(JournaledError::NoSuchEntry { number: 99, .. })
    ));
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
        setting.journal().store.prepare(&changes, "edit").unwrap();
        if is_written {
            setting.workspace.write(&changes[0]).unwrap();
        }
        if is_theirs {
            set(0o600);
        }
        let recovered = recover(&setting);
        assert_eq!(recovered[0].changed.len(), usize::from(is_theirs));
        assert_eq!(mode(), if is_theirs { 0o600 } else { 0o755 });
        if !is_theirs {
            undo(&setting).unwrap();
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
        let change = Change::replace("a.txt", before.as_bytes(), after.as_bytes());
        journal
            .commit(&setting.workspace, &[change], "edit")
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
