//! Compilers, linkers, make, and shells that do not find a runner. They name no tests, but the reason
//! why none was run.
//!
//! ```text
//! t.c:1:23: error: ‘x’ undeclared (first use in this function)
//! make: *** [Makefile:4: t] Error 1
//! ```

use super::lines::regex;
use super::results::Results;
use regex::Regex;
use std::sync::LazyLock;

static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    let compiler = r"^[^\s:()]+(?::\d+|\(\d+,\d+\)|:)+ (?:fatal )?error(?: \w+)?: ";
    let linker = "undefined reference to ";
    let no_target = r"^make(?:\[\d+\])?: \*\*\* (?:No rule to make target|No targets)";
    let no_makefile = r"^make(?:\[\d+\])?: \S+: No such file";
    let shell = r"^(?:\S*/)?(?:ba|da|z)?sh: (?:line )?(?:\d+: )?\S+: (?:command )?not found$";
    let python = r"^\S*python[\d.]*: No module named \S+$";
    regex(&[compiler, linker, no_target, no_makefile, shell, python].join("|"))
});

pub(super) fn read(lines: &[&str], results: &mut Results) {
    if let Some(line) = lines.iter().find(|line| ERROR.is_match(line)) {
        results.note_not_built(line);
    }
}

#[cfg(test)]
mod tests {
    use super::super::checked::check;

    #[test]
    fn errors_of_compilers_and_make() {
        let make = "make: *** [Makefile:4: t] Error 1";
        for line in [
            "t.c:1:23: error: ‘x’ undeclared (first use in this function)",
            "t.c:1:10: fatal error: none.h: No such file",
            "t.c:(.text+0x5): undefined reference to `f'",
            "a.ts(1,7): error TS2322: Type 'x'",
            "A.java:3: error: ';' expected",
            "make: *** No rule to make target 'x'.  Stop.",
            "sh: 1: jest: not found",
            "/usr/bin/python3: No module named pytest",
            "make: jest: No such file or directory",
        ] {
            check(
                &format!("cc -o t t.c\nt.c: in function `main':\n{line}\n{make}\n"),
                &format!("passed [] failed [] skipped []; 0 0 0; not built: {line}"),
            );
        }
        for line in [
            "t: t.c:2: main: Assertion `1+1==3' failed.",
            "t.c:3: warning: unused\nexpected no error: got one",
        ] {
            check(
                &format!("{line}\n{make}\n"),
                "passed [] failed [] skipped []; 0 0 0; not built: no",
            );
        }
    }
}
