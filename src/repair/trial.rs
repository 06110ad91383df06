//! A throw-away copy in which edits are tried. It holds the edits that are kept, the tests are run
//! in it, and the files that judge are watched.

use super::error::RepairError;
use super::guard::Judges;
use super::judge::{Expected, Finding, RunEnd, judge};
use super::options::RepairOptions;
use super::output::{self, Results, TestEnd};
use crate::patched::FileChange;
use crate::sandbox::{Command, Ended, Isolation, Limits, Sandbox};
use crate::text::Text;
use crate::workspace::{Listing, Workspace};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What test runners are told by their environment. pytest names every test in its summary, so that
/// none is lost unseen. Python keeps no compiled files: after an edit within the same second they
/// would be the old ones.
pub const ENVIRONMENT: &str = "\
export PYTEST_ADDOPTS=\"${PYTEST_ADDOPTS-} -rfEsxXp\" PYTHONDONTWRITEBYTECODE=1
export NO_COLOR=1 CARGO_TERM_COLOR=never RUST_BACKTRACE=0";

/// Later runs of the tests may take this many times what the first one took, as in cargo-mutants.
const TIMES_BASELINE: u32 = 5;

/// The shortest limit of a later run.
const SHORTEST_LIMIT: Duration = Duration::from_secs(10);

/// A run of the tests.
#[derive(Clone, Debug)]
pub(super) struct TestRun {
    pub end: RunEnd,
    pub results: Results,
    /// The output, without the path of the copy.
    pub output: String,
    pub time: Duration,
    /// A file that judges and is not what it was.
    pub changed_tests: Option<String>,
}

impl TestRun {
    /// Compares the run with what is expected.
    pub fn finding(&self, expected: &Expected) -> Finding {
        judge(
            expected,
            &self.end,
            &self.results,
            self.changed_tests.as_deref(),
        )
    }
}

/// A copy of the person's folder with edits in it.
pub(super) struct Trial {
    sandbox: Sandbox,
    /// The files that judge, by path, with the hashes of what they hold.
    watched: BTreeMap<String, [u8; 32]>,
    judges: Judges,
    limits: Limits,
    /// What fresh copies are made from.
    root: PathBuf,
    options: RepairOptions,
}

impl Trial {
    /// A copy of the folder as it is.
    pub fn of(root: &Path, options: &RepairOptions) -> Result<Trial, RepairError> {
        let mut trial = Trial {
            sandbox: Sandbox::of(root, &options.program, &options.sandbox)?,
            watched: BTreeMap::new(),
            judges: Judges::new(&options.command, options.test_file.as_deref()),
            limits: Limits {
                time: options.time,
                ..Limits::default()
            },
            root: root.to_path_buf(),
            options: options.clone(),
        };
        let workspace = trial.workspace()?;
        // All of them: what a project ignores must not hide a test from being watched.
        let paths = Listing::of(root).paths;
        for path in paths.iter().chain(&options.test_file) {
            if trial.judges.include(path) {
                trial.watch(&workspace, path);
            }
        }
        Ok(trial)
    }

    /// Another copy of the folder, with these edits, in which the same files are watched.
    pub fn fresh(&self, edits: &[&[FileChange]]) -> Result<Trial, RepairError> {
        let mut fresh = Trial::of(&self.root, &self.options)?;
        fresh.limits = self.limits;
        for changes in edits {
            fresh.put(changes)?;
            fresh.keep_watch_of_tests(changes)?;
        }
        fresh
            .watched
            .retain(|path, _| self.watched.contains_key(path));
        Ok(fresh)
    }

    /// Sets how long a run may take, by how long the first one took.
    pub fn limit_time_after(&mut self, baseline: &TestRun) {
        self.limits.time = (baseline.time * TIMES_BASELINE).max(SHORTEST_LIMIT);
    }

    /// Which files judge.
    pub fn judges(&self) -> &Judges {
        &self.judges
    }

    /// What confines the tests.
    pub fn isolation(&self) -> &Isolation {
        self.sandbox.isolation()
    }

    /// The copy as a folder that is edited.
    pub fn workspace(&self) -> Result<Workspace, RepairError> {
        Ok(Workspace::open(self.sandbox.folder())?)
    }

    /// Makes edits in the copy.
    pub fn put(&mut self, changes: &[FileChange]) -> Result<(), RepairError> {
        for change in changes {
            self.write(&change.path, Some(&change.after))?;
        }
        Ok(())
    }

    /// Takes edits back. A new file is removed.
    pub fn take_back(&mut self, changes: &[FileChange]) -> Result<(), RepairError> {
        for change in changes {
            self.write(&change.path, change.before.as_ref().map(Text::bytes))?;
        }
        Ok(())
    }

    /// Watches the tests among some edits from now on: they must stay what they are.
    pub fn keep_watch_of_tests(&mut self, changes: &[FileChange]) -> Result<(), RepairError> {
        let workspace = self.workspace()?;
        for FileChange { path, .. } in changes {
            if self.judges.is_test(path) {
                self.watch(&workspace, path);
            }
        }
        Ok(())
    }

    /// Runs the tests.
    pub async fn run_tests(&self) -> Result<TestRun, RepairError> {
        let command = Command::Shell(format!("{ENVIRONMENT}\n{}", self.options.command));
        let ran = self.sandbox.run(&command, &self.limits).await?;
        let folder = self.sandbox.folder().display().to_string();
        let output = ran.output.text();
        let output = output
            .replace(&format!("{folder}/"), "")
            .replace(&folder, ".");

        let mut results = output::read(&output);
        if ran.output.dropped > 0 {
            // Names may be missing from what was kept. The numbers are at the end.
            results.counts.passed = results.n_passed();
            results.tests.retain(|_, end| *end == TestEnd::Failed);
        }

        let workspace = self.workspace()?;
        let changed = self
            .watched
            .iter()
            .find(|(path, hash)| hash_of(&workspace, path) != Some(**hash));
        Ok(TestRun {
            end: self.end_of(ran.end),
            results,
            output,
            time: ran.time,
            changed_tests: changed.map(|(path, _)| path.clone()),
        })
    }

    fn end_of(&self, end: Ended) -> RunEnd {
        RunEnd::Stopped(match end {
            Ended::Exited(code) => return RunEnd::Exited(code),
            Ended::TimedOut => {
                let seconds = self.limits.time.as_secs();
                format!("they took longer than {seconds} s")
            }
            Ended::Signal(signal) => format!("ended by signal {signal}"),
            Ended::TooMuchDisk => "they wrote more than they may".to_owned(),
            Ended::TooMuchMemory => "they took more memory than they may".to_owned(),
            Ended::TooManyProcesses => "they started more processes than they may".to_owned(),
        })
    }

    /// Stops watching the files that the tests change by themselves.
    pub fn forgive(&mut self) -> Result<(), RepairError> {
        let workspace = self.workspace()?;
        self.watched
            .retain(|path, hash| hash_of(&workspace, path) == Some(*hash));
        Ok(())
    }

    /// Writes a file of the copy, whatever the tests have made of it.
    fn write(&mut self, path: &str, after: Option<&[u8]>) -> Result<(), RepairError> {
        let workspace = self.workspace()?;
        workspace.overwrite(path, after)?;
        if self.watched.contains_key(path) {
            self.watch(&workspace, path);
        }
        Ok(())
    }

    fn watch(&mut self, workspace: &Workspace, path: &str) {
        if let Some(hash) = hash_of(workspace, path) {
            self.watched.insert(path.to_owned(), hash);
        }
    }
}

fn hash_of(workspace: &Workspace, path: &str) -> Option<[u8; 32]> {
    workspace
        .read(path)
        .ok()
        .map(|text| Sha256::digest(text.bytes()).into())
}
