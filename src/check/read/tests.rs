//! What tools print, and what is read from it.

use super::*;

const FILES: &[&str] = &[
    "A.java",
    "a.go",
    "a.js",
    "a.php",
    "a.py",
    "a.sh",
    "b.js",
    "bad.py",
    "lib.py",
    "run.py",
    "src/a.c",
    "src/a.ts",
    "src/main.rs",
    "sub/x.py",
    "test_calc.py",
];

fn listed() -> Listed {
    Listed::new(FILES.iter().map(|path| (*path).to_owned()))
}

/// Complaints as `path:line:column message`, a line each; `?` for what only warns, and `<` between
/// frames.
#[track_caller]
fn check(output: &str, expected: &[&str]) {
    let mut lines = Vec::new();
    for complaint in read(output, &listed()) {
        let mut places = Vec::new();
        for place in &complaint.places {
            let column = place.column.map_or(String::new(), |n| format!(":{n}"));
            places.push(format!("{}:{}{column}", place.path, place.line));
        }
        let sign = match complaint.severity {
            Severity::Warning => "? ",
            Severity::Error => "",
        };
        lines.push(format!(
            "{sign}{} {}",
            places.join(" < "),
            complaint.message
        ));
    }
    assert_eq!(lines, expected, "{output}");
}

#[test]
fn gcc() {
    let output = "\
src/a.c: In function ‘main’:
src/a.c:4:18: error: ‘x’ undeclared (first use in this function)
    4 |   printf(\"%d\\n\", x);
      |                  ^
src/a.c:4:18: note: each undeclared identifier is reported only once for each function it appears in
src/a.c:5:11: error: expected ‘;’ before ‘}’ token
    5 |   return 0
src/a.c:3:7: warning: unused variable ‘unused’ [-Wunused-variable]
    3 |   int unused = 3;
make: *** [Makefile:4: a] Error 1
";
    check(
        output,
        &[
            "src/a.c:4:18 ‘x’ undeclared (first use in this function)",
            "src/a.c:5:11 expected ‘;’ before ‘}’ token",
            "? src/a.c:3:7 unused variable ‘unused’ [-Wunused-variable]",
        ],
    );
    let first = &read(output, &listed())[0];
    let shown = "src/a.c:4:18: error: ‘x’ undeclared (first use in this function)\n    4 |   \
                 printf(\"%d\\n\", x);\n      |                  ^";
    assert_eq!(first.text, shown);
}

#[test]
fn rustc() {
    let output = "\
error[E0425]: cannot find value `nope` in this scope
 --> src/main.rs:6:20
  |
6 |     println!(\"{}\", nope);
  |                    ^^^^ not found in this scope

warning: unused variable: `x`
 --> src/main.rs:5:9
  |
  = note: `#[warn(unused_variables)]` on by default

error: aborting due to 1 previous error

For more information about this error, try `rustc --explain E0425`.
";
    check(
        output,
        &[
            "src/main.rs:6:20 cannot find value `nope` in this scope",
            "? src/main.rs:5:9 unused variable: `x`",
        ],
    );
    let first = &read(output, &listed())[0];
    assert!(
        first.text.ends_with("^^^^ not found in this scope"),
        "{first:?}"
    );
    check(
        "thread 'main' panicked at src/main.rs:3:5:\nindex out of bounds\nnote: run with \
         `RUST_BACKTRACE=1`\n",
        &["src/main.rs:3:5 index out of bounds"],
    );
}

#[test]
fn cargo_as_json() {
    let output = r#"    Checking x v0.1.0 (/x)
{"reason":"compiler-artifact","package_id":"x","target":{"name":"y"}}
{"reason":"compiler-message","package_id":"x","manifest_path":"/x/Cargo.toml","target":{},"message":{"rendered":"error[E0308]: mismatched types\n","$message_type":"diagnostic","children":[],"level":"error","message":"mismatched types","spans":[{"byte_end":1,"byte_start":0,"column_end":10,"column_start":5,"expansion":null,"file_name":"src/main.rs","is_primary":true,"label":"expected `u32`, found `&str`","line_end":7,"line_start":7,"text":[]}],"code":{"code":"E0308","explanation":"…"}}}
{"reason":"compiler-message","message":{"rendered":"error: aborting","children":[],"level":"error","message":"aborting due to 1 previous error","spans":[],"code":null}}
{"reason":"build-finished","success":false}
error: could not compile `x` (bin "x") due to 1 previous error
"#;
    check(
        output,
        &["src/main.rs:7:5 mismatched types: expected `u32`, found `&str` [E0308]"],
    );
    let rustc = r#"{"$message_type":"diagnostic","message":"unused variable: `x`","code":{"code":"unused_variables","explanation":null},"level":"warning","spans":[{"file_name":"src/main.rs","byte_start":0,"byte_end":1,"line_start":2,"line_end":2,"column_start":9,"column_end":10,"is_primary":true,"text":[],"label":null,"suggested_replacement":null}],"children":[],"rendered":"warning"}"#;
    check(
        rustc,
        &["? src/main.rs:2:9 unused variable: `x` [unused_variables]"],
    );
}

#[test]
fn tsc() {
    let output = "\
src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.
error TS5023: Unknown compiler option 'x'.
";
    check(
        output,
        &["src/a.ts:3:5 Type 'string' is not assignable to type 'number'."],
    );
    check(
        "src/a.ts:3:5 - error TS2322: Type 'string' is wrong.\n\n3 let x: number = '';\n      ~\n",
        &["src/a.ts:3:5 Type 'string' is wrong."],
    );
}

#[test]
fn tracebacks_of_python() {
    let output = "\
Traceback (most recent call last):
  File \"run.py\", line 4, in <module>
    main()
  File \"run.py\", line 3, in main
    lib.load(\"a\")
  File \"/usr/lib/python3.11/json/decoder.py\", line 1, in f
TypeError: load() missing 1 required positional argument: 'mode'
done
  File \"bad.py\", line 1
    def f(:
          ^
SyntaxError: invalid syntax
";
    check(
        output,
        &[
            "run.py:4 < run.py:3 TypeError: load() missing 1 required positional argument: 'mode'",
            "bad.py:1 SyntaxError: invalid syntax",
        ],
    );
    check(
        "Traceback (most recent call last):\n  File \"/usr/x.py\", line 1\nKeyError: 'x'\n",
        &[],
    );
}

#[test]
fn node() {
    let output = "\
a.js:1
let x = ;
        ^

SyntaxError: Unexpected token ';'
    at wrapSafe (node:internal/modules/cjs/loader:1464:18)
b.js:2
  return nope;
  ^

ReferenceError: nope is not defined
    at f (b.js:2:3)

Node.js v20.20.2
";
    check(
        output,
        &[
            "a.js:1 SyntaxError: Unexpected token ';'",
            "b.js:2 ReferenceError: nope is not defined",
        ],
    );
}

#[test]
fn eslint() {
    let table = "\
\na.js
  1:5   error    'x' is assigned a value but never used  no-unused-vars
  3:10  warning  Missing semicolon                       semi

✖ 2 problems (1 error, 1 warning)
";
    check(
        table,
        &[
            "a.js:1:5 'x' is assigned a value but never used no-unused-vars",
            "? a.js:3:10 Missing semicolon semi",
        ],
    );
    let json = r#"[{"filePath":"a.js","messages":[{"ruleId":"no-undef","severity":2,"message":"'y' is not defined.","line":2,"column":3,"nodeType":"Identifier","messageId":"undef","endLine":2,"endColumn":4},{"ruleId":null,"fatal":true,"severity":2,"message":"Parsing error: Unexpected token","line":4,"column":1}],"suppressedMessages":[],"errorCount":2,"fatalErrorCount":1,"warningCount":0,"fixableErrorCount":0,"fixableWarningCount":0,"usedDeprecatedRules":[]}]"#;
    check(
        json,
        &[
            "a.js:2:3 'y' is not defined. [no-undef]",
            "a.js:4:1 Parsing error: Unexpected token",
        ],
    );
}

#[test]
fn ruff() {
    check(
        "a.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.\n[*] 1 fixable with the \
         `--fix` option.\n",
        &["a.py:1:8 F401 [*] `os` imported but unused"],
    );
    check(
        "F401 [*] `os` imported but unused\n --> a.py:1:8\n  |\n1 | import os\n  |        ^^\n\n\
         Found 1 error.\n",
        &["a.py:1:8 F401 [*] `os` imported but unused"],
    );
    let json = r#"[
  {
    "cell": null,
    "code": "F821",
    "end_location": { "column": 12, "row": 4 },
    "filename": "a.py",
    "fix": null,
    "location": { "column": 8, "row": 4 },
    "message": "Undefined name `nope`",
    "noqa_row": 4,
    "url": "https://docs.astral.sh/ruff/rules/undefined-name"
  }
]"#;
    check(json, &["a.py:4:8 Undefined name `nope` [F821]"]);
}

#[test]
fn mypy() {
    let output = "\
a.py:3: error: Incompatible return value type (got \"int\", expected \"str\")  [return-value]
a.py:3: note: Consider this
Found 1 error in 1 file (checked 1 source file)
";
    check(
        output,
        &["a.py:3 Incompatible return value type (got \"int\", expected \"str\")  [return-value]"],
    );
    let json = r#"{"file": "a.py", "line": 3, "column": 11, "message": "Incompatible return", "hint": null, "code": "return-value", "severity": "error"}
{"file": "a.py", "line": 3, "column": 11, "message": "See this", "hint": null, "code": null, "severity": "note"}
"#;
    check(json, &["a.py:3:12 Incompatible return [return-value]"]);
}

#[test]
fn go() {
    check(
        "# example.com/x\n./a.go:5:2: undefined: nope\n",
        &["a.go:5:2 undefined: nope"],
    );
    check(
        "# example.com/x\nvet: ./a.go:6:2: undefined: nope\n",
        &["a.go:6:2 undefined: nope"],
    );
    let json = r#"# example.com/x
{
	"example.com/x": {
		"printf": [
			{
				"posn": "a.go:9:2",
				"message": "fmt.Printf format %d has arg s of wrong type string"
			}
		]
	}
}
"#;
    check(
        json,
        &["a.go:9:2 fmt.Printf format %d has arg s of wrong type string"],
    );
    check(
        "panic: no\n\ngoroutine 1 [running]:\nmain.main()\n\ta.go:4 +0x1d\nexit status 2\n",
        &[],
    );
}

#[test]
fn others() {
    for (output, expected) in [
        (
            "A.java:3: error: ';' expected\n    int g() { return 1 }\n                      ^\n1 error\n",
            "A.java:3 ';' expected",
        ),
        (
            "a.sh: line 3: unexpected EOF while looking for matching `)'\n",
            "a.sh:3 unexpected EOF while looking for matching `)'",
        ),
        (
            "a.sh: 3: Syntax error: end of file unexpected (expecting \")\")\n",
            "a.sh:3 Syntax error: end of file unexpected (expecting \")\")",
        ),
        (
            "PHP Parse error:  syntax error, unexpected token \"}\" in a.php on line 4\n",
            "a.php:4 PHP Parse error:  syntax error, unexpected token \"}\"",
        ),
        (
            "  sub/x.py:3:5 - error: \"y\" is not defined\n",
            "sub/x.py:3:5 \"y\" is not defined",
        ),
        (
            "x.py:3: error: run in the folder below\n",
            "sub/x.py:3 run in the folder below",
        ),
        (
            "a.py:2:1: E302 expected 2 blank lines, got 1\n",
            "a.py:2:1 E302 expected 2 blank lines, got 1",
        ),
    ] {
        check(output, &[expected]);
    }
}

#[test]
fn what_names_no_file_of_the_folder_is_no_complaint() {
    for output in [
        "",
        "12:30:45 started\n",
        "http://127.0.0.1:80: refused\n",
        "/usr/include/stdio.h:3:5: error: no\n",
        "other.py:3: error: no\n",
        "{\"status\": \"ok\"}\n[1, 2]\n",
        "{\"a\": \n",
        "a.py\na.py: no number\na.py:0: none\n",
    ] {
        check(output, &[]);
    }
}

#[test]
fn tests_that_fail() {
    let output = "\
F.
======================================================================
FAIL: test_add (test_calc.T.test_add)
----------------------------------------------------------------------
Traceback (most recent call last):
  File \"test_calc.py\", line 5, in test_add
    self.assertEqual(lib.add(1, 2), 3)
  File \"lib.py\", line 2, in add
    return a - c
NameError: name 'c' is not defined

----------------------------------------------------------------------
Ran 2 tests in 0.000s

FAILED (failures=1)
";
    check(
        output,
        &[
            "test_calc.py:5 < lib.py:2 the test test_calc.T.test_add fails: NameError: name 'c' is not defined",
        ],
    );
    let output = "\
running 1 test
test tests::adds ... FAILED

failures:

---- tests::adds stdout ----
thread 'tests::adds' panicked at src/main.rs:8:40:
assertion failed: 1 == 2


failures:
    tests::adds

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";
    check(
        output,
        &[
            "src/main.rs:8:40 the test tests::adds fails: thread 'tests::adds' panicked at src/main.rs:8:40:",
        ],
    );
}

proptest::proptest! {
    #[test]
    fn nothing_that_is_printed_is_too_much(output in "(?s)(a\\.py:|1:|: |error|File \"a\\.py\", \
        line 1|\\S| |\n|\\{|\\[|\\}|\\]|\"| --> a\\.js:1:1){0,60}") {
        for complaint in read(&output, &listed()) {
            proptest::prop_assert!(!complaint.message.is_empty());
            proptest::prop_assert!(complaint.text.len() <= MAX_TEXT);
        }
    }
}
