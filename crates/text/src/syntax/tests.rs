use super::faults::MAX_BYTES;
use super::*;
use arborium::tree_sitter::Query;

/// `line`: where it no longer parses, counted from 1.
#[track_caller]
fn check(path: &str, before: &str, after: &str, line: Option<usize>) {
    let found = breaks(path, Some(before), after);
    assert_eq!(found.map(|found| found.line), line, "{after}");
}

#[test]
fn what_parsed_and_no_longer_does() {
    check("a.py", "x = f(1)\ny = 2\n", "x = f(1\ny = 2\n", Some(1));
    check(
        "a.rs",
        "fn f() {\n    g();\n}\n",
        "fn f() {\n    g(;\n}\n",
        Some(2),
    );
    check("a.json", "{\"a\": 1}\n", "{\"a\": 1\n", Some(1));
    check("a.html", "<p>one</p>\n", "<p>one</b>\n", Some(1));
    check("A.PY", "x = 1\n", "x = = 1\n", Some(1));
    let found = breaks("a/b.js", Some("let a = 1;\n"), "let a = 1;\nlet b = ;\n").unwrap();
    assert_eq!(
        (found.language.name(), found.text.as_str()),
        ("JavaScript", "let b = ;")
    );
}

#[test]
fn what_parses_is_no_break() {
    check("a.py", "x = 1\n", "x = [\n    1,\n]\n", None);
    check("a.py", "x = 1\n", "", None);
    check("a.txt", "x = (1)\n", "x = (1\n", None);
    check("Makefile", "a: b\n", "a: (b\n", None);
}

#[test]
fn a_new_file_has_to_parse() {
    assert_eq!(breaks("a.toml", None, "[a]\nb = 1\n"), None);
    assert_eq!(
        breaks("a.toml", None, "[a\nb = 1\n").map(|found| found.line),
        Some(1)
    );
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
    let good =
        "class A:\n    def f(self):\n        if self:\n            return 1\n        return 2\n";
    check(
        "a.py",
        good,
        &good.replace("        return 2", "      return 2"),
        Some(5),
    );
    check(
        "a.py",
        good,
        &good.replace("        return 2", "          return 2"),
        Some(5),
    );
    check(
        "a.py",
        good,
        &good.replace("            return 1\n", ""),
        Some(3),
    );
    check("a.py", "x = 1\n", "x = 1\n  y = 2\n", Some(2));
    check(
        "a.py",
        "if a:\n    b\nelse:\n    c\n",
        "if a:\n    b\n  else:\n    c\n",
        Some(3),
    );
    check(
        "a.py",
        "@a\ndef f():\n    b\n",
        "@a\n  def f():\n    b\n",
        Some(2),
    );
    for right in [
        "x = 1\n# a\n  # b\ny = 2\n",
        "if a: b; c\nelse: d\n",
        "if a:\n\tb\n\tc\n",
        "def f():\n    \"\"\"One.\n  Two.\n    \"\"\"\n    return (\n  1\n)\n",
        "match a:\n    case 1:\n        b\n    case _:\n        c\n",
        "try:\n    a\nexcept B:\n    c\nfinally:\n    d\n",
        "x = [a if b else c for d in e]\n",
        "@a\n# b\n@c\nasync def f():\n    pass\n",
        "class A: pass\n\n\nx = 1",
        "\u{feff}x = 1\n\u{c}\ndef f():\n    ...\n",
        "for a in b:\n    c\nelse:\n    d\nwhile a:\n    b\nelse:\n    c\n",
        "if a:\n    b\n# c\nelif d:\n    e\n",
        "if a:\n    # b\n    c\n        # d\n    e\n",
    ] {
        check("a.py", "", right, None);
    }
}

#[test]
fn names_tell_the_language() {
    let all = [
        (Language::Bash, ".bashrc a/.profile PKGBUILD run.command"),
        (Language::Cpp, "a.h a.ino a.tpp"),
        (Language::Html, "a.xhtml"),
        (
            Language::Json,
            "a.ipynb a.GeoJSON a.webmanifest composer.lock Pipfile.lock flake.lock x.json",
        ),
        (
            Language::Jsonc,
            "a.jsonc a.code-workspace tsconfig.json tsconfig.build.json .vscode/x.json",
        ),
        (Language::Kotlin, "build.gradle.kts"),
        (Language::Python, "a.pyw SConstruct defs.bzl"),
        (
            Language::Ruby,
            "Gemfile a/Rakefile x.gemspec config.ru Podfile",
        ),
        (Language::Toml, "Cargo.lock poetry.lock uv.lock Pipfile"),
        (Language::Yaml, ".clang-format CITATION.cff pubspec.lock"),
    ];
    for (language, names) in all {
        for name in names.split(' ') {
            assert_eq!(Language::of(name), Some(language), "{name}");
        }
    }
    for name in [
        "a.txt",
        "Makefile",
        "yarn.lock",
        "Gemfile.lock",
        ".zshrc",
        "json",
        "rb",
        "",
        "a.",
    ] {
        assert_eq!(Language::of(name), None, "{name}");
    }
}

#[test]
fn a_first_line_tells_what_a_name_does_not() {
    #[track_caller]
    fn check(path: &str, text: &str, language: Option<Language>) {
        assert_eq!(Language::of_file(path, text), language, "{text}");
    }
    check("bin/run", "#!/bin/sh\nx\n", Some(Language::Bash));
    check(
        "run",
        "#!/usr/bin/env -S FOO=1 python3.12 -u\n",
        Some(Language::Python),
    );
    check("run", "#! /usr/bin/ruby\n", Some(Language::Ruby));
    check("run.js", "#!/bin/sh\n", Some(Language::JavaScript));
    check("run", "#!/bin/zsh\n", None);
    check("run", "#!\n", None);
    check(".eslintrc", "{ \"a\": 1 }\n", Some(Language::Jsonc));
    check(".eslintrc", "a: 1\n", Some(Language::Yaml));
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
    for path in [
        "tsconfig.json",
        "a.code-workspace",
        ".vscode/settings.json",
        ".swcrc",
    ] {
        check(path, before, comma, None);
        check(path, before, &comma.replace("2,]", "2,,]"), Some(2));
        check(path, before, &comma.replace("1, 2,]", ",]"), Some(2));
        check(path, before, &comma.replace("2,]", "2"), Some(2));
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
    let texts = [
        (Language::Bash, "f() { echo \"$1\"; }\n"),
        (Language::C, "int f(void) { return 1; }\n"),
        (Language::Cpp, "template <class T> T f() { return {}; }\n"),
        (Language::CSharp, "class A { int B { get; set; } }\n"),
        (Language::Css, "a > b { color: red; }\n"),
        (
            Language::Go,
            "package a\n\nfunc f() (int, error) { return 1, nil }\n",
        ),
        (Language::Html, "<!doctype html>\n<p>a<br>b</p>\n"),
        (Language::Java, "record A(int b) { }\n"),
        (
            Language::JavaScript,
            "export const a = async () => <b c={1} />;\n",
        ),
        (Language::Json, "{\"a\": [1, null]}\n"),
        (
            Language::Jsonc,
            "{\n  // b\n  \"a\": [1, null,], /* c */ // d\n}\n",
        ),
        (Language::Kotlin, "fun f(a: Int?) = a ?: 1\n"),
        (
            Language::Php,
            "<?php\nfunction f(?int $a): int { return $a ?? 1; }\n",
        ),
        (
            Language::Python,
            "async def f(a, /, *, b=1) -> int:\n    return (c := a)\n",
        ),
        (Language::Ruby, "def f(a:)\n  a&.b { |c| c }\nend\n"),
        (
            Language::Rust,
            "fn f<'a>(a: &'a str) -> impl Fn() + 'a { move || () }\n",
        ),
        (
            Language::Swift,
            "func f(_ a: Int?) async throws -> Int { a! }\n",
        ),
        (Language::Toml, "[a.b]\nc = { d = 1979-05-27 }\n"),
        (
            Language::Tsx,
            "const a = <T,>(b: T) => <c d={b as any} />;\n",
        ),
        (
            Language::TypeScript,
            "const a = <T>b satisfies C;\ntype D = keyof C;\n",
        ),
        (Language::Yaml, "a:\n  - b: {c: 1}\n    d: |\n      e\n"),
    ];
    let listed: HashSet<Language> = texts.iter().map(|(language, _)| *language).collect();
    assert_eq!(listed.len(), Language::ALL.len());
    for (language, text) in texts {
        assert_eq!(
            faults(language, text),
            Some(Vec::new()),
            "{language}: {text}"
        );
        // CSS lets a text be without its last bracket, YAML takes nearly everything.
        let broken = format!("{text}\n)]}} \"(</i>\n");
        assert_ne!(
            faults(language, &broken),
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
    use Class::{Comment, Function, Keyword, Number, Text, Type};
    #[track_caller]
    fn check(language: Language, text: &str, expected: &[(&str, Class)]) {
        let parts = highlights(language, text, 0..text.len());
        let parts: Vec<_> = parts
            .into_iter()
            .map(|(range, class)| (&text[range], class))
            .collect();
        assert_eq!(parts, expected);
    }
    check(
        Language::Python,
        "def load(path):\n    return f\"{path}.toml\" # all\n",
        &[
            ("def", Keyword),
            ("load", Function),
            ("return", Keyword),
            ("f\"", Text),
            (".toml\"", Text),
            ("# all", Comment),
        ],
    );
    check(
        Language::Rust,
        "fn f() -> u8 { 3 }\n",
        &[
            ("fn", Keyword),
            ("f", Function),
            ("u8", Type),
            ("3", Number),
        ],
    );
    check(
        Language::Json,
        "{\"a\": 1}",
        &[("\"a\"", Text), ("1", Number)],
    );
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
