//! The files that judge a repair, and must not be changed by it: existing tests, and the files that
//! say how tests are run.
//!
//! A model that is asked to make a test pass can also do it by changing the test. So files of tests
//! are not among those that it is shown to choose from, and an answer that names one all the same
//! is refused before anything is written. In Rust, where tests are in the file that they test,
//! the part of the file that is only compiled for tests counts as one.

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

/// Why an edit is refused, in words for the model and the person.
pub type Refusal = String;

/// Whether a file holds tests, by its name or its folder: in the conventions of many languages.
pub fn is_test_file(path: &str) -> bool {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let stem = name.split('.').next().unwrap_or(name);
    let is_test_word = |word: &str| matches!(word, "test" | "tests" | "spec" | "specs");
    let own_name = path.rsplit('/').next().unwrap_or(path);
    let camel = own_name.split('.').next().unwrap_or(own_name);
    folders.split('/').any(|folder| {
        is_test_word(folder) || matches!(folder, "__tests__" | "testing" | "testdata")
    }) || stem.split(['_', '-']).any(is_test_word)
        || name.split('.').skip(1).any(is_test_word)
        || ["Test", "Tests", "Spec"]
            .iter()
            .any(|word| camel.len() > word.len() && camel.ends_with(word))
}

/// Whether a file says how tests are run, or is loaded before them.
pub fn is_test_setup(path: &str) -> bool {
    const NAMES: [&str; 22] = [
        "makefile",
        "gnumakefile",
        "justfile",
        "rakefile",
        "noxfile.py",
        "tox.ini",
        "pytest.ini",
        "setup.cfg",
        "pyproject.toml",
        "conftest.py",
        "sitecustomize.py",
        "usercustomize.py",
        "unittest.py",
        "pytest.py",
        "package.json",
        ".mocharc.json",
        "karma.conf.js",
        "ctestcustom.cmake",
        "phpunit.xml",
        "build.rs",
        "run_tests.sh",
        "runtests.py",
    ];
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    NAMES.contains(&name)
        || name.starts_with("jest.config.")
        || name.starts_with("vitest.config.")
        || name.ends_with(".mk")
        || lower.split('/').any(|part| {
            matches!(
                part,
                ".cargo" | "node_modules" | "site-packages" | "_pytest"
            )
        })
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

    /// Checks that an edit leaves alone what judges.
    ///
    /// # Errors
    /// Why it does not.
    pub fn check(&self, change: &FileChange, purpose: Purpose) -> Result<(), Refusal> {
        let FileChange {
            path,
            before,
            after,
        } = change;
        let before_text = before.as_ref().map_or("", Text::shown);
        let decoded = Text::decode_after(before.as_ref(), after.clone()).ok();
        let after_text = decoded.as_ref().map_or("", Text::shown);
        if purpose == Purpose::Fix {
            return match before {
                None if self.include(path) => Err(format!(
                    "{path} would be a new file of tests, or of what runs them"
                )),
                Some(_) if self.include(path) => Err(format!(
                    "{path} holds tests, or says how they are run: it stays as it is"
                )),
                _ if path.ends_with(".rs") && parts(before_text).1 != parts(after_text).1 => {
                    Err(format!("it changes the tests in {path}"))
                }
                _ => Ok(()),
            };
        }
        match before {
            _ if self.is_setup(path) => {
                Err(format!("{path} says how tests are run: it stays as it is"))
            }
            None if self.is_test(path) => Ok(()),
            None => Err(format!(
                "{path} is no place for a test: name it as the others are"
            )),
            Some(_) if !self.is_test(path) && !has_inner_tests(path, before_text) => {
                Err(format!("{path} holds no tests"))
            }
            Some(_) if !self.is_test(path) && parts(before_text).0 != parts(after_text).0 => {
                Err(format!("it changes more than the tests in {path}"))
            }
            Some(_) if !is_subsequence(before_text, after_text) => Err(format!(
                "it changes a test in {path}: tests may only be added"
            )),
            Some(_) => Ok(()),
        }
    }
}

/// Whether a shell runs this file, itself or through an interpreter, in one of the commands of a
/// line.
fn runs(line: &str, path: &str) -> bool {
    const INTERPRETERS: [&str; 12] = [
        "sh", "bash", "dash", "zsh", "python", "node", "ruby", "perl", "php", "deno", "bun", "lua",
    ];
    line.split([';', '&', '|', '\n', '(', ')']).any(|command| {
        // What may come before a program, with its own options: `timeout 60 python3 check.py`.
        const BEFORE: [&str; 19] = [
            "env", "time", "exec", "nice", "then", "do", "!", "if", "timeout", "sudo", "nohup",
            "uv", "poetry", "pipenv", "pdm", "hatch", "rye", "run", "xvfb-run",
        ];
        let is_before = |word: &&str| {
            BEFORE.contains(word)
                || word.contains('=')
                || word.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        };
        let mut words = command
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '\'']))
            .skip_while(is_before);
        let Some(program) = words.next() else {
            return false;
        };
        let name = program
            .rsplit('/')
            .next()
            .unwrap_or(program)
            .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is_it = |word: &str| word.strip_prefix("./").unwrap_or(word) == path;
        if !INTERPRETERS.contains(&name) {
            return is_it(program);
        }
        while let Some(word) = words.next() {
            match word {
                "-m" => {
                    return words.next().is_some_and(|module| {
                        let module = module.replace('.', "/");
                        path == format!("{module}.py") || path == format!("{module}/__main__.py")
                    });
                }
                // These take a word of their own.
                "-W" | "-X" | "-I" | "-r" | "-C" | "--require" | "--import" => {
                    words.next();
                }
                flag if flag.starts_with('-') => {}
                word => return is_it(word),
            }
        }
        false
    })
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

/// What of a Rust file is only compiled for tests: from `#[cfg(test)]` to the closing brace at the
/// same indentation, or to the semicolon of an item without a block.
fn inner_tests(text: &str) -> Vec<Range<usize>> {
    const MARK: &str = "#[cfg(test)]";
    let mut ranges = Vec::new();
    // Where it begins, the line that closes its block, and whether the block has begun.
    let mut open: Option<(usize, String, bool)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let bare = line.trim_end();
        let mut item = bare.trim_start();
        if open.is_none() {
            let Some(below) = item.strip_prefix(MARK) else {
                continue;
            };
            let indentation = &bare[..bare.len() - item.len()];
            open = Some((start, format!("{indentation}}}"), false));
            item = below.trim_start();
        }
        let Some((from, closing, has_begun)) = &mut open else {
            continue;
        };
        let is_closed = if *has_begun {
            bare == closing
        } else if item.starts_with("#[") || item.starts_with("//") {
            false
        } else {
            let first = item.find(['{', ';']).map(|i| item.as_bytes()[i]);
            *has_begun = first == Some(b'{');
            first == Some(b';') || *has_begun && item.ends_with('}')
        };
        if is_closed {
            ranges.push(*from..end);
            open = None;
        }
    }
    if let Some((from, ..)) = open {
        ranges.push(from..text.len());
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_tests_are_known_by_their_names() {
        for path in [
            "tests/a.rs",
            "test_calc.py",
            "calc_test.go",
            "src/sum.test.js",
            "sum.spec.ts",
            "spec/a_spec.rb",
            "test.c",
            "tests.py",
            "src/__tests__/a.js",
            "src/CalcTest.java",
            "CalcTests.cs",
            "test-sum.js",
            "Test/x.py",
            "tests/testdata/in.txt",
        ] {
            assert!(is_test_file(path), "{path}");
        }
        for path in [
            "src/a.rs",
            "contest.py",
            "latest.js",
            "attest/x.py",
            "src/testimony.c",
            "protest.go",
            "greatest.rs",
        ] {
            assert!(!is_test_file(path), "{path}");
        }
        for path in [
            "Makefile",
            "sub/conftest.py",
            "package.json",
            "jest.config.ts",
            "a/rules.mk",
            "unittest.py",
        ] {
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
            ("a.rs", RUST, &RUST.replace("fn a", "fn x"), true, false),
            ("a.rs", RUST, &RUST.replace("fn b", "fn x"), true, false),
            (
                "a.rs",
                RUST,
                &RUST.replace(
                    "    #[test]\n",
                    "    #[test]\n    fn u() {\n    }\n    #[test]\n",
                ),
                false,
                true,
            ),
            (
                "a.rs",
                RUST,
                &RUST.replace("    #[test]\n", "    #[test]\n    #[ignore]\n"),
                false,
                true,
            ), // its name is missed then
            (
                "a.rs",
                RUST,
                &RUST.replace("    fn t() {\n", ""),
                false,
                false,
            ),
            ("a.rs", "fn a() {}\n", "fn a() {}\nfn b() {}\n", true, false),
            (
                "a.rs",
                "fn a() {}\n",
                "fn a() {}\n#[cfg(test)]\nmod t {\n}\n",
                false,
                false,
            ),
        ] {
            let change = change(path, before, after);
            let seen =
                [Purpose::Fix, Purpose::Test].map(|purpose| judges.check(&change, purpose).is_ok());
            assert_eq!(seen, [fix, test], "{path}: {before:?} to {after:?}");
        }
    }
}
