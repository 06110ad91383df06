use super::*;
use crate::format::patch::Action;
use crate::format::testing::{self, check_hunks, hunks, hunks_below, real_diffs};
use crate::hunk::{HunkLine, Tag};
use proptest::prelude::*;

/// Checks the short form of each edit: `path: ` and the body, with `@line` before it and `|section`
/// after it if they exist.
fn check(text: &str, expected: &[&str]) {
    assert!(is_in(text), "{text:?}");
    testing::is_read(parse, text, expected);
}

/// The same for the hunks of a file `x`.
fn in_x(hunks: &str, expected: &[&str]) {
    let expected: Vec<String> = expected.iter().map(|edit| format!("x: {edit}")).collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    check(&format!("--- x\n+++ x\n{hunks}"), &expected);
}

fn reject(text: &str, message: &str) {
    testing::is_rejected(parse, text, message);
}

#[test]
fn a_diff_as_tools_write_it() {
    check(
        "--- a/x.rs\n+++ b/x.rs\n@@ -3,2 +3,2 @@ fn f()\n a\n-b\n+c\n",
        &["x.rs: @3 =a -b +c |fn f()"],
    );
    check(
        "--- x\t2020-01-01 10:00:00\n+++ x\t2020-01-01 10:00:01\n@@ -1 +1 @@\n-b\n+c\n",
        &["x: @1 -b +c"],
    );
    check(
        "--- x y  2020-01-01 10:00:00\n+++ x y\n@@ -1 +1 @@\n-b\n+c\n",
        &["x y: @1 -b +c"],
    );
    check(
        "--- x\r\n+++ x\r\n@@ -1 +1 @@\r\n-b\r\n+c\r\n",
        &["x: @1 -b +c"],
    );
    in_x("@@ -4,0 +5 @@\n+c\n", &["@5 +c"]);
    in_x(
        "@@ -1 +1 @@\n-b\n+c\n@@ -8 +8 @@\n-d\n+e\n",
        &["@1 -b +c", "<@8 -d +e"],
    );
    in_x(
        "@@ -1 +1 @@\n--- b\n+++ c\n@@ -3 +3 @@\n-d\n+e\n",
        &["@1 --- b +++ c", "<@3 -d +e"],
    );
    check(
        "--- x\n+++ x\n@@ -1 +0,0 @@\n-b\n--- y\n+++ y\n@@ -1 +1 @@\n-d\n+e\n",
        &["x: @1 -b", "y: @1 -d +e"],
    );
    check(
        "From 1\n\n---\n x | 2 +-\n\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n-- \n2.34.1\n\n",
        &["x: @1 -b +c"],
    );
}

#[test]
fn lines_that_lost_their_space_are_not_taken_for_headings() {
    let lines = [
        "index = 0",
        "From here on",
        "commit()",
        "diff it",
        "copy to x",
        "===== x",
        "old mode on",
    ];
    for line in lines {
        let text = format!("--- x\n+++ x\n@@ -1,3 +1,3 @@\n-a\n+b\n{line}\n-c\n+d\n");
        let error = parse(&text).expect_err(&text).to_string();
        assert!(error.contains("in or below a hunk"), "{line}: {error}");
    }
}

#[test]
fn an_answer_that_was_cut_off_before_the_new_lines_is_refused() {
    let head = "--- x\n+++ x\n@@ -1,5 +1,5 @@\n a\n";
    reject(
        &format!("{head}-b\n-c\n"),
        "line 3: the hunk that begins here has 1 of 5 new lines",
    );
    reject(
        &format!("```diff\n{head}-b\n-c"),
        "line 4: the hunk that begins here has 1 of 5 new lines",
    );
    reject(
        "--- x\n+++ x\n@@ -1 +1,2 @@\n-b",
        "line 3: the hunk that begins here has 0 of 2",
    );
    // A wrong count of both sides is a model's, and so is one in the middle of a patch.
    check(&format!("{head}-b\n+c\n-d"), &["x: @1 =a -b -d +c"]);
    in_x("@@ -1,4 +1,3 @@\n a\n b\n-c", &["@1 =a =b -c"]);
    in_x(
        "@@ -1,2 +1,2 @@\n a\n-b\n@@ -8 +8 @@\n-d\n+e\n",
        &["@1 =a -b", "<@8 -d +e"],
    );
}

#[test]
fn names() {
    let edit = |old: &str, new: &str, path: &str| {
        check(
            &format!("--- {old}\n+++ {new}\n@@ -1 +1 @@\n-b\n+c\n"),
            &[&format!("{path}: @1 -b +c")],
        );
    };
    edit("a/x", "b/x", "x");
    edit("i/x", "w/x", "x");
    edit("a/x", "a/x", "a/x");
    edit("a/x", "x", "a/x");
    edit("a/a/x", "b/a/x", "a/x");
    edit("old", "new", "old");
    edit("x.rs.orig", "x.rs", "x.rs");
    edit("x.rs", "x.rs.new", "x.rs");
    edit(r#""a/\303\251\t\"""#, r#""b/\303\251\t\"""#, "é\t\"");
    check(
        "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ x\n@@ -1 +1 @@\n-b\n+c\n",
        &["x: @1 -b +c"],
    );
    check(
        "diff --git a/a/x b/a/x\n--- a/a/x\n+++ b/a/x\n@@ -1 +1 @@\n-b\n+c\n",
        &["a/x: @1 -b +c"],
    );
    check(
        "diff --git b/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+c\n",
        &["b/x: write c\n"],
    );
    check(
        "diff --git c/x w/x\nnew file mode 100644\n--- /dev/null\n+++ w/x\n@@ -0,0 +1 @@\n+c\n",
        &["x: write c\n"],
    );
    check("---a/x\n+++b/x\n@@ ... @@\n-b\n+c\n", &["x: -b +c"]);
    for name in [r#""a/\x""#, r#""a"#, r#""a/\377""#, r#""a/\3""#, ""] {
        reject(
            &format!("--- {name}\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n"),
            "line 1: ",
        );
    }
}

#[test]
fn as_models_write_it() {
    check(
        "Sure.\n\n```diff\n--- x\n+++ x\n@@ ... @@\n-b\n+c\n\n```\nDone.\n- really\n",
        &["x: -b +c"],
    );
    check(
        "--- x\n+++ x\n@@ ... @@\n-b\n+c\n\n--- y\n+++ y\n@@ ... @@\n-d\n+e\n",
        &["x: -b +c", "y: -d +e"],
    );
    in_x(
        "@@ ... @@ class A\n-b\n@@ def f(): @@\n+e\n",
        &["-b |class A", "<+e |def f():"],
    );
    in_x("@@ -1,9 +1,7 @@\n a\n\n-b\n+c\n", &["@1 =a = -b +c"]);
    in_x("@@ -XX,3 +XX,3 @@ f\n-b\n+c\n", &["-b +c |f"]);
    in_x("@@\n+c\n a\n-b\n", &["+c =a -b"]);
    in_x("@@\n+c\n-b\n+d\n", &["-b +c +d"]);
    in_x("-b\n+c\n", &["-b +c"]);
    check("@@ ... @@\n-b\n+c\n", &["-: -b +c"]);
    check("```diff\n-b\n+c\n```\n", &["-: -b +c"]);
    in_x("@@ ... @@\n a\n@@ ... @@\n-b\n", &["-b"]);
    check(
        "--- x\n+++ x\n@@ -1,2 +1,2 @@\n-b\n+c\n--- y.rs\n+++ y.rs\n@@ -1 +1 @@\n-d\n",
        &["x: @1 -b +c", "y.rs: @1 -d"],
    );
    in_x("@@ -1,2 +1,3 @@\n a\n+c\n\n```\n", &["@1 =a +c ="]);
    in_x("@@ -1 +1 @@\n-b\n+c\n\nSo:\n- one\n", &["@1 -b +c"]);
    check(
        "```diff\n--- x\n+++ x\n@@\n-b\n```\nand\n```diff\n@@\n-c\n```\n",
        &["x: -b", "-: -c"],
    );
}

#[test]
fn files() {
    check(
        "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+b\n+c\n",
        &["x: write b\nc\n"],
    );
    check(
        "--- /dev/null\n+++ x\n@@\n+b\n\n+c\n\n",
        &["x: write b\n\nc\n"],
    );
    check(
        "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n\\ No newline at end of file\n",
        &["x: write b"],
    );
    check("--- /dev/null\n+++ x\n@@ ... @@\n-b\n+c\n", &["x: -b +c"]);
    check(
        "--- x\t1970-01-01 01:00:00.0 +0100\n+++ x\t2020-01-01 10:00:00\n@@ -0,0 +1 @@\n+b\n",
        &["x: write b\n"],
    );
    let gone = |date: &str, body: &str| format!("--- a/x\tnow\n+++ b/x\t{date}\n{body}");
    for date in [
        "1970-01-01 01:00:00.000000000 +0100",
        "1969-12-31 19:00:00.000000000 -0500",
        "Thu Jan  1 01:00:00 1970",
        "Thu, 01 Jan 1970 00:00:00 GMT",
    ] {
        check(&gone(date, "@@ -1,2 +0,0 @@\n-b\n-c\n"), &["x: delete"]);
        check(&gone(date, "@@ -1,2 +1,1 @@\n b\n-c\n"), &["x: @1 =b -c"]);
    }
    check(
        &gone("2026-03-21 11:35:38", "@@ -1 +0,0 @@\n-b\n"),
        &["x: @1 -b"],
    );
    // Copied from a terminal, where blanks stand for the tab.
    check(
        "--- x y.txt Thu Jan  1 01:00:00 1970\n+++ x y.txt Sat Jan 10 10:00:00 2026\n@@ -0,0 +1 @@\n+b\n",
        &["x y.txt: write b\n"],
    );
    check(
        "diff --git a/x y b/x y\nnew file mode 100644\nindex 0..1\n",
        &["x y: write "],
    );
    check(
        "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n",
        &["x: delete"],
    );
    check(
        "diff --git a/x b/x\ndeleted file mode 100644\nBinary files a/x and /dev/null differ\n",
        &["x: delete"],
    );
    let rename = "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n";
    check(rename, &["x: move y"]);
    check(
        &format!("{rename}--- a/x\n+++ b/y\n@@ -1 +1 @@\n-b\n+c\n"),
        &["x: move y", "x: @1 -b +c"],
    );
    check(
        "diff --git a/x b/x\nold mode 100600\nnew mode 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n",
        &["x: @1 -b +c"],
    );
    let copy = "diff --git a/x b/y\nsimilarity index 90%\ncopy from x\ncopy to y\n";
    check(copy, &["y: copy x"]);
    check(
        &format!("{copy}--- a/x\n+++ b/y\n@@ -1 +1 @@\n-b\n+c\n"),
        &["y: copy x", "y: @1 -b +c"],
    );
}

#[test]
fn modes() {
    let hunk = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n";
    let to_755 = "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n";
    check(to_755, &["x: executable true"]);
    check(
        &format!("{to_755}{hunk}"),
        &["x: executable true", "x: @1 -b +c"],
    );
    check(
        "diff --git a/x b/x\nold mode 100755\nnew mode 100644\n",
        &["x: executable false"],
    );
    check(
        "diff --git a/x b/x\nnew file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+c\n",
        &["x: write c\n", "x: executable true"],
    );
    check(
        "diff --git a/x b/y\nold mode 100644\nnew mode 100755\nrename from x\nrename to y\n",
        &["x: move y", "x: executable true"],
    );
}

#[test]
fn what_cannot_be_done_is_refused_alone() {
    let next = "diff --git a/z b/z\n--- a/z\n+++ b/z\n@@ -1 +1 @@\n-b\n+c\n";
    let binary = "refused this is a binary patch, which cannot be applied";
    let link = "refused this changes a symbolic link or a submodule, which is not supported";
    for (text, refused) in [
        (
            "diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 2\nJcmZQ\n\n\
             literal 1\nIcmZQ\n\n",
            format!("x: {binary}"),
        ),
        (
            "diff --git a/x b/x\nBinary files a/x and b/x differ\n",
            format!("x: {binary}"),
        ),
        ("Binary files x and y differ\n", format!("-: {binary}")),
        (
            "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n\
             +to\n\\ No newline at end of file\n",
            format!("x: {link}"),
        ),
        (
            "diff --git a/x b/x\nindex 1..2 160000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n",
            format!("x: {link}"),
        ),
        (
            "diff --git a/x b/x\nold mode 100644\nnew mode 100600\n",
            "x: refused of a file's mode only whether it can be run is changed".to_owned(),
        ),
    ] {
        check(&format!("{text}{next}"), &[&refused, "z: @1 -b +c"]);
        check(&format!("{next}{text}"), &["z: @1 -b +c", &refused]);
    }
}

#[test]
fn headings_name_the_file_of_hunks_without_names() {
    let (hunk, other) = ("@@ -1 +1 @@\n-b\n+c\n", "@@ -5 +5 @@\n-d\n+e\n");
    let names = "--- a/x.py\n+++ b/x.py\n";
    check(
        &format!("In `x.py`:\n{hunk}\n### y.py (new)\n{other}"),
        &["x.py: @1 -b +c", "y.py: @5 -d +e"],
    );
    check(
        &format!("{names}{hunk}\nIn `y.py`:\n{other}"),
        &["x.py: @1 -b +c", "y.py: @5 -d +e"],
    );
    for between in ["And:\n", "In `x.py`:\n", "And then x.py has another.\n"] {
        check(
            &format!("{names}{hunk}\n{between}{other}"),
            &["x.py: @1 -b +c", "x.py: <@5 -d +e"],
        );
    }
    let file_edits = parse(&format!("{names}{hunk}\nThis is as in y.py.\n{other}")).unwrap();
    let Action::OneOf { names, .. } = &file_edits[1].action else {
        panic!("{file_edits:?}")
    };
    assert_eq!(names, &["y.py", "x.py"]);
}

#[test]
fn final_newlines() {
    let newline = |body: &str| match &parse(&format!("@@ -1 +1 @@\n{body}")).unwrap()[0].action {
        Action::Edit(hunk) => hunk
            .final_newline
            .map(|newline| (newline.before, newline.after)),
        other => panic!("{other:?}"),
    };
    assert_eq!(newline("-a\n+b\n"), None);
    assert_eq!(
        newline("-a\n\\ No newline at end of file\n+b\n"),
        Some((false, true))
    );
    assert_eq!(
        newline("-a\n+b\n\\ Kein Zeilenumbruch am Dateiende.\n"),
        Some((true, false))
    );
    assert_eq!(
        newline("+b\n a\n\\ No newline at end of file\n"),
        Some((false, false))
    );
}

#[test]
fn rejects() {
    reject(
        "--- x\n+++ x\ninvalid header\n a\n-b\n+c\n",
        "line 1: no hunk follows",
    );
    reject(
        "--- x\n+++ x\n@@ -1 +1 @@\n a\n",
        "line 3: no line of this hunk begins with + or -",
    );
    reject(
        "--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n",
        "line 1: both names",
    );
    reject(
        "--- /dev/null\n+++ x\n@@\n+a\n@@\n+b\n",
        "line 5: a new file has more than one hunk",
    );
    reject(
        "--- /dev/null\n+++ x\n@@\n a\n",
        "line 1: no line of the new file",
    );
    reject(
        "diff --git a/x y z\nnew file mode 100644\n",
        "line 1: cannot tell where",
    );
    reject(
        "diff --cc x\n@@@ -1,1 -1,1 +1,1 @@@\n",
        "line 1: this is the combined diff",
    );
    // A context line that lost its space, and the lines below it.
    reject(
        "```diff\n--- x\n+++ x\n@@\n-b\n+c\ndef f():\n-d\n```\n",
        "line 7: `def f():` is in or below a hunk",
    );
    reject(
        "--- x\n+++ x\n@@ -1,9 +1,9 @@\n-b\ndef f():\n-d\n",
        "line 5: `def f():` is in or below a hunk",
    );
    assert_eq!(parse("no diff here\n- really\n+ not\n"), Ok(Vec::new()));
}

#[test]
fn other_text_is_not_taken_for_it() {
    for text in [
        "",
        "- a\n- b\n",
        "---\ntitle: x\n---\n",
        "@@count = 0\n-1\n",
        "--x;\n++x;\n",
        "```\n-a\n```\n",
        "a @@ b\n",
    ] {
        assert!(!is_in(text), "{text:?}");
    }
}

#[test]
fn the_same_as_diff_and_git() {
    real_diffs("diff", &["-U0"], Some("old"), parse);
    real_diffs("diff", &["-u"], Some("old"), parse);
    real_diffs("git", &["diff", "--no-index"], Some("old"), parse);
}

/// Whether two lines of a hunk without counts look like the names of another file.
fn has_names(lines: &[HunkLine]) -> bool {
    lines.windows(2).any(|pair| {
        (pair[0].tag, pair[1].tag) == (Tag::Delete, Tag::Insert)
            && pair[0].text.starts_with("--")
            && pair[1].text.starts_with("++")
    })
}

proptest! {
    #[test]
    fn any_line_may_be_in_a_hunk_without_counts(hunks in hunks()) {
        prop_assume!(!hunks.iter().any(|lines| has_names(lines)));
        let text = format!("--- x\n+++ x\n{}", hunks_below("@@ ... @@\n", &hunks));
        check_hunks(&parse(&text), &hunks)?;
    }
}
