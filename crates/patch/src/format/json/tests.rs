use super::*;
use crate::format::patch::{Action, FileEdit, LineEdit, Over};
use crate::format::testing::is_refused;
use crate::hunk::{Count, Hunk};
use crate::slots::{Insert, Position};

fn edit(old: &str, new: &str) -> Action {
    Action::Edit(Hunk::of_text(old, new))
}

fn counted(old: &str, new: &str, count: Count) -> Action {
    Action::Edit(Hunk {
        count,
        ..Hunk::of_text(old, new)
    })
}

fn write(text: &str, over: Over) -> Action {
    Action::Write {
        text: text.to_owned(),
        over,
    }
}

#[track_caller]
fn check(text: &str, expected: &[(&str, usize, Action)]) {
    assert!(is_in(text), "{text}");
    let expected: Vec<FileEdit> = expected
        .iter()
        .map(|(path, line, action)| FileEdit {
            path: Some(path.to_string()).filter(|path| !path.is_empty()),
            line: *line,
            action: action.clone(),
        })
        .collect();
    assert_eq!(parse(text), Ok(expected), "{text}");
}

#[track_caller]
fn check_err(text: &str, line: usize, part: &str) {
    is_refused(&parse(text), line, part);
}

#[test]
fn every_tool_has_its_keys() {
    for text in [
        r#"{"path": "a", "old_string": "x", "new_string": "y"}"#,
        concat!(
            r#"{"file_path": "a", "old_string": "x""#,
            r#", "new_string": "y", "replace_all": false, "why": "it is"}"#,
        ),
        r#"{"filePath": "a", "oldString": "x", "newString": "y"}"#,
        r#"{"file": "a", "old_text": "x", "new_text": "y"}"#,
        r#"{"path": "a", "search": "x", "replace": "y", "expected_replacements": 1}"#,
        r#"{"command": "str_replace", "path": "a", "old_str": "x", "new_str": "y"}"#,
        r#"{"name": "edit", "input": {"path": "a", "old_string": "x", "new_string": "y"}}"#,
        concat!(
            r#"{"type": "function", "function": {"name": "edit","#,
            r#" "arguments": "{\"path\": \"a\", \"old_string\": \"x\", \"new_string\": \"y\"}"}}"#,
        ),
        r#"{"path": "a", "operation": "replace", "old": "x", "new": "y"}"#,
        r#"{"path": "a", "edits": [{"old_string": "x", "new_string": "y"}]}"#,
    ] {
        check(text, &[("a", 1, edit("x", "y"))]);
    }
}

#[test]
fn counts_and_places_are_read() {
    check(
        r#"{"path":"a","old_string":"x","new_string":"","replace_all":true}"#,
        &[("a", 1, counted("x", "", Count::All))],
    );
    check(
        r#"{"old_str":"x","new_str":"y","replaceAll":"true"}"#,
        &[("", 1, counted("x", "y", Count::All))],
    );
    check(
        r#"{"path":"a","old_string":"x","new_string":"y","expected_replacements":4}"#,
        &[("a", 1, counted("x", "y", Count::Exactly(4)))],
    );
    check(
        r#"{"path":"a","operation":"replace_all","old":"x","new":"y"}"#,
        &[("a", 1, counted("x", "y", Count::AllWords))],
    );
    check(
        r#"{"path":"a","old_string":"x\r\n","new_string":"y\n"}"#,
        &[("a", 1, edit("x\n", "y\n"))],
    );
    let mut hunk = Hunk::of_text("x", "y");
    hunk.hints.line = Some(12);
    check(
        r#"{"path":"a","operation":"replace","old":"x","place":"line 12, in f","new":"y"}"#,
        &[("a", 1, Action::Edit(hunk))],
    );
}

#[test]
fn files_are_written_and_lines_inserted() {
    check(
        r#"{"path":"a","old_string":"","new_string":"x"}"#,
        &[("a", 1, write("x", Over::Nothing))],
    );
    check(
        r#"{"path":"a","operation":"create","text":"x"}"#,
        &[("a", 1, write("x", Over::Nothing))],
    );
    check(
        r#"{"path":"a","content":"x"}"#,
        &[("a", 1, write("x", Over::Anything))],
    );
    check(
        r#"{"command":"create","path":"a","file_text":"x"}"#,
        &[("a", 1, write("x", Over::Anything))],
    );
    let lines = |new: &[&str]| {
        Action::Lines(LineEdit {
            line: 3,
            n_deleted: 0,
            new: new.iter().map(ToString::to_string).collect(),
        })
    };
    check(
        r#"{"command":"insert","path":"a","insert_line":3,"insert_text":"x\ny\n"}"#,
        &[("a", 1, lines(&["x", "y"]))],
    );
    check(
        r#"{"command":"insert","path":"a","insert_line":3,"new_str":"\n"}"#,
        &[("a", 1, lines(&[""]))],
    );
    let insert = Insert {
        anchor: "x".to_owned(),
        place: None,
        position: Position::After,
        text: "y".to_owned(),
    };
    check(
        r#"{"path":"a","operation":"insert","anchor":"x","position":"after","text":"y"}"#,
        &[("a", 1, Action::Insert(insert))],
    );
    check(r#"{"operation":"none","reason":"unclear"}"#, &[]);
}

#[test]
fn objects_stand_in_lists_lines_fences_and_prose() {
    let (x, y) = (
        r#"{"path":"a","old_string":"x","new_string":"y"}"#,
        "{\n  \"path\": \"b\",\n  \"content\": \"\"\n}",
    );
    check(
        &format!("[{x},\n {y}]"),
        &[
            ("a", 1, edit("x", "y")),
            ("b", 2, write("", Over::Anything)),
        ],
    );
    check(&format!("[\n  {x}\n]\n"), &[("a", 2, edit("x", "y"))]);
    check(
        &format!("{x}\n{y}\n"),
        &[
            ("a", 1, edit("x", "y")),
            ("b", 2, write("", Over::Anything)),
        ],
    );
    check(
        &format!("Here {{it}} is:\n\n```json\n{x}\n```\n{{}} no\n\nand\n[{y}]"),
        &[
            ("a", 4, edit("x", "y")),
            ("b", 9, write("", Over::Anything)),
        ],
    );
    check(
        &format!("{{ color: red }}\n[1, 2]\n{x}"),
        &[("a", 3, edit("x", "y"))],
    );
}

#[test]
fn what_models_get_wrong_in_json_is_read_where_it_is_plain() {
    check(
        "{\"path\":\"a\",\"old_string\":\"x\n\t\\\"\",\"new_string\":\"y\",}\n",
        &[("a", 1, edit("x\n\t\"", "y"))],
    );
    check(
        "{\"path\":\"a\",\"edits\":[\n{\"old_string\":\"x\",\"new_string\":\"y\"},\n],\n}",
        &[("a", 1, edit("x", "y"))],
    );
    check_err(
        "{\"path\":\"a\",\n\"old_string\":\"say \"x\"\",\n\"new_string\":\"y\"}",
        2,
        "expected `,` or `}`",
    );
    check_err(
        "\n{\"path\":\"a\",\n\"old_string\":\"x",
        3,
        "ends too early",
    );
}

#[test]
fn an_object_that_asks_for_nothing_clear_is_refused() {
    for row in [
        r#"{"path":"a","old_string":"x"} => `new_string` is missing"#,
        r#"{"path":"a","new_string":"x"} => `old_string` is missing"#,
        r#"{"path":"a","old_string":"x","new_string":3} => not a string"#,
        r#"{"path":"a","old_string":"x","new_string":"x"} => same text"#,
        r#"{"path":"","old_string":"x","new_string":"y"} => the path is empty"#,
        r#"{"old_string":"","new_string":"x"} => `path` is missing"#,
        r#"{"path":"a","old_string":"x","new_string":"y","replace_all":2} => neither true nor false"#,
        r#"{"path":"a","old_string":"x","new_string":"y","expected_replacements":0} => from 1 on"#,
        r#"{"command":"view","path":"a"} => `view` is no edit"#,
        r#"{"command":"insert","path":"a","insert_line":-1,"insert_text":"x"} => `insert_line`"#,
        r#"{"command":"insert","path":"a","insert_line":1,"insert_text":""} => nothing to insert"#,
        r#"{"path":"a","operation":"replace","old":"x","place":"none","new":"y"} => none of those"#,
        r#"{"path":"a","operation":"insert","anchor":"x","position":"on","text":"y"} => `before` or `after`"#,
        r#"{"path":"a","edits":[{"old_string":"x","new_string":"y"},{"old_string":"x"}]} => edit 2 of `edits`: `new_string`"#,
        r#"{"name":"edit","arguments":"{"} => holds no JSON object"#,
        r#"{"name":"ls","arguments":{}} => asks for no edit"#,
        r#"[{"path":"a","content":"x"} => not closed"#,
    ] {
        let (text, part) = row.split_once(" => ").unwrap();
        check_err(text, 1, part);
    }
}

#[test]
fn other_texts_have_no_edit() {
    for text in [
        "",
        "{",
        "[1]",
        "{ \"name\": \"app\", \"version\": \"1\" }",
        "fn a() {\n}\n{\n}",
        "+{\"path\":\"a\",\"content\":\"x\"}",
        "x\n {\"path\":\"a\",\"content\":\"x\"}",
    ] {
        assert!(!is_in(text), "{text}");
    }
}
