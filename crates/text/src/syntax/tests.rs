use super::faults::MAX_BYTES;
use super::*;
use crate::text::testing::{cells, rows};
use arborium::tree_sitter::Query;

/// `line`: where it no longer parses, counted from 1.
#[track_caller]
fn check(path: &str, before: &str, after: &str, line: Option<usize>) {
    let found = breaks(path, Some(before), after);
    assert_eq!(found.map(|found| found.line), line, "{path}: {after}");
}

/// Columns: a path, its text before and after, and the line where it no longer parses, or `-`.
#[track_caller]
fn check_all(table: &str) {
    for [path, before, after, line] in rows(table) {
        check(&path, &before, &after, line.parse().ok());
    }
}

#[test]
fn what_parsed_and_no_longer_does() {
    check_all(
        r#"
        a.py   | x = f(1)⏎y = 2⏎       | x = f(1⏎y = 2⏎       | 1
        a.rs   | fn f() {⏎    g();⏎}⏎  | fn f() {⏎    g(;⏎}⏎  | 2
        a.json | {"a": 1}⏎             | {"a": 1⏎             | 1
        a.html | <p>one</p>⏎           | <p>one</b>⏎          | 1
        A.PY   | x = 1⏎                | x = = 1⏎             | 1
        "#,
    );
    let found = breaks("a/b.js", Some("let a = 1;\n"), "let a = 1;\nlet b = ;\n").unwrap();
    assert_eq!(
        (found.language, found.text.as_str()),
        (Language::JavaScript, "let b = ;")
    );
}

#[test]
fn what_parses_is_no_break() {
    check_all(
        "
        a.py     | x = 1⏎   | x = [⏎    1,⏎]⏎ | -
        a.py     | x = 1⏎   |                 | -
        a.txt    | x = (1)⏎ | x = (1⏎         | -
        Makefile | a: b⏎    | a: (b⏎          | -
        ",
    );
}

#[test]
fn a_new_file_has_to_parse() {
    assert_eq!(breaks("a.toml", None, "[a]\nb = 1\n"), None);
    let found = breaks("a.toml", None, "[a\nb = 1\n");
    assert_eq!(found.map(|found| found.line), Some(1));
}

/// A template, a dialect, a file that somebody is in the middle of.
#[test]
fn what_was_broken_already_is_no_break() {
    let template = |host: &str| format!("{{% if x %}}\nhost: {host}\n{{% endif %}}\nport: 1\n");
    check("a.yaml", &template("a"), &template("b"), None);
    let broken = "def f(:\n    pass\n\n\nx = 1\ny = 2\nz = 3\n";
    check("a.py", broken, &broken.replace("x = 1", "x = 10"), None);
    // Its fault is mended, and there is another one in the same line.
    check("a.py", broken, &broken.replace("def f(:", "def f()"), None);
    // The fault moves with the lines above it.
    check(
        "a.py",
        &format!("a = 1\n{broken}"),
        &format!("a = 1\nb = 2\n{broken}"),
        None,
    );
}

#[test]
fn a_new_fault_beside_an_old_one_is_a_break() {
    let broken = "def f(:\n    pass\n\n\ndef g():\n    return 1\n\n\ndef h():\n    return [1]\n";
    check("a.py", broken, &broken.replace("[1]", "[1"), Some(10));
}

#[test]
fn indentation_of_python() {
    let start = "class A:⏎    def f(self):⏎        if self:⏎";
    let good = format!("{start}            return 1⏎        return 2⏎");
    check_all(&format!(
        "
        a.py | {good} | {start}            return 1⏎      return 2⏎     | 5
        a.py | {good} | {start}            return 1⏎          return 2⏎ | 5
        a.py | {good} | {start}        return 2⏎                        | 3
        a.py | x = 1⏎                       | x = 1⏎  y = 2⏎                  | 2
        a.py | if a:⏎    b⏎else:⏎    c⏎     | if a:⏎    b⏎  else:⏎    c⏎      | 3
        a.py | @a⏎def f():⏎    b⏎           | @a⏎  def f():⏎    b⏎            | 2
        "
    ));
    for right in cells(
        r#"
        x = 1⏎# a⏎  # b⏎y = 2⏎
        if a: b; c⏎else: d⏎
        if a:⏎⇥b⏎⇥c⏎
        def f():⏎    """One.⏎  Two.⏎    """⏎    return (⏎  1⏎)⏎
        match a:⏎    case 1:⏎        b⏎    case _:⏎        c⏎
        try:⏎    a⏎except B:⏎    c⏎finally:⏎    d⏎
        x = [a if b else c for d in e]⏎
        @a⏎# b⏎@c⏎async def f():⏎    pass⏎
        class A: pass⏎⏎⏎x = 1
        for a in b:⏎    c⏎else:⏎    d⏎while a:⏎    b⏎else:⏎    c⏎
        if a:⏎    b⏎# c⏎elif d:⏎    e⏎
        if a:⏎    # b⏎    c⏎        # d⏎    e⏎
        "#,
    ) {
        check("a.py", "", &right, None);
    }
    check(
        "a.py",
        "",
        "\u{feff}x = 1\n\u{c}\ndef f():\n    ...\n",
        None,
    );
}

#[test]
fn names_tell_the_language() {
    for row in [
        "shell: .bashrc a/.profile PKGBUILD run.command",
        "C++: a.h a.ino a.tpp",
        "HTML: a.xhtml",
        "JSON: a.ipynb a.GeoJSON a.webmanifest composer.lock Pipfile.lock flake.lock x.json",
        "JSON with comments: a.jsonc a.code-workspace tsconfig.json tsconfig.build.json \
         .vscode/x.json",
        "Kotlin: build.gradle.kts",
        "Python: a.pyw SConstruct defs.bzl",
        "Ruby: Gemfile a/Rakefile x.gemspec config.ru Podfile",
        "TOML: Cargo.lock poetry.lock uv.lock Pipfile",
        "YAML: .clang-format CITATION.cff pubspec.lock",
        "-: a.txt Makefile yarn.lock Gemfile.lock .zshrc json rb  a.",
    ] {
        let (language, names) = row.split_once(": ").unwrap();
        for name in names.split(' ') {
            assert_eq!(
                Language::of(name).map_or("-", Language::name),
                language,
                "{name}"
            );
        }
    }
}

#[test]
fn a_first_line_tells_what_a_name_does_not() {
    for [path, text, language] in rows(
        r#"
        bin/run   | #!/bin/sh⏎x⏎                         | shell
        run       | #!/usr/bin/env -S FOO=1 python3.12 -u⏎ | Python
        run       | #! /usr/bin/ruby⏎                    | Ruby
        run.js    | #!/bin/sh⏎                           | JavaScript
        run       | #!/bin/zsh⏎                          | -
        run       | #!⏎                                  | -
        .eslintrc | { "a": 1 }⏎                          | JSON with comments
        .eslintrc | a: 1⏎                                | YAML
        "#,
    ) {
        let found = Language::of_file(&path, &text);
        assert_eq!(found.map_or("-", Language::name), language, "{text}");
    }
}

#[test]
fn a_notebook_is_json() {
    let notebook = "{\"cells\": [{\"source\": [\n  \"x = 1\\n\",\n  \"y\"\n]}]}\n";
    check(
        "a.ipynb",
        notebook,
        &notebook.replace("x = 1", "x = \"one\""),
        Some(2),
    );
    check(
        "a.ipynb",
        notebook,
        &notebook.replace("x = 1", "x = \\\"one\\\""),
        None,
    );
    check("Gemfile", "gem 'a'\n", "gem 'a\n", Some(1));
    check("run", "#!/bin/sh\na \"b\"\n", "#!/bin/sh\na \"b\n", Some(2));
}

#[test]
fn a_comma_behind_the_last_item_is_right_where_comments_are() {
    let before = "{\n  \"a\": [1, 2],\n  \"b\": {}\n}\n";
    let comma = "{\n  \"a\": [1, 2,],\n  \"b\": {}, // c\n}\n";
    for path in cells("tsconfig.json | a.code-workspace | .vscode/settings.json | .swcrc") {
        check(&path, before, comma, None);
        check(&path, before, &comma.replace("2,]", "2,,]"), Some(2));
        check(&path, before, &comma.replace("1, 2,]", ",]"), Some(2));
        check(&path, before, &comma.replace("2,]", "2"), Some(2));
    }
    check("package.json", before, comma, Some(2));
    // What has one already may have another.
    check(
        "config.json",
        comma,
        &comma.replace("{},", "{\"x\": 1,},"),
        None,
    );
    check(
        "config.json",
        comma,
        &comma.replace("{},", "{\"x\" 1,},"),
        Some(3),
    );
}

/// Every grammar is the one of its language, and of this version of the parser.
#[test]
fn every_language_has_its_grammar() {
    let texts = rows(
        r#"
        shell      | f() { echo "$1"; }⏎
        C          | int f(void) { return 1; }⏎
        C++        | template <class T> T f() { return {}; }⏎
        C#         | class A { int B { get; set; } }⏎
        CSS        | a > b { color: red; }⏎
        Go         | package a⏎⏎func f() (int, error) { return 1, nil }⏎
        HTML       | <!doctype html>⏎<p>a<br>b</p>⏎
        Java       | record A(int b) { }⏎
        JavaScript | export const a = async () => <b c={1} />;⏎
        JSON       | {"a": [1, null]}⏎
        JSON with comments | {⏎  // b⏎  "a": [1, null,], /* c */ // d⏎}⏎
        Kotlin     | fun f(a: Int?) = a ?: 1⏎
        PHP        | <?php⏎function f(?int $a): int { return $a ?? 1; }⏎
        Python     | async def f(a, /, *, b=1) -> int:⏎    return (c := a)⏎
        Ruby       | def f(a:)⏎  a&.b { %s }⏎end⏎
        Rust       | fn f<'a>(a: &'a str) -> impl Fn() + 'a { move %s () }⏎
        Swift      | func f(_ a: Int?) async throws -> Int { a! }⏎
        TOML       | [a.b]⏎c = { d = 1979-05-27 }⏎
        TSX        | const a = <T,>(b: T) => <c d={b as any} />;⏎
        TypeScript | const a = <T>b satisfies C;⏎type D = keyof C;⏎
        YAML       | a:⏎  - b: {c: 1}⏎    d: %s⏎      e⏎
        "#,
    );
    assert_eq!(texts.len(), Language::ALL.len());
    for (language, [name, text]) in Language::ALL.iter().zip(texts) {
        assert_eq!(language.name(), name);
        let bars = match language {
            Language::Ruby => "|c| c",
            Language::Rust => "||",
            _ => "|",
        };
        let text = text.replace("%s", bars);
        assert_eq!(
            faults(*language, &text),
            Some(Vec::new()),
            "{language}: {text}"
        );
        // CSS lets a text be without its last bracket, YAML takes nearly everything.
        let broken = format!("{text}\n)]}} \"(</i>\n");
        assert_ne!(
            faults(*language, &broken),
            Some(Vec::new()),
            "{language}: {broken}"
        );
    }
}

/// Nothing that a file may hold makes the check crash or run for ever.
#[test]
fn hostile_texts() {
    const LEN: usize = 100_000;
    let mut number = 1u32;
    let mut noise = || {
        number ^= number << 13;
        number ^= number >> 17;
        number ^= number << 5;
        number
    };
    let symbols: Vec<char> = "(){}[]<>\"'`;:,.#/*\\\n\t aA1=é\u{0}\u{2028}"
        .chars()
        .collect();
    let junk: String = (0..LEN)
        .map(|_| symbols[noise() as usize % symbols.len()])
        .collect();
    let steps: String = (0..1_000)
        .map(|n| format!("{}if a:\n", " ".repeat(n)))
        .collect();
    let nested = ["\"${", "- ", "? - ", "(", "{"].map(|part| part.repeat(300));
    for language in Language::ALL {
        for text in nested.iter().chain([&steps]) {
            assert_eq!(faults(*language, text), None, "{language}: {text:.10}");
        }
    }
    // Each may take as long as is allowed, so every grammar gets only one of them.
    let texts = [
        "(", "[", "{", "<", "<a>", "\"", "#{", "${", "- ", "a:\n", "/*", "\\", "\n", "if a ",
    ]
    .map(|part| part.repeat(LEN / part.len()));
    for (n, language) in Language::ALL.iter().enumerate() {
        let _ = faults(*language, &texts[n % texts.len()]);
        let _ = faults(*language, &junk);
    }
    // Lines and blocks as long as the file, which are not looked through anew for each statement.
    let alternatives = format!("if a: b\n{}", "elif a: b\n".repeat(LEN / 10));
    for text in [&"a;".repeat(LEN / 2), &"a\n".repeat(LEN / 2), &alternatives] {
        assert_eq!(faults(Language::Python, text), Some(Vec::new()));
    }
    assert_eq!(faults(Language::Json, &"[".repeat(MAX_BYTES + 1)), None);
}

#[test]
fn every_query_of_colours_is_of_its_grammar() {
    for &language in Language::ALL {
        let query = Query::new(&grammar(language), grammars::highlights_query(language));
        assert!(query.is_ok(), "{language}: {query:?}");
    }
}

#[test]
fn parts_of_code_have_their_class() {
    for [path, text, expected] in rows(
        r##"
        a.py   | def load(path):⏎    return f"{path}.toml" # all⏎ \
            | Keyword def, Function load, Keyword return, Text f", Text .toml", Comment # all
        a.rs   | fn f() -> u8 { 3 }⏎ | Keyword fn, Function f, Type u8, Number 3
        a.json | {"a": 1}            | Text "a", Number 1
        "##
        .replace("\\\n", "")
        .as_str(),
    ) {
        let parts = highlights(Language::of(&path).unwrap(), &text, 0..text.len());
        let found: Vec<String> = parts
            .into_iter()
            .map(|(range, class)| format!("{class:?} {}", &text[range]))
            .collect();
        assert_eq!(found.join(", "), expected);
    }
}

#[test]
fn only_what_is_asked_for_is_coloured() {
    let text = "x = 1\ny = 22\nz = 3\n";
    assert_eq!(
        highlights(Language::Python, text, 6..12),
        [(10..12, Class::Number)]
    );
    assert_eq!(highlights(Language::Python, text, 0..0), []);
    let deep = "(".repeat(10_000);
    assert_eq!(highlights(Language::Python, &deep, 0..5), []);
}
