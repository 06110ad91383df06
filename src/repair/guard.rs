//! The files that judge a repair, and must not be changed by it: existing tests, and the files that
//! say how tests are run.
//!
//! A model that is asked to make a test pass can also do it by changing the test. So files of tests
//! are not among those that it may choose, and an answer that names one is refused before anything
//! is written. In Rust, where tests are in the file that they test, the part of the file that is
//! only compiled for tests counts as a test.

use crate::patched::FileChange;
use crate::text::Text;
use std::ops::Range;

/// What an edit is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To make tests pass: no test may change.
    Fix,
    /// To add a test: nothing else may change, and what is there of tests stays.
    Test,
}

/// Whether a file holds tests, by its name or its folder: in the conventions of many languages.
pub fn is_test_file(path: &str) -> bool {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let stem = name.split('.').next().unwrap_or(name);
    folders.split('/').any(is_test_folder)
        || stem.split(['_', '-']).any(is_test_word)
        || name.split('.').skip(1).any(is_test_word)
        || ends_in_test(path)
}

fn is_test_word(word: &str) -> bool {
    matches!(word, "test" | "tests" | "spec" | "specs")
}

fn is_test_folder(name: &str) -> bool {
    is_test_word(name) || matches!(name, "__tests__" | "testing" | "testdata")
}

/// Whether a file's name is in camel case and ends in such a word: `CalcTest.java`.
fn ends_in_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let words = ["Test", "Tests", "Spec"];
    words
        .iter()
        .any(|word| stem.len() > word.len() && stem.ends_with(word))
}

/// Whether a file says how tests are run, or is loaded before them.
pub fn is_test_setup(path: &str) -> bool {
    const NAMES: &str = "\
        makefile gnumakefile justfile rakefile noxfile.py tox.ini pytest.ini setup.cfg \
        pyproject.toml conftest.py sitecustomize.py usercustomize.py unittest.py pytest.py \
        package.json .mocharc.json karma.conf.js ctestcustom.cmake phpunit.xml build.rs \
        run_tests.sh runtests.py";
    const FOLDERS: [&str; 4] = [".cargo", "node_modules", "site-packages", "_pytest"];
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    NAMES.split(' ').any(|setup| setup == name)
        || name.starts_with("jest.config.")
        || name.starts_with("vitest.config.")
        || name.ends_with(".mk")
        || lower.split('/').any(|part| FOLDERS.contains(&part))
}

/// Which files judge.
#[derive(Clone, Debug)]
pub struct Judges {
    /// As the shell gets it.
    command: String,
    /// A file of tests that the person named, whatever it is called.
    test_file: Option<String>,
}

impl Judges {
    /// For a test command.
    pub fn new(command: &str, test_file: Option<&str>) -> Judges {
        Judges {
            command: command.to_owned(),
            test_file: test_file.map(str::to_owned),
        }
    }

    /// Whether a file judges: it holds tests, says how they are run, or is what the command runs.
    pub fn include(&self, path: &str) -> bool {
        self.is_test(path) || self.is_setup(path)
    }

    /// Whether a file holds tests and nothing else.
    pub fn is_test(&self, path: &str) -> bool {
        self.test_file.as_deref() == Some(path) || is_test_file(path) && !self.is_setup(path)
    }

    fn is_setup(&self, path: &str) -> bool {
        is_test_setup(path) || runs(&self.command, path)
    }

    /// Checks that an edit leaves the files alone that judge.
    ///
    /// # Errors
    /// Why the edit is refused, in words for the model and the person.
    pub fn check(&self, change: &FileChange, purpose: Purpose) -> Result<(), String> {
        let before = change.before.as_ref();
        let decoded = Text::decode_after(before, change.after.clone()).ok();
        let before_text = before.map(Text::shown);
        let after_text = decoded.as_ref().map_or("", Text::shown);
        match purpose {
            Purpose::Fix => self.check_fix(&change.path, before_text, after_text),
            Purpose::Test => self.check_test(&change.path, before_text, after_text),
        }
    }

    fn check_fix(&self, path: &str, before: Option<&str>, after: &str) -> Result<(), String> {
        if self.include(path) {
            return Err(if before.is_none() {
                format!("{path} would be a new file of tests, or of what runs them")
            } else {
                format!("{path} holds tests, or says how they are run: it stays as it is")
            });
        }
        if path.ends_with(".rs") && parts(before.unwrap_or("")).1 != parts(after).1 {
            return Err(format!("it changes the tests in {path}"));
        }
        Ok(())
    }

    fn check_test(&self, path: &str, before: Option<&str>, after: &str) -> Result<(), String> {
        if self.is_setup(path) {
            return Err(format!("{path} says how tests are run: it stays as it is"));
        }
        let Some(before) = before else {
            return if self.is_test(path) {
                Ok(())
            } else {
                Err(format!(
                    "{path} is no place for a test: name it as the others are"
                ))
            };
        };

        if !self.is_test(path) {
            if !has_inner_tests(path, before) {
                return Err(format!("{path} holds no tests"));
            }
            if parts(before).0 != parts(after).0 {
                return Err(format!("it changes more than the tests in {path}"));
            }
        }
        if !is_subsequence(before, after) {
            return Err(format!(
                "it changes a test in {path}: tests may only be added"
            ));
        }
        Ok(())
    }
}

/// Whether a shell runs this file, itself or through an interpreter, in one of the commands of a
/// line.
fn runs(line: &str, path: &str) -> bool {
    let mut commands = line.split([';', '&', '|', '\n', '(', ')']);
    commands.any(|command| command_runs(command, path))
}

fn command_runs(command: &str, path: &str) -> bool {
    const INTERPRETERS: &str = "sh bash dash zsh python node ruby perl php deno bun lua";
    let mut words = command
        .split_whitespace()
        .map(|word| word.trim_matches(['"', '\'']))
        .skip_while(|word| is_before_program(word));
    let Some(program) = words.next() else {
        return false;
    };
    let name = program.rsplit('/').next().unwrap_or(program);
    // python3.11
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !INTERPRETERS
        .split(' ')
        .any(|interpreter| interpreter == name)
    {
        return is_path(program, path);
    }

    while let Some(word) = words.next() {
        match word {
            "-m" => {
                let module = words.next().unwrap_or_default().replace('.', "/");
                return path == format!("{module}.py") || path == format!("{module}/__main__.py");
            }
            // The next word belongs to these.
            "-W" | "-X" | "-I" | "-r" | "-C" | "--require" | "--import" => {
                words.next();
            }
            flag if flag.starts_with('-') => {}
            word => return is_path(word, path),
        }
    }
    false
}

/// Whether a word may come before a program, or is an option of such a word:
/// `timeout 60 python3 check.py`.
fn is_before_program(word: &str) -> bool {
    const BEFORE: &str = "\
        env time exec nice then do ! if timeout sudo nohup uv poetry pipenv pdm hatch rye run \
        xvfb-run";
    BEFORE.split(' ').any(|before| before == word)
        || word.contains('=')
        || word.starts_with(|c: char| c == '-' || c.is_ascii_digit())
}

fn is_path(word: &str, path: &str) -> bool {
    word.strip_prefix("./").unwrap_or(word) == path
}

/// Whether a file has tests and what they test in one.
pub fn has_inner_tests(path: &str, text: &str) -> bool {
    path.ends_with(".rs") && !inner_tests(text).is_empty()
}

/// Whether all lines are still there, in order.
fn is_subsequence(before: &str, after: &str) -> bool {
    let mut lines = after.lines();
    before
        .lines()
        .all(|wanted| lines.any(|line| line == wanted))
}

/// The lines of a Rust file that are code, and those that are tests.
fn parts(text: &str) -> (String, String) {
    let mut code = String::new();
    let mut tests = String::new();
    let mut at = 0;
    for range in inner_tests(text) {
        code += &text[at..range.start];
        tests += &text[range.clone()];
        at = range.end;
    }
    code += &text[at..];
    (code, tests)
}

/// The parts of a Rust file that are only compiled for tests: from `#[cfg(test)]` to the closing brace
/// at the same indentation, or to the semicolon of an item without a block.
fn inner_tests(text: &str) -> Vec<Range<usize>> {
    const MARK: &str = "#[cfg(test)]";
    let mut ranges = Vec::new();
    let mut open: Option<OpenItem> = None;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let start = end;
        end += line.len();
        let line = line.trim_end();

        let is_closed = if let Some(item) = &mut open {
            item.is_closed_by(line)
        } else if let Some(below) = line.trim_start().strip_prefix(MARK) {
            let indentation = &line[..line.len() - line.trim_start().len()];
            let item = open.insert(OpenItem {
                start,
                closing: format!("{indentation}}}"),
                has_block: false,
            });
            item.is_closed_by(below)
        } else {
            false
        };
        if is_closed && let Some(item) = open.take() {
            ranges.push(item.start..end);
        }
    }
    if let Some(item) = open {
        ranges.push(item.start..text.len());
    }
    ranges
}

/// An item for tests whose end has not come yet.
struct OpenItem {
    start: usize,
    /// The line that closes its block.
    closing: String,
    /// Whether its block has begun.
    has_block: bool,
}

impl OpenItem {
    /// Whether this line, without whitespace at its end, is the last one of the item.
    fn is_closed_by(&mut self, line: &str) -> bool {
        if self.has_block {
            return line == self.closing;
        }
        let line = line.trim_start();
        if line.starts_with("#[") || line.starts_with("//") {
            return false;
        }
        match line.find(['{', ';']) {
            Some(at) if line[at..].starts_with('{') => {
                self.has_block = true;
                line.ends_with('}')
            }
            Some(_) => true,
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_tests_are_known_by_their_names() {
        let tests = "tests/a.rs test_calc.py calc_test.go src/sum.test.js sum.spec.ts \
            spec/a_spec.rb test.c tests.py src/__tests__/a.js src/CalcTest.java CalcTests.cs \
            test-sum.js Test/x.py tests/testdata/in.txt";
        for path in tests.split(' ') {
            assert!(is_test_file(path), "{path}");
        }
        let others = "src/a.rs contest.py latest.js attest/x.py src/testimony.c protest.go \
            greatest.rs";
        for path in others.split(' ') {
            assert!(!is_test_file(path), "{path}");
        }
        let setup = "Makefile sub/conftest.py package.json jest.config.ts a/rules.mk unittest.py";
        for path in setup.split(' ') {
            assert!(is_test_setup(path), "{path}");
        }
        assert!(!is_test_setup("Cargo.toml") && !is_test_setup("src/make.py"));
    }

    #[test]
    fn what_of_a_rust_file_is_for_tests() {
        let code = "pub fn total() -> i32 {\n    1\n}\n";
        for tests in [
            "#[cfg(test)]\nmod tests;\n",
            "#[cfg(test)] use a::b;\n",
            "#[cfg(test)]\n#[path = \"t.rs\"]\n// apart\nmod tests;\n",
            "#[cfg(test)]\nmod t {}\n",
            "#[cfg(test)]\nmod tests {\n    fn a() {\n    }\n}\n",
            "#[cfg(test)]\nfn helper(\n    x: i32,\n) -> i32 {\n    x\n}\n",
        ] {
            let (seen, others) = parts(&format!("{tests}\n{code}"));
            assert_eq!((seen.trim_start(), others.as_str()), (code, tests));
        }
    }

    #[test]
    fn what_the_command_runs_judges() {
        let check = |command: &str, path: &str, expected: bool| {
            assert_eq!(
                Judges::new(command, None).include(path),
                expected,
                "{command}: {path}"
            );
        };
        let command = "A=1 sh ./check/all.sh && python3.11 -m pkg.check; ./go 2>&1 | cat";
        for command in [
            "python3 -u -B check.py",
            "timeout 60 python3 check.py",
            "timeout -k 5 60s python -W error check.py x",
            "poetry run python check.py",
            "sudo -n env A=1 uv run python3 -X dev check.py",
        ] {
            check(command, "check.py", true);
        }
        check("python3 run.py check.py", "check.py", false);
        for (path, expected) in [
            ("check/all.sh", true),
            ("all.sh", false),
            ("pkg/check.py", true),
            ("check.py", false),
            ("go", true),
            ("cat", true),
        ] {
            check(command, path, expected);
        }
        check("cc -o t calc.c && ./t", "calc.c", false);
        check("python3 -m doctest calc.py", "calc.py", false);
        check("python3 -B check.py", "check.py", true);
        assert!(Judges::new("make", Some("repro.py")).include("repro.py"));
    }

    fn change(path: &str, before: &str, after: &str) -> FileChange {
        let before =
            (!before.is_empty()).then(|| Text::decode(before.as_bytes().to_vec()).unwrap());
        FileChange {
            path: path.to_owned(),
            before,
            after: after.as_bytes().to_vec(),
        }
    }

    #[test]
    fn what_may_be_changed() {
        const RUST: &str = "fn a() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() {\n    }\
                            \n}\nfn b() {}\n";
        const CODE: &str = "fn a() {}\n";
        let edited = |from: &str, to: &str| RUST.replace(from, to);
        let added = "    #[test]\n    fn u() {\n    }\n    #[test]\n";
        let ignored = "    #[test]\n    #[ignore]\n"; // its name is missed then
        let with_tests = format!("{CODE}#[cfg(test)]\nmod t {{\n}}\n");
        let judges = Judges::new("make test", None);
        for (path, before, after, fix, test) in [
            ("a.py", "x\n", "y\n", true, false),
            ("new.py", "", "y\n", true, false),
            ("test_a.py", "x\n", "x\ny\n", false, true),
            ("test_a.py", "x\ny\n", "x\n", false, false),
            ("test_a.py", "x\n", "y\n", false, false),
            ("test_new.py", "", "y\n", false, true),
            ("conftest.py", "", "y\n", false, false),
            ("Makefile", "x\n", "y\n", false, false),
            ("a.rs", RUST, &edited("fn a", "fn x"), true, false),
            ("a.rs", RUST, &edited("fn b", "fn x"), true, false),
            ("a.rs", RUST, &edited("    #[test]\n", added), false, true),
            ("a.rs", RUST, &edited("    #[test]\n", ignored), false, true),
            ("a.rs", RUST, &edited("    fn t() {\n", ""), false, false),
            ("a.rs", CODE, &format!("{CODE}fn b() {{}}\n"), true, false),
            ("a.rs", CODE, &with_tests, false, false),
        ] {
            let change = change(path, before, after);
            let seen =
                [Purpose::Fix, Purpose::Test].map(|purpose| judges.check(&change, purpose).is_ok());
            assert_eq!(seen, [fix, test], "{path}: {before:?} to {after:?}");
        }
    }
}
