//! Compilers, linkers, make, and shells that do not find a runner: no tests, but why there were
//! none.
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
    if results.not_built.is_none() {
        results.not_built = lines
            .iter()
            .find(|line| ERROR.is_match(line))
            .map(|line| (*line).to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::super::checked::check;

    #[test]
    fn errors_of_compilers_and_make() {
        for (output, expected) in [
            (
                "cc -o t t.c\nt.c:1:23: error: ‘x’ undeclared (first use in this function)\n\
                 make: *** [Makefile:4: t] Error 1\n",
                "t.c:1:23: error: ‘x’ undeclared (first use in this function)",
            ),
            (
                "t.c:1:10: fatal error: none.h: No such file\n",
                "t.c:1:10: fatal error: none.h: No such file",
            ),
            (
                "/usr/bin/ld: /tmp/cc.o: in function `main':\n\
                 t.c:(.text+0x5): undefined reference to `f'\n",
                "t.c:(.text+0x5): undefined reference to `f'",
            ),
            (
                "a.ts(1,7): error TS2322: Type 'x'\n",
                "a.ts(1,7): error TS2322: Type 'x'",
            ),
            (
                "A.java:3: error: ';' expected\n",
                "A.java:3: error: ';' expected",
            ),
            (
                "make: *** No rule to make target 'x'.  Stop.\n",
                "make: *** No rule to make target 'x'.  Stop.",
            ),
            (
                "sh: 1: jest: not found\nmake: *** [Makefile:2: test] Error 127\n",
                "sh: 1: jest: not found",
            ),
            (
                "/usr/bin/python3: No module named pytest\n",
                "/usr/bin/python3: No module named pytest",
            ),
            (
                "make: jest: No such file or directory\n",
                "make: jest: No such file or directory",
            ),
            (
                "t: t.c:2: main: Assertion `1+1==3' failed.\n\
                 make: *** [Makefile:2: test] Aborted\n",
                "no",
            ),
            ("t.c:3: warning: unused\nexpected no error: got one\n", "no"),
        ] {
            check(
                output,
                &format!("passed [] failed [] skipped []; 0 0 0; not built: {expected}"),
            );
        }
    }
}
