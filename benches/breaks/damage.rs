//! Text that was right, damaged so that it no longer parses or has a comment in the place of code.

use arborium::tree_sitter::{Node, Parser};
use slotwright::syntax::{self, Language};
use slotwright::text::is_definition;
use std::ops::Range;

/// A damaged text.
pub struct Damaged {
    pub text: String,
    /// What was done to it.
    pub what: String,
}

/// The text with one bracket less, with one quote less and, in Python, with one statement moved by
/// some columns: as many of these as it has a place for.
pub fn all(language: Language, text: &str) -> Vec<Damaged> {
    let mut parser = Parser::new();
    parser
        .set_language(&syntax::grammar(language))
        .expect("a grammar of this version");
    let tree = parser.parse(text, None).expect("no time limit");
    let mut places = Places::default();
    places.look(language, tree.root_node(), text);
    let mut damaged = Vec::new();
    for (what, ranges) in [("bracket", &places.brackets), ("quote", &places.quotes)] {
        if let Some(range) = one_of(ranges, text) {
            let line = 1 + text[..range.start].matches('\n').count();
            let what = format!("{what} {} of line {line}", &text[range.clone()]);
            damaged.push(Damaged {
                text: [&text[..range.start], &text[range.end..]].concat(),
                what,
            });
        }
    }
    if let Some(range) = one_of(&places.statements, text) {
        let line = 1 + text[..range.start].matches('\n').count();
        let moved = [&text[..range.start], "   ", &text[range.start..]].concat();
        damaged.push(Damaged {
            text: moved,
            what: format!("indentation of line {line}"),
        });
    }
    damaged
}

/// What can be damaged. Brackets and quotes are those of code: in a comment, a string or the text of
/// a macro nothing misses them.
#[derive(Default)]
struct Places {
    brackets: Vec<Range<usize>>,
    quotes: Vec<Range<usize>>,
    /// Where a statement of Python begins that is not the first of its block.
    statements: Vec<Range<usize>>,
}

impl Places {
    fn look(&mut self, language: Language, root: Node<'_>, text: &str) {
        let mut nodes = vec![root];
        while let Some(node) = nodes.pop() {
            let token = &text[node.byte_range()];
            // Without a name: tokens of code, not the text of a string.
            if node.child_count() == 0 && !node.is_named() && breaks_without(language, node, token)
            {
                match token {
                    "(" | ")" | "[" | "]" | "{" | "}" => self.brackets.push(node.byte_range()),
                    "\"" | "'" | "`" => self.quotes.push(node.byte_range()),
                    _ => {}
                }
            }
            // A macro without its parameters is another macro.
            if node.kind() == "preproc_params" {
                continue;
            }
            let is_block = language == Language::Python && node.kind() == "block";
            let children = (0..node.child_count()).filter_map(|i| node.child(i as u32));
            let mut is_first = true;
            for child in children {
                let line = text[..child.start_byte()]
                    .rfind('\n')
                    .map_or(0, |at| at + 1);
                let begins = text[line..child.start_byte()].trim().is_empty();
                if is_block && child.is_named() && !child.is_extra() {
                    if begins && !is_first {
                        self.statements.push(child.start_byte()..child.start_byte());
                    }
                    is_first = false;
                }
                nodes.push(child);
            }
        }
    }
}

/// Whether a text without this bracket or quote is none of the language.
fn breaks_without(language: Language, node: Node<'_>, token: &str) -> bool {
    match language {
        // `[` is the name of a command.
        Language::Bash => !matches!(token, "[" | "]"),
        // A plain value may have them inside and at its end.
        Language::Yaml => node.prev_sibling().is_some(),
        // A lifetime without its tick is a type.
        Language::Rust => token != "'",
        _ => true,
    }
}

/// What models of several languages write in the place of code.
const SAID: [&str; 20] = [
    "The rest of the code will remain the same",
    "full function",
    "truncated for brevity",
    "See original file for the rest",
    "All other methods remain exactly the same as before",
    "same as above",
    "implementation unchanged",
    "snip",
    "...",
    "其余代码保持不变",
    "（其他函数不变）",
    "остальной код без изменений",
    "le reste du code reste inchangé",
    "fonctions existantes",
    "der Rest bleibt unverändert",
    "restlicher Code wie zuvor",
    "残りのコードは変更なし",
    "el resto del código permanece igual",
    "o resto continua igual",
    "나머지 코드는 동일",
];

/// Fewer lines are no code that anybody leaves out.
const LEAST_LEFT_OUT: usize = 3;

/// The text with a comment in the place of everything from a definition on, of one definition, of the
/// block in one, and of four lines: as many of these as it has.
pub fn left_out(language: Language, text: &str) -> Vec<Damaged> {
    let lines: Vec<&str> = text.lines().collect();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let is_code = |line: &&str| {
        let line = line.trim();
        line.contains(char::is_alphanumeric)
            && !line.starts_with(['#', '/', '*', '<', '-', ';', '"', '\''])
    };
    let definitions: Vec<usize> = (1..lines.len())
        .filter(|&i| is_definition(lines[i]) && is_code(&lines[i]))
        .collect();
    let mut places = Vec::new();
    let n = hash(text.as_bytes()) as usize;
    if let Some(&first) = definitions.get(n % definitions.len().max(1)) {
        let is_inside = |line: &&&str| line.trim().is_empty() || depth(line) > depth(lines[first]);
        let end = first + 1 + lines[first + 1..].iter().take_while(is_inside).count();
        let closes =
            |line: &&str| line.trim_start().starts_with(['}', ')']) || line.trim() == "end";
        let last = end + usize::from(lines.get(end).is_some_and(closes));
        places.push(("rest", first..lines.len()));
        places.push(("definition", first..last));
        places.push(("body", first + 1..end));
    }
    let four = (0..lines.len()).map(|i| i..i + 4);
    let is_full = |at: &Range<usize>| lines.get(at.clone()).is_some_and(|l| l.iter().all(is_code));
    let four: Vec<Range<usize>> = four.filter(is_full).collect();
    places.extend(
        four.get(n % four.len().max(1))
            .map(|at| ("four lines", at.clone())),
    );
    let mut damaged = Vec::new();
    for (i, (what, at)) in places.into_iter().enumerate() {
        if lines[at.clone()]
            .iter()
            .filter(|line| is_code(line))
            .count()
            < LEAST_LEFT_OUT
        {
            continue;
        }
        let comment = comment(language, SAID[(n + i) % SAID.len()]);
        let indent = &lines[at.start][..depth(lines[at.start])];
        let kept = [
            &lines[..at.start],
            &[&format!("{indent}{comment}")],
            &lines[at.end..],
        ];
        let what = format!("{what} of line {}, {comment}", at.start + 1);
        damaged.push(Damaged {
            text: kept.concat().join("\n") + "\n",
            what,
        });
    }
    damaged
}

fn comment(language: Language, said: &str) -> String {
    match language {
        Language::Bash | Language::Python | Language::Ruby | Language::Toml | Language::Yaml => {
            format!("# {said}")
        }
        Language::Css => format!("/* {said} */"),
        Language::Html => format!("<!-- {said} -->"),
        _ => format!("// {said}"),
    }
}

/// One of the places, by the text: the same in every run.
fn one_of(ranges: &[Range<usize>], text: &str) -> Option<Range<usize>> {
    let n = ranges.len().checked_sub(1)? + 1;
    Some(ranges[(hash(text.as_bytes()) % n as u64) as usize].clone())
}

/// FNV-1a.
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}
