use super::*;
use crate::format::testing::{self, check_hunks, hunks, hunks_below, is_refused};
use proptest::prelude::*;

#[track_caller]
fn check(body: &str, expected: &[&str]) {
    let text = format!("*** Begin Patch\n{body}*** End Patch");
    assert!(is_in(&text));
    testing::is_read(parse, &text, expected);
}

#[track_caller]
fn check_err(text: &str, line: usize, part: &str) {
    is_refused(&parse(text), line, part);
}

#[test]
fn files_are_added_deleted_moved_and_updated() {
    check(
        "*** Add File: a/b.txt\n+x\n+\n+ y\n\n",
        &["a/b.txt: write x\n\n y\n"],
    );
    check(
        "*** Add File: empty\n  *** Delete File: c.txt \n",
        &["empty: write ", "c.txt: delete"],
    );
    check(
        "*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n",
        &["a: move b", "a: <-x +y"],
    );
    check(
        "*** Update File: a\n*** Move to: b\n@@\n same\n",
        &["a: move b"],
    );
    check("*** Update File: a\r\n@@\r\n-x\r\n+y\r\n", &["a: <-x +y"]);
    check("", &[]);
}

#[test]
fn hunks_have_headers_and_ends() {
    check("*** Update File: a\n x\n+y\n", &["a: <=x +y"]);
    check(
        "*** Update File: a\n\n@@ class A\n@@     def f\n+y\n-x\n x\n",
        &["a: <-x +y =x |class A |    def f"],
    );
    check(
        "*** Update File: a\n@@\n+y\n*** End of File\n\n*** Delete File: b\n",
        &["a: <+y $", "b: delete"],
    );
    check("*** Update File: a\n@@\n x\n@@\n-y\n", &["a: <-y |x"]);
    check(
        "*** Update File: a\n@@\n-a\n@@ b\n-c\n",
        &["a: <-a", "a: <-c |b"],
    );
}

#[test]
fn an_empty_line_stays_inside_a_hunk_only() {
    check(
        "*** Update File: a\n@@\n x\n\n-y\n\n\n@@\n-z\n\n",
        &["a: <=x = -y", "a: <-z"],
    );
    check("*** Update File: a\n@@\n-y\n \n", &["a: <-y ="]);
}

#[test]
fn a_patch_stands_in_prose_fences_and_heredocs() {
    let patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch\n";
    for text in [
        format!("Here it is:\n\n```diff\n{patch}```\n"),
        format!("```bash\napply_patch <<'EOF'\n{patch}EOF\n```\n"),
        format!("<<EOF\n{patch}EOF"),
        format!("cat <<\"PATCH\"\n\n{patch}PATCH\n"),
        patch.replace("***", " ***").replace('\n', " \r\n"),
        format!("> {}", patch.replace("\n***", "\n> ***")),
        format!("apply_patch <<'PATCH-1'\n{patch}PATCH-1\n"),
        format!("apply_patch <<\\EOF\n{patch}EOF\n"),
        format!(
            "apply_patch <<-'EOF'\n\t{}EOF\n",
            patch.replace("\n***", "\n\t***")
        ),
        format!("apply_patch \"{}\"\n", patch.trim_end()),
        format!("apply_patch '{patch}'\n"),
        patch.replace("Patch\n", "Patch ***\n"),
        format!("{}<|im_end|>", patch.trim_end()),
    ] {
        testing::is_read(parse, &text, &["a: delete"]);
    }
}

#[test]
fn a_broken_patch_is_refused_with_its_line() {
    for (body, line, part) in [
        (
            "*** Frobnicate File: a\n",
            2,
            "found `*** Frobnicate File: a`, expected",
        ),
        ("*** Add File:\n", 2, "missing"),
        ("*** Add File: a\nx\n", 3, "begins with `+`"),
        ("*** Add File: a\n+x\n\n+y\n", 5, "begins with `+`"),
        ("*** Delete File: a\nx\n", 3, "no lines"),
        ("*** Update File: a\n", 2, "nothing is to be changed"),
        ("*** Update File: a\n*** Move to:\n", 3, "without a path"),
        (
            "*** Update File: a\n*** Move to: b\n*** Delete File: c\n",
            2,
            "nothing is to be changed",
        ),
        ("*** Update File: a\n@@\n", 4, "no lines"),
        ("*** Update File: a\n@@\n\n", 5, "no lines"),
        ("*** Update File: a\n@@\n*** End of File\n", 4, "no lines"),
        ("*** Update File: a\n@@\n@@\n-x\n", 4, "twice"),
        ("*** Update File: a\n@@\n-x\nbad\n", 5, "found `bad`"),
        ("*** Update File: a\n@@\n x\n", 2, "no line"),
        (
            "*** Update File: a\n@@\n-x\n*** End of File\n-y\n",
            6,
            "expected `@@`",
        ),
        (
            "*** Update File: a\n@@\n-x\n*** Update File: ./a\n@@\n-y\n",
            5,
            "twice",
        ),
    ] {
        check_err(
            &format!("*** Begin Patch\n{body}*** End Patch\n"),
            line,
            part,
        );
    }
    check_err(
        "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n\n",
        5,
        "without `*** End Patch`",
    );
    check_err(
        "cat <<\"EOF'\n*** Begin Patch\n*** End Patch\nEOF\n",
        1,
        "quotes do not match",
    );
    assert_eq!(parse("bad"), Ok(Vec::new()));
    assert!(!is_in("what `*** Begin Patch` means"));
}

#[test]
fn a_shell_s_backslashes_are_undone_where_all_quotes_have_them() {
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n-say \\\"x\\\" \\$y\n+z\n*** End Patch";
    for (text, old) in [
        (format!("apply_patch \"{patch}\""), "say \"x\" $y"),
        (
            format!("apply_patch \"{}\"", patch.replace("\\\"", "\"")),
            "say \"x\" \\$y",
        ),
        (patch.to_owned(), "say \\\"x\\\" \\$y"),
    ] {
        testing::is_read(parse, &text, &[&format!("a: <-{old} +z")]);
    }
}

proptest! {
    #[test]
    fn any_line_may_be_in_a_hunk(hunks in hunks()) {
        let body = hunks_below("@@ above\n", &hunks);
        check_hunks(&parse(&format!("{BEGIN}\n{UPDATE} a\n{body}{END}")), &hunks)?;
    }
}
