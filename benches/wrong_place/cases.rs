//! Generated files with many near-equal places, each with a task whose right result is known.

use crate::support::random::Random;

/// One file, one task, and the file as it should be afterwards.
pub struct Case {
    pub kind: Likeness,
    /// Of the file.
    pub path: String,
    pub before: String,
    pub task: String,
    pub wanted: String,
}

/// What is near-equal in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    SameLine,
    OverloadedName,
    RepeatedKey,
    RepeatedNumber,
    EqualCall,
    NearName,
    /// Nothing: an ordinary task on a short file.
    Nothing,
}

impl Likeness {
    /// Those that are generated.
    pub const ALL: [Likeness; 6] = [
        Likeness::SameLine,
        Likeness::OverloadedName,
        Likeness::RepeatedKey,
        Likeness::RepeatedNumber,
        Likeness::EqualCall,
        Likeness::NearName,
    ];

    /// As the report has it.
    pub fn describe(self) -> &'static str {
        match self {
            Likeness::SameLine => "the same line in several functions",
            Likeness::OverloadedName => "one method name in several classes",
            Likeness::RepeatedKey => "the same keys in several sections",
            Likeness::RepeatedNumber => "the same number under near-equal names",
            Likeness::EqualCall => "equal calls in several functions",
            Likeness::NearName => "function names that begin alike",
            Likeness::Nothing => "nothing",
        }
    }

    fn languages(self) -> &'static [Language] {
        use Language::*;
        match self {
            Likeness::RepeatedKey => &[Json, Yaml],
            Likeness::RepeatedNumber => &[Python, Rust, JavaScript, Go, Json, Yaml],
            _ => &[Python, Rust, JavaScript, Go],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Python,
    Rust,
    JavaScript,
    Go,
    Json,
    Yaml,
}

const VERBS: &[&str] = &[
    "load", "save", "parse", "send", "fetch", "check", "build", "merge", "scan", "sort", "apply",
    "reset", "render", "encode", "verify", "publish",
];
const NOUNS: &[&str] = &[
    "timeout", "limit", "size", "retries", "depth", "port", "width", "level", "count", "offset",
    "delay", "batch", "workers", "height", "weight", "speed",
];
const CLASSES: &[&str] = &[
    "Cache", "Store", "Queue", "Client", "Server", "Parser", "Writer", "Reader", "Session",
    "Router",
];
const SECTIONS: &[&str] = &[
    "dev", "test", "staging", "prod", "local", "preview", "backup", "canary",
];
const WORDS: &[&str] = &[
    "start", "done", "ready", "failed", "waiting", "loading", "finished", "empty", "queued",
    "skipped",
];
const REMARKS: &[&str] = &[
    "may be slow",
    "called once a day",
    "keeps the order",
    "TODO: check the result",
    "never blocks",
    "used by the tests",
];

/// So many cases, in turn of every kind and language.
pub fn cases(seed: u64, n: usize) -> Vec<Case> {
    let mut random = Random(seed);
    let mut cases = Vec::with_capacity(n);
    for i in 0..n {
        let kind = Likeness::ALL[i % Likeness::ALL.len()];
        let languages = kind.languages();
        let language = languages[i / Likeness::ALL.len() % languages.len()];
        let case = case(&mut random, kind, language);
        let n_lines = case.before.lines().count();
        assert!(
            (20..=60).contains(&n_lines),
            "{n_lines} lines:\n{}",
            case.before
        );
        assert!(case.before != case.wanted, "{}\n{}", case.task, case.before);
        cases.push(case);
    }
    cases
}

fn case(random: &mut Random, kind: Likeness, language: Language) -> Case {
    let (before, task, wanted) = match kind {
        Likeness::SameLine => same_line(random, language),
        Likeness::OverloadedName => overloaded_name(random, language),
        Likeness::RepeatedKey => repeated_key(random, language),
        Likeness::RepeatedNumber => repeated_number(random, language),
        Likeness::EqualCall => equal_call(random, language),
        Likeness::NearName => near_name(random, language),
        Likeness::Nothing => unreachable!("these are not generated"),
    };
    let path = format!(
        "{}_{}.{}",
        one(random, NOUNS),
        one(random, VERBS),
        language.extension()
    );
    let text = |lines: Vec<String>| lines.join("\n").trim_end().to_owned() + "\n";
    Case {
        kind,
        path,
        before: text(before),
        task,
        wanted: text(wanted),
    }
}

/// The lines, the task, the lines wanted.
type Draft = (Vec<String>, String, Vec<String>);

fn same_line(random: &mut Random, language: Language) -> Draft {
    let names = some(random, VERBS);
    let nouns = several(random, NOUNS, 2);
    let (from, to) = two_numbers(random);
    let mut lines = Vec::new();
    let mut at = Vec::new(); // the line of each function
    for (name, word) in names.iter().zip(WORDS) {
        language.open(&mut lines, "", name, &[]);
        language.state(&mut lines, 1, &language.assign(nouns[0], &from));
        at.push(lines.len() - 1);
        language.state(
            &mut lines,
            1,
            &language.assign(nouns[1], &format!("{name}_{}", nouns[1])),
        );
        language.state(&mut lines, 1, &language.call("log", &format!("\"{word}\"")));
        language.state(
            &mut lines,
            1,
            &format!("return {} + {}", nouns[0], nouns[1]),
        );
        language.close(&mut lines, 0);
    }
    let target = random.below(names.len());
    let (name, noun) = (names[target], nouns[0]);
    let task = match random.below(5) {
        0 => format!("In function {name}, change {noun} from {from} to {to}"),
        1 => format!("In {name}, set {noun} to {to}"),
        2 => format!("Change {noun} from {from} to {to} in the function {name}"),
        3 => format!("Set {noun} to {to} in {name}"),
        _ => format!("The {noun} in {name} should be {to} instead of {from}"),
    };
    let wanted = with_line(&lines, at[target], |line| line.replace(&from, &to));
    (lines, task, wanted)
}

fn overloaded_name(random: &mut Random, language: Language) -> Draft {
    let classes = several(random, CLASSES, 3);
    let methods = several(random, VERBS, 2);
    let mut lines = Vec::new();
    let (mut headers, mut returns) = (Vec::new(), Vec::new());
    for class in &classes {
        let depth = language.open_class(&mut lines, class);
        for method in &methods {
            headers.push(lines.len());
            language.open(&mut lines, class, method, &["item"]);
            language.state(&mut lines, depth + 1, &language.call("log", "item"));
            returns.push(lines.len());
            language.state(&mut lines, depth + 1, "return 0");
            language.close(&mut lines, depth);
        }
        language.close_class(&mut lines);
    }
    let target = random.below(headers.len());
    let (class, method) = (
        classes[target / methods.len()],
        methods[target % methods.len()],
    );
    let in_language = language.name_of(method, class);
    if random.below(2) == 0 {
        let remark = format!("{} {}", language.comment(), one(random, REMARKS));
        let task = match random.below(3) {
            0 => format!("Add the comment {remark} above the method {in_language} of {class}"),
            1 => format!("In {class}, add the comment {remark} above {in_language}"),
            _ => format!(
                "Add the comment {remark} above the function {in_language} in the class {class}"
            ),
        };
        let header = &lines[headers[target]];
        let indentation = &header[..header.len() - header.trim_start().len()];
        let mut wanted = lines.clone();
        wanted.insert(headers[target], format!("{indentation}{remark}"));
        return (lines, task, wanted);
    }
    let to = (1 + random.below(20)).to_string();
    let task = match random.below(3) {
        0 => format!("Make {in_language} of {class} return {to}"),
        1 => format!("In {class}, change return 0 to return {to} in {in_language}"),
        _ => format!("In the method {in_language} of the class {class}, return {to} instead of 0"),
    };
    let wanted = with_line(&lines, returns[target], |line| line.replace('0', &to));
    (lines, task, wanted)
}

fn repeated_key(random: &mut Random, language: Language) -> Draft {
    let sections = some(random, SECTIONS);
    let keys = several(random, NOUNS, 4);
    let values: Vec<String> = keys
        .iter()
        .map(|_| (2 + random.below(90)).to_string())
        .collect();
    let (target, key_idx) = (random.below(sections.len()), random.below(keys.len()));
    let mut at = 0;
    let mut lines = Vec::new();
    if language == Language::Json {
        lines.push("{".to_owned());
    }
    for (i, section) in sections.iter().enumerate() {
        lines.push(if language == Language::Json {
            format!("  \"{section}\": {{")
        } else {
            format!("{section}:")
        });
        for (j, (key, value)) in keys.iter().zip(&values).enumerate() {
            if (i, j) == (target, key_idx) {
                at = lines.len();
            }
            let comma = comma_after(j, keys.len());
            lines.push(language.entry(key, value, comma));
        }
        if language == Language::Json {
            lines.push(if i + 1 == sections.len() {
                "  }".to_owned()
            } else {
                "  },".to_owned()
            });
        }
    }
    if language == Language::Json {
        lines.push("}".to_owned());
    }
    let (section, key, from) = (sections[target], keys[key_idx], &values[key_idx]);
    let to = (100 + random.below(900)).to_string();
    let task = match random.below(5) {
        0 => format!("In {section}, change {key} from {from} to {to}"),
        1 => format!("Set {key} to {to} in {section}"),
        2 => format!("Change {key} from {from} to {to} in the section {section}"),
        3 => format!("In the section {section}, set {key} to {to}"),
        _ => format!("{key} of {section} should be {to}"),
    };
    let wanted = with_line(&lines, at, |line| line.replace(from.as_str(), &to));
    (lines, task, wanted)
}

fn repeated_number(random: &mut Random, language: Language) -> Draft {
    let nouns = several(random, NOUNS, 7);
    let (from, to) = two_numbers(random);
    let mut names = Vec::new();
    for noun in nouns {
        names.extend(["max", "min", "default"].map(|prefix| format!("{prefix}_{noun}")));
    }
    let target = random.below(names.len());
    let written: Vec<String> = names
        .iter()
        .map(|name| language.constant_name(name))
        .collect();
    let mut lines: Vec<String> = written
        .iter()
        .enumerate()
        .map(|(i, name)| language.constant(name, &from, comma_after(i, names.len())))
        .collect();
    let mut at = target;
    if language == Language::Json {
        lines.insert(0, "{".to_owned());
        lines.push("}".to_owned());
        at += 1;
    }
    let name = &written[target];
    let task = match random.below(5) {
        0 => format!("Change {name} from {from} to {to}"),
        1 => format!("Set {name} to {to}"),
        2 => format!("{name} should be {to}"),
        3 => format!("Update {name} to {to} instead of {from}"),
        _ => format!("Change the value of {name} to {to}"),
    };
    let wanted = with_line(&lines, at, |line| {
        let (head, tail) = line.rsplit_once(from.as_str()).expect("its value");
        format!("{head}{to}{tail}")
    });
    (lines, task, wanted)
}

fn equal_call(random: &mut Random, language: Language) -> Draft {
    let names = some(random, VERBS);
    let words = several(random, WORDS, 3);
    let noun = one(random, NOUNS);
    let call = language.call("log", &format!("\"{}\"", words[0]));
    let call = if matches!(language, Language::Rust | Language::JavaScript) {
        format!("{call};")
    } else {
        call
    };
    let mut lines = Vec::new();
    let mut at = Vec::new();
    for name in &names {
        language.open(&mut lines, "", name, &[noun]);
        at.push(lines.len());
        lines.push(format!("{}{call}", language.indentation(1)));
        language.state(
            &mut lines,
            1,
            &language.assign("result", &language.call(&format!("{name}_all"), noun)),
        );
        language.state(
            &mut lines,
            1,
            &language.call("log", &format!("\"{}\"", words[1])),
        );
        language.state(&mut lines, 1, "return result");
        language.close(&mut lines, 0);
    }
    let target = random.below(names.len());
    let name = names[target];
    let (from, to) = (words[0], words[2]);
    match random.below(4) {
        0 | 1 => {
            let task = match random.below(3) {
                0 => format!("In {name}, change the string \"{from}\" to \"{to}\""),
                1 => format!("Replace \"{from}\" with \"{to}\" in the function {name}"),
                _ => format!(
                    "In the function {name}, change {call} to {}",
                    call.replace(from, to)
                ),
            };
            let wanted = with_line(&lines, at[target], |line| line.replace(from, to));
            (lines, task, wanted)
        }
        2 => {
            let task = match random.below(2) {
                0 => format!("In {name}, delete the line {call}"),
                _ => format!("Remove {call} from the function {name}"),
            };
            let mut wanted = lines.clone();
            wanted.remove(at[target]);
            (lines, task, wanted)
        }
        _ => {
            let new = call.replace(from, to);
            let task = match random.below(2) {
                0 => format!("In {name}, add {new} after the line {call}"),
                _ => format!("Insert {new} after {call} in the function {name}"),
            };
            let mut wanted = lines.clone();
            wanted.insert(at[target] + 1, format!("{}{new}", language.indentation(1)));
            (lines, task, wanted)
        }
    }
}

fn near_name(random: &mut Random, language: Language) -> Draft {
    let verb = one(random, VERBS);
    let nouns = several(random, NOUNS, 3);
    let names: Vec<String> = [verb.to_owned(), format!("{verb}_all")]
        .into_iter()
        .chain(nouns.iter().map(|noun| format!("{verb}_{noun}")))
        .collect();
    let parameter = "items";
    let mut lines = Vec::new();
    let mut headers = Vec::new();
    for (i, name) in names.iter().enumerate() {
        headers.push(lines.len());
        language.open(&mut lines, "", name, &[parameter]);
        let next = &names[(i + 1) % names.len()];
        language.state(
            &mut lines,
            1,
            &language.assign("result", &language.call(next, parameter)),
        );
        language.state(&mut lines, 1, "return result");
        language.close(&mut lines, 0);
    }
    let target = random.below(names.len());
    let name = &names[target];
    match random.below(3) {
        0 => {
            let fresh = several(random, VERBS, 2)
                .into_iter()
                .find(|other| *other != verb)
                .expect("one of two");
            let new = format!("{fresh}_{}", one(random, NOUNS));
            let task = match random.below(3) {
                0 => format!("Rename {name} to {new}"),
                1 => format!("Rename the function {name} to {new} everywhere"),
                _ => format!("{name} should be called {new}"),
            };
            let wanted = lines
                .iter()
                .map(|line| with_word(line, name, &new))
                .collect();
            (lines, task, wanted)
        }
        1 => {
            let remark = format!("{} {}", language.comment(), one(random, REMARKS));
            let task = match random.below(3) {
                0 => format!("Add the comment {remark} above the function {name}"),
                1 => format!("Put a comment {remark} above {name}"),
                _ => format!("Insert {remark} on the line before {name}"),
            };
            let mut wanted = lines.clone();
            wanted.insert(headers[target], remark);
            (lines, task, wanted)
        }
        _ => {
            let call = lines[headers[target] + 1].clone();
            let next = &names[(target + 1) % names.len()];
            let new = format!("{next}({parameter}, 1)");
            let old = format!("{next}({parameter})");
            let task = match random.below(2) {
                0 => format!("In the function {name}, change {old} to {new}"),
                _ => format!("In {name}, call {new} instead of {old}"),
            };
            let wanted = with_line(&lines, headers[target] + 1, |_| call.replace(&old, &new));
            (lines, task, wanted)
        }
    }
}

impl Language {
    fn extension(self) -> &'static str {
        match self {
            Language::Python => "py",
            Language::Rust => "rs",
            Language::JavaScript => "js",
            Language::Go => "go",
            Language::Json => "json",
            Language::Yaml => "yaml",
        }
    }

    fn comment(self) -> &'static str {
        if matches!(self, Language::Python | Language::Yaml) {
            "#"
        } else {
            "//"
        }
    }

    fn indentation(self, depth: usize) -> String {
        match self {
            Language::Python | Language::Rust => "    ",
            Language::Go => "\t",
            Language::JavaScript | Language::Json | Language::Yaml => "  ",
        }
        .repeat(depth)
    }

    fn assign(self, name: &str, value: &str) -> String {
        match self {
            Language::Rust => format!("let {name} = {value}"),
            Language::JavaScript => format!("const {name} = {value}"),
            Language::Go => format!("{name} := {value}"),
            _ => format!("{name} = {value}"),
        }
    }

    fn call(self, name: &str, argument: &str) -> String {
        format!("{name}({argument})")
    }

    /// A statement on a line of its own.
    fn state(self, lines: &mut Vec<String>, depth: usize, statement: &str) {
        let end = if matches!(self, Language::Rust | Language::JavaScript) {
            ";"
        } else {
            ""
        };
        lines.push(format!("{}{statement}{end}", self.indentation(depth)));
    }

    /// The first line of a function, or of a method of a class.
    fn open(self, lines: &mut Vec<String>, class: &str, name: &str, parameters: &[&str]) {
        let name = &self.name_of(name, class);
        let own = if self == Language::Python {
            "self"
        } else {
            "&self"
        };
        let parameter = |p: &&str| match self {
            Language::Rust => format!("{p}: u32"),
            Language::Go => format!("{p} int"),
            _ => (*p).to_owned(),
        };
        let mut list: Vec<String> = parameters.iter().map(parameter).collect();
        let in_class = !class.is_empty();
        if in_class && matches!(self, Language::Python | Language::Rust) {
            list.insert(0, own.to_owned());
        }
        let list = list.join(", ");
        let inner = self.indentation(usize::from(in_class));
        lines.push(match self {
            Language::Python => format!("{inner}def {name}({list}):"),
            Language::Rust => format!("{inner}fn {name}({list}) -> u32 {{"),
            Language::JavaScript if in_class => format!("{inner}{name}({list}) {{"),
            Language::JavaScript => format!("function {name}({list}) {{"),
            Language::Go if in_class => format!("func (c *{class}) {name}({list}) int {{"),
            Language::Go => format!("func {name}({list}) int {{"),
            Language::Json | Language::Yaml => unreachable!("no functions"),
        });
    }

    fn close(self, lines: &mut Vec<String>, depth: usize) {
        if self != Language::Python {
            lines.push(format!("{}}}", self.indentation(depth)));
        }
        lines.push(String::new());
        if self == Language::Python && depth == 0 {
            lines.push(String::new());
        }
    }

    /// The first line of a class; gives the depth of its methods.
    fn open_class(self, lines: &mut Vec<String>, class: &str) -> usize {
        match self {
            Language::Python => lines.push(format!("class {class}:")),
            Language::Rust => lines.push(format!("impl {class} {{")),
            Language::JavaScript => lines.push(format!("class {class} {{")),
            _ => {
                lines.extend([
                    format!("type {class} struct {{"),
                    "\tname string".to_owned(),
                    "}".to_owned(),
                    String::new(),
                ]);
                return 0;
            }
        }
        1
    }

    fn close_class(self, lines: &mut Vec<String>) {
        match self {
            Language::Rust | Language::JavaScript => {
                lines.pop(); // the blank line after the last method
                lines.extend(["}".to_owned(), String::new()]);
            }
            Language::Python => lines.push(String::new()),
            _ => {}
        }
    }

    /// A method's name as the language writes it.
    fn name_of(self, name: &str, class: &str) -> String {
        if self == Language::Go && !class.is_empty() {
            return name[..1].to_uppercase() + &name[1..];
        }
        name.to_owned()
    }

    fn constant_name(self, name: &str) -> String {
        match self {
            Language::Json | Language::Yaml => name.to_owned(),
            _ => name.to_uppercase(),
        }
    }

    fn constant(self, name: &str, value: &str, comma: &str) -> String {
        match self {
            Language::Python => format!("{name} = {value}"),
            Language::Rust => format!("const {name}: u32 = {value};"),
            Language::JavaScript | Language::Go => {
                format!(
                    "const {name} = {value}{}",
                    if self == Language::Go { "" } else { ";" }
                )
            }
            Language::Json => format!("  \"{name}\": {value}{comma}"),
            Language::Yaml => format!("{name}: {value}"),
        }
    }

    /// A key in a section. `comma` is what JSON has behind it.
    fn entry(self, key: &str, value: &str, comma: &str) -> String {
        match self {
            Language::Json => format!("    \"{key}\": {value}{comma}"),
            _ => format!("  {key}: {value}"),
        }
    }
}

/// What JSON has behind the i-th of so many entries.
fn comma_after(i: usize, n: usize) -> &'static str {
    if i + 1 == n { "" } else { "," }
}

fn one<'a>(random: &mut Random, words: &[&'a str]) -> &'a str {
    words[random.below(words.len())]
}

/// Four to six different ones.
fn some<'a>(random: &mut Random, words: &[&'a str]) -> Vec<&'a str> {
    let n = 4 + random.below(3);
    several(random, words, n)
}

/// Different ones.
fn several<'a>(random: &mut Random, words: &[&'a str], n: usize) -> Vec<&'a str> {
    let mut left = words.to_vec();
    (0..n)
        .map(|_| left.remove(random.below(left.len())))
        .collect()
}

fn two_numbers(random: &mut Random) -> (String, String) {
    let from = 2 + random.below(60);
    (from.to_string(), (from + 1 + random.below(60)).to_string())
}

fn with_line(lines: &[String], at: usize, change: impl Fn(&str) -> String) -> Vec<String> {
    let mut changed = lines.to_vec();
    changed[at] = change(&lines[at]);
    changed
}

/// Every whole word.
fn with_word(line: &str, old: &str, new: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    for piece in line.split_inclusive(|c: char| !is_word(c)) {
        let word = piece.trim_end_matches(|c: char| !is_word(c));
        out.push_str(if word == old { new } else { word });
        out.push_str(&piece[word.len()..]);
    }
    out
}
