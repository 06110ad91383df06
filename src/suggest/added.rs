//! Changes that add something to a line: what is named, with the marks that join it to what stands there (`, timeout=30`,
//! ` || isLate`, `.strip()`), what is often added, or another element like one that is there.

use super::Way;
use super::change::Change;
use super::elements::{Element, conditions, elements};
use super::features::{Features, Line, List, Sentence, SpotSeen, Value, class, is_name, marks, words};
use super::named::How;
use super::replaced::{fits, of_both};
use super::spots::{Kind, is_of_word, tokens};
use crate::edit::whole_token_ranges;
use std::collections::HashMap;
use std::ops::Range;

/// What comes before and behind a text that is added.
#[rustfmt::skip]
const JOINTS: [(&str, &str); 20] = [
    (", ", ""), ("", ", "), (" ", ""), ("", " "), ("", ""), (".", "()"), (".", ""), (" + ", ""), ("", " + "), (" || ", ""),
    ("", " || "), (" && ", ""), ("", " && "), (" or ", ""), (" and ", ""), ("; ", ""), (" | ", ""), ("|", ""), (" (", ")"), (",", ""),
];

/// What is often added to a line, whatever a sentence names.
#[rustfmt::skip]
const OFTEN: [&str; 96] = [
    "not ", "!", "-", " + 1", " - 1", "?", ".trim()", ".strip()", "! ", "&", "+", "=", "?.trim()", ".Trim()", ".lower()", ".toLowerCase()", ".upper()",
    ".toUpperCase()", ".sort()", ".sorted()", ".reverse()", ".reversed()", ".downcase", ".strip", ".trim", ".encode()", ".items()", " DESC", " NOT NULL",
    " UNIQUE", " PRIMARY KEY", " ON DELETE CASCADE", " COLLATE NOCASE", "DISTINCT ", ", encoding=\"utf-8\"", "encoding=\"utf-8\"", " >&2",
    ", file=sys.stderr", " 2>/dev/null", ", reverse=True", ", index=True", ", unique=True", ", null=True", ", check=True", ", indent=2", ", PartialEq", ", Eq",
    ", Clone", ", Hash", "final ", "synchronized ", "static ", "public ", "private ", "export ", "pub ", "readonly ", "async ", "await ", "const ", "mut ",
    "return ", "local ", "required ", "optional ", "unsigned ", "LEFT ", "sealed ", "\\n", ".0", "$", " required", " disabled", " defer",
    " loading=\"lazy\"", " rel=\"noopener\"", " target=\"_blank\"", "\"", " || []", " ?? []", " || 0", " ?? 0", " ?? ''", " or 0", ", true", ", false",
    " = 0", " = []", " * 2", " / 2", " * 60", " * 100", " * 1000", " / 100", "++", "->nullable()",
];

/// So many of them in lines that the search finds later.
const MOST_OFTEN: usize = 8;

/// Of a line that the search finds first.
pub fn ways(sentence: &Sentence, line: &Line) -> Vec<Way> {
    let joins = joins(line);
    let mut found = joined(sentence, line, &joins, true);
    found.extend(often(sentence, line, &joins, &OFTEN));
    found.extend(others(sentence, line, true));
    found
}

/// Of a line that it finds later: what is named exactly, what is added most often.
pub fn likeliest(sentence: &Sentence, line: &Line) -> Vec<Way> {
    let joins = joins(line);
    let mut found = joined(sentence, line, &joins, false);
    found.extend(often(sentence, line, &joins, &OFTEN[..MOST_OFTEN]));
    found.extend(others(sentence, line, false));
    found
}

/// Elements and conditions like those that are there.
fn others(sentence: &Sentence, line: &Line, with_two: bool) -> Vec<Way> {
    let elements = elements(line.text);
    let mut found: Vec<Way> = elements.iter().flat_map(|element| like(sentence, line, element, "element", with_two)).collect();
    found.extend(conditions(sentence, line).iter().flat_map(|condition| like(sentence, line, condition, "condition", false)));
    found
}

/// A place between two words or marks of a line.
struct Join {
    at: usize,
    features: Vec<String>,
}

impl Join {
    fn left<'l>(&self, line: &'l str) -> &'l str {
        &line[..self.at]
    }

    fn right<'l>(&self, line: &'l str) -> &'l str {
        &line[self.at..]
    }
}

/// All places, from the first word to behind the last.
fn joins(line: &Line) -> Vec<Join> {
    let mut ends: Vec<usize> = tokens(line.text).flat_map(|at| [at.start, at.end]).collect();
    ends.dedup();
    let new = |at: usize| {
        let (left, right) = (&line.text[..at], &line.text[at..]);
        let is_last = !right.contains(|c: char| c.is_alphanumeric());
        let (before, after) = (kind_of(left.trim_end().chars().next_back()), kind_of(right.trim_start().chars().next()));
        let features = vec![format!("join:{before} {after}"), format!("join last:{is_last}")];
        Join { at, features }
    };
    ends.into_iter().map(new).collect()
}

/// A letter or a digit is any one, a mark is itself.
fn kind_of(c: Option<char>) -> char {
    c.map_or('^', |c| {
        if c.is_alphabetic() || c == '_' {
            'w'
        } else if c.is_numeric() {
            '0'
        } else {
            c
        }
    })
}

/// Whether a text can be joined there with what comes before and behind it. That leaves out what hardly ever is wanted: where a
/// text is added, the marks beside it tell.
fn may_join(join: &Join, line: &str, before: &str, text: &str, after: &str) -> bool {
    let (left, right) = (join.left(line), join.right(line));
    let at_start = left.trim().is_empty();
    let opens = at_start || left.ends_with(['(', '[', '{', '"', '\'', '`', ' ']);
    let ends_word =
        left.ends_with(|c: char| is_of_word(c) || matches!(c, ')' | ']' | '}' | '"' | '\'' | '`' | '+' | '%' | '!' | '>'));
    let next = right.trim_start().chars().next();
    let is_next = |marks: &str| next.is_none_or(|c| marks.contains(c));
    let with_blank = right.starts_with(' ');
    match (before, after) {
        ("", "") => {
            let both = |c: Option<char>, d: Option<char>| c.is_some_and(is_of_word) && d.is_some_and(is_of_word);
            let is_apart = with_blank || left.ends_with(' ') || at_start && text.chars().next().is_some_and(is_of_word);
            let runs_on =
                both(left.chars().next_back(), text.chars().next()) || both(text.chars().next_back(), right.chars().next());
            !(is_apart || runs_on)
        }
        ("", " ") => opens && !right.is_empty() && !is_next(")]};,"),
        ("", ", ") => opens && !at_start && !left.ends_with(' ') && !is_next(")]};,"),
        ("", _) => opens && !at_start && next.is_some_and(|c| is_of_word(c) || matches!(c, '!' | '(' | '"' | '\'' | '$' | '`')),
        (".", after) => {
            let is_call = text.ends_with(')') || after == "()";
            (is_call && (is_name(text) || text.ends_with(')')) || is_name(text))
                && ends_word
                && !right.starts_with(|c: char| is_of_word(c) || c == '(')
        }
        (", ", _) => ends_word && is_next(")]}\"'`;,.<|"),
        (" ", _) => {
            ends_word
                && !right.starts_with(|c: char| is_of_word(c) || matches!(c, '(' | '['))
                && (!with_blank || is_next("-<?}{|&=:)]"))
        }
        (" (", _) => ends_word && is_next("\"'`<.;:,"),
        ("|" | " | ", _) => ends_word && line.contains('|') && is_next("|)\"'`;]}"),
        (",", _) => ends_word && line.contains(',') && is_next("\"'`,)"),
        ("; ", _) => ends_word && is_next(".\"'`"),
        (" + ", _) => ends_word && is_next(")]};,\"'`"),
        _ => ends_word && is_next(")];:{,?"),
    }
}

/// Whether something of this kind is joined so.
fn may_be_joined(value: &Value, before: &str, after: &str) -> bool {
    let is_plain = value.named.how == How::Word && matches!(value.class, "small" | "capital" | "word");
    let is_text = is_plain || value.class == "phrase" && value.named.how == How::Phrase;
    if value.named.how == How::Pair {
        return matches!((before, after), (", ", "") | ("", ", ") | ("", ""));
    }
    let of_text = matches!((before, after), (", " | " " | "" | " (" | "; " | "|" | "." | "," | " | ", "" | " " | ")" | "()"));
    !is_text || of_text
}

/// What is named, joined to what stands there.
fn joined(sentence: &Sentence, line: &Line, joins: &[Join], is_near: bool) -> Vec<Way> {
    let names = JOINTS.map(|(before, after)| format!("joined {before}·{after}"));
    const NONE: Option<List> = None;
    // Made when they are wanted, which most are not.
    let mut of_joints: Vec<[Option<List>; JOINTS.len()]> = vec![[NONE; JOINTS.len()]; joins.len()];
    let mut found = Vec::new();
    for value in &sentence.values {
        let text = &value.named.text;
        if matches!(value.named.how, How::Part | How::Scaled | How::NumberWord)
            || value.is_weak() && value.named.how != How::Pair
            || !is_near && !value.is_exact()
            || line.text.contains(text.as_str())
        {
            continue;
        }
        let mut of_value = [NONE; JOINTS.len()];
        for (join, of_joints) in joins.iter().zip(&mut of_joints) {
            let (left, right) = (join.left(line.text), join.right(line.text));
            let mut of_sides_seen: Option<List> = None;
            for (i, (before, after)) in JOINTS.into_iter().enumerate() {
                if !may_be_joined(value, before, after) || !may_join(join, line.text, before, text, after) {
                    continue;
                }
                let sides = of_sides_seen.get_or_insert_with(|| marks(of_sides(sentence, value, left, right)));
                let name = &names[i];
                let of_joint = of_joints[i]
                    .get_or_insert_with(|| marks(join.features.iter().map(|feature| format!("{name} {feature}")).collect()));
                let of_value = of_value[i].get_or_insert_with(|| {
                    marks(vec![format!("{name} {}", value.class), format!("{name} how:{:?}", value.named.how)])
                });
                let lists = [&value.features, &line.whole, &*of_joint, &*of_value, &*sides];
                let of = lists.into_iter().cloned().chain([sentence.with_each_word(name)]).collect();
                let text = format!("{left}{before}{text}{after}{right}");
                found.push(Way { line: line.idx, change: Change::Replace(text), features: Features::new(of, line.search) });
            }
        }
    }
    found
}

/// What is to be seen of a text between others: whether the sentence says where, and what is like it there.
fn of_sides(sentence: &Sentence, value: &Value, left: &str, right: &str) -> Vec<String> {
    let text = &value.named.text;
    let mut features = Vec::new();
    for (name, word) in [("left", words(left).last()), ("right", words(right).next())] {
        let Some(word) = word else { continue };
        let said = sentence.task().find(word).filter(|_| word.len() > 1);
        features.push(format!("{name} said:{} spoken of:{}", said.is_some(), sentence.speaks_of(word)));
        if let Some(at) = said.filter(|&at| at >= value.named.at.end || at < value.named.at.start) {
            let last = words(&sentence.task()[..at]).last().unwrap_or("^").to_lowercase();
            features.push(format!("{name} said behind:{last}"));
        }
        features.push(format!("{name} class:{} {}", class(word), value.class));
    }
    let last_piece = left.rsplit([',', '(', '[', '{']).next().unwrap_or_default();
    for mark in ["=", ":", "\"", "'", "--", "@", ".", "("] {
        let (is_in, is_beside) = (text.contains(mark), last_piece.contains(mark));
        if is_in || is_beside {
            features.push(format!("mark {mark} in:{is_in} beside:{is_beside}"));
        }
    }
    let in_quotes = ["\"", "'"].iter().any(|mark| left.matches(mark).count() % 2 == 1 && right.contains(mark));
    features.push(format!("in quotes:{in_quotes} {} {:?}", value.class, value.named.how));
    features
}

/// What is often added.
fn often(sentence: &Sentence, line: &Line, joins: &[Join], texts: &[&str]) -> Vec<Way> {
    let mut found = Vec::new();
    let of_joins: Vec<List> = joins
        .iter()
        .map(|join| {
            let sides = [("left", words(join.left(line.text)).last()), ("right", words(join.right(line.text)).next())];
            let of_side = |(name, word): (&str, Option<&str>)| {
                let word = word.unwrap_or("^");
                [format!("often {name}:{word}"), format!("often {name} spoken of:{}", sentence.speaks_of(word))]
            };
            marks(sides.into_iter().flat_map(of_side).collect())
        })
        .collect();
    for text in texts {
        let with_words = sentence.with_each_word(&format!("often {text}"));
        let (before, core, after) = parts_of(text);
        if core.len() > 2 && line.text.contains(core) {
            continue;
        }
        for (join, of_join) in joins.iter().zip(&of_joins) {
            let (left, right) = (join.left(line.text), join.right(line.text));
            if !may_join(join, line.text, before, core, after) || !is_usual(core, left, right) {
                continue;
            }
            let features: List = marks(join.features.iter().map(|feature| format!("often {text} {feature}")).collect());
            let of = vec![line.whole.clone(), of_join.clone(), features, with_words.clone()];
            let text = format!("{left}{text}{right}");
            found.push(Way { line: line.idx, change: Change::Replace(text), features: Features::new(of, line.search) });
        }
    }
    found
}

/// Whether a mark can be added there at all.
fn is_usual(core: &str, left: &str, right: &str) -> bool {
    let opens = left.trim().is_empty() || left.ends_with([' ', '(', '[', '{', '!', '"']);
    match core {
        "!" | "-" | "$" | "&" => opens && right.starts_with(|c: char| is_of_word(c) || matches!(c, '(' | '$')),
        "?" => left.ends_with(|c: char| is_of_word(c) || c == ')') && right.starts_with(['.', ':', '[', '(', ' ']),
        "\\n" => right.starts_with(['"', '\'', '`', '\\']),
        ".0" => left.ends_with(|c: char| c.is_ascii_digit()) && !right.starts_with('.'),
        "+" => opens || right.trim_start().starts_with('='),
        "=" => left.ends_with(['<', '>', '+', '-', '=', '!']) || right.starts_with('='),
        "\"" => opens || right.is_empty() || right.starts_with([' ', ';', ',', ')']),
        _ => true,
    }
}

/// As a joint and what it joins.
fn parts_of(text: &str) -> (&str, &str, &str) {
    let start = if text.starts_with(", ") { 2 } else { usize::from(text.len() > 1 && text.starts_with([' ', '.'])) };
    let end = text.len() - usize::from(text.ends_with(' '));
    (&text[..start], &text[start..end], &text[end..])
}

/// Another element like this one, beside it, with one or two things in it that the sentence names.
fn like(sentence: &Sentence, line: &Line, element: &Element, name: &str, with_two: bool) -> Vec<Way> {
    let mut found = Vec::new();
    let text = &line.text[element.at.clone()];
    let within = line.spots.iter().filter(|seen| is_within(&seen.spot.at, &element.at)).collect();
    let mut put = |new: &str, mut of: Vec<List>, how: &str| {
        if line.text.contains(new) {
            return;
        }
        let (left, right) = (&line.text[..element.at.start], &line.text[element.at.end..]);
        let separator = element.separator;
        let how = format!("{how}{}", if name == "condition" { separator } else { "" });
        for is_before in [false, true] {
            if is_before && !element.is_first {
                continue;
            }
            let changed = if is_before {
                format!("{left}{new}{separator}{text}{right}")
            } else {
                format!("{left}{text}{separator}{new}{right}")
            };
            let place = if is_before {
                "first"
            } else if element.is_last {
                "last"
            } else {
                "between"
            };
            let name = format!("{how} {place}");
            let mut features = vec![format!("{how} alone:{}", element.is_first && element.is_last)];
            features.push(format!("{how} spoken of:{}", sentence.speaks_of(text)));
            features.push(format!("{how} behind {}", kind_of(left.trim_end().chars().next_back())));
            of.extend([marks(features), sentence.with_each_word(&name)]);
            let way = Features::new(of.clone(), line.search);
            of.truncate(of.len() - 2);
            found.push(Way { line: line.idx, change: Change::Replace(changed), features: way });
        }
    };
    let original = Original { line, start: element.at.start, text, spots: within, with_two };
    copies(sentence, &original, name, &mut put);
    found
}

fn is_within(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    inner.start >= outer.start && inner.end <= outer.end
}

/// A part of a line that is copied with something else in it.
pub struct Original<'o, 't> {
    pub line: &'o Line<'t>,
    /// Where the part begins.
    pub start: usize,
    pub text: &'o str,
    /// What can give way in it.
    pub spots: Vec<&'o SpotSeen<'t>>,
    /// Whether two of them may give way at once.
    pub with_two: bool,
}

/// Copies with one or two spots replaced by what the sentence names.
pub fn copies(sentence: &Sentence, original: &Original, name: &str, put: &mut impl FnMut(&str, Vec<List>, &str)) {
    let Original { line, start, text, ref spots, with_two } = *original;
    let with = |seen: &SpotSeen, value: &Value, text: &str| {
        let at = seen.spot.at.start - start..seen.spot.at.end - start;
        format!("{}{}{}", &text[..at.start], value.named.text, &text[at.end..])
    };
    let everywhere = |seen: &SpotSeen, value: &Value| {
        let mut new = text.to_owned();
        for at in whole_token_ranges(text, seen.text).into_iter().rev() {
            new.replace_range(at, &value.named.text);
        }
        new
    };
    let mut known: HashMap<(Range<usize>, usize), List> = HashMap::new();
    let mut of = |seen: &SpotSeen, v: usize| {
        let new = || of_both(sentence, line, seen, &sentence.values[v]).into_iter().map(|feature| format!("copy {feature}"));
        List::clone(known.entry((seen.spot.at.clone(), v)).or_insert_with(|| marks(new().collect())))
    };
    let one = format!("{name} with one");
    let two = format!("{name} with two");
    for first in spots {
        for (v, value) in sentence.values.iter().enumerate() {
            if !is_like(value, first) {
                continue;
            }
            let of_first: List = of(first, v);
            put(&with(first, value, text), vec![value.features.clone(), first.features.clone(), of_first.clone()], &one);
            if first.spot.kind == Kind::Word && whole_token_ranges(text, first.text).len() > 1 {
                let again: List = marks(vec!["copy, each time".to_owned()]);
                put(
                    &everywhere(first, value),
                    vec![value.features.clone(), first.features.clone(), of_first.clone(), again],
                    &one,
                );
            }
            if !with_two || !matches!(first.spot.kind, Kind::Word | Kind::Wide | Kind::Quoted) {
                continue;
            }
            let is_wanted = |second: &&&SpotSeen| {
                second.spot.at.start >= first.spot.at.end && matches!(second.spot.kind, Kind::Word | Kind::Wide | Kind::Quoted)
            };
            for second in spots.iter().filter(is_wanted) {
                for (w, other) in sentence.values.iter().enumerate() {
                    if v == w || v.abs_diff(w) > 2 || !is_like(other, second) || overlap(&value.named.at, &other.named.at) {
                        continue;
                    }
                    let new = with(first, value, &with(second, other, text));
                    let pair = vec![format!("{two} in order:{}", v < w), format!("{two} apart:{}", v.abs_diff(w))];
                    let of = vec![
                        value.features.clone(),
                        first.features.clone(),
                        of_first.clone(),
                        other.features.clone(),
                        second.features.clone(),
                        of(second, w),
                        marks(pair),
                    ];
                    put(&new, of, &two);
                }
            }
        }
    }
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Whether a value can stand in a copy where this stands: a name for a name, a number for a number.
fn is_like(value: &Value, seen: &SpotSeen) -> bool {
    let is_number = |class: &str| matches!(class, "whole" | "decimal" | "measure" | "version");
    fits(value, seen)
        && (!value.is_weak() || seen.spot.kind == Kind::Quoted)
        && match seen.spot.kind {
            Kind::Word | Kind::Wide => is_number(value.class) == is_number(seen.class) && value.class != "phrase",
            Kind::Quoted | Kind::Value => true,
            Kind::Digits | Kind::Between | Kind::Line | Kind::Operator => seen.spot.kind == Kind::Between,
        }
}
