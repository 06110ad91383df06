//! Changes that add something to a line: what is named, with the marks that join it to what stands there (`, timeout=30`,
//! ` || isLate`, `.strip()`), what is often added, or another element like one that is there.

use super::Way;
use super::change::Change;
use super::features::{Features, Line, List, Sentence, SpotSeen, Value, class, is_name, words};
use super::named::How;
use super::replaced::{fits, of_both};
use super::spots::{Kind, tokens};
use crate::edit::whole_token_ranges;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// What comes before and behind a text that is added.
#[rustfmt::skip]
const JOINTS: [(&str, &str); 20] = [
    (", ", ""), ("", ", "), (" ", ""), ("", " "), ("", ""), (".", "()"), (".", ""), (" + ", ""), ("", " + "), (" || ", ""),
    ("", " || "), (" && ", ""), ("", " && "), (" or ", ""), (" and ", ""), ("; ", ""), (" | ", ""), ("|", ""), (" (", ")"), (",", ""),
];

/// What is often added to a line, whatever a sentence names.
#[rustfmt::skip]
const OFTEN: [&str; 44] = [
    "not ", "!", "-", " + 1", " - 1", "?", ".trim()", ".strip()", ".lower()", ".toLowerCase()", ".upper()", " DESC", " NOT NULL",
    " UNIQUE", " PRIMARY KEY", " ON DELETE CASCADE", ", encoding=\"utf-8\"", "encoding=\"utf-8\"", " >&2", ", file=sys.stderr",
    ", reverse=True", ", PartialEq", ", Eq", ", Clone", "final ", "synchronized ", "static ", "readonly ", "async ", "await ",
    "const ", "mut ", "\\n", ".0", "$", " required", " disabled", "\"", " || []", " ?? []", " || 0", " ?? 0", ", true", ", false",
];

pub fn ways(sentence: &Sentence, line: &Line) -> Vec<Way> {
    let joins = joins(line);
    let mut found = joined(sentence, line, &joins);
    found.extend(often(sentence, line, &joins));
    found.extend(elements(line.text).iter().flat_map(|element| like(sentence, line, element)));
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

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
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
    let of_text = matches!((before, after), (", " | " " | "" | " (" | "; " | "|" | "." | "," | " | ", "" | " " | ")" | "()"));
    !is_text || of_text
}

/// What is named, joined to what stands there.
fn joined(sentence: &Sentence, line: &Line, joins: &[Join]) -> Vec<Way> {
    let names = JOINTS.map(|(before, after)| format!("joined {before}·{after}"));
    let of_joints: Vec<Vec<List>> = joins
        .iter()
        .map(|join| {
            let of = |name: &String| Rc::new(join.features.iter().map(|feature| format!("{name} {feature}")).collect());
            names.iter().map(of).collect()
        })
        .collect();
    let mut found = Vec::new();
    for value in &sentence.values {
        let text = &value.named.text;
        if matches!(value.named.how, How::Part | How::Scaled | How::NumberWord) || line.text.contains(text.as_str()) {
            continue;
        }
        let of_value: [List; JOINTS.len()] = names
            .each_ref()
            .map(|name| Rc::new(vec![format!("{name} {}", value.class), format!("{name} how:{:?}", value.named.how)]));
        for (join, of_joints) in joins.iter().zip(&of_joints) {
            let (left, right) = (join.left(line.text), join.right(line.text));
            let mut of_sides_seen: Option<List> = None;
            for (i, (before, after)) in JOINTS.into_iter().enumerate() {
                if !may_be_joined(value, before, after) || !may_join(join, line.text, before, text, after) {
                    continue;
                }
                let sides = of_sides_seen.get_or_insert_with(|| Rc::new(of_sides(sentence, value, left, right)));
                let lists = [&value.features, &line.whole, &of_joints[i], &of_value[i], &*sides];
                let of = lists.into_iter().cloned().chain([sentence.with_each_word(&names[i])]).collect();
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
fn often(sentence: &Sentence, line: &Line, joins: &[Join]) -> Vec<Way> {
    let mut found = Vec::new();
    let of_joins: Vec<List> = joins
        .iter()
        .map(|join| {
            let sides = [("left", words(join.left(line.text)).last()), ("right", words(join.right(line.text)).next())];
            let of_side = |(name, word): (&str, Option<&str>)| {
                let word = word.unwrap_or("^");
                [format!("often {name}:{word}"), format!("often {name} spoken of:{}", sentence.speaks_of(word))]
            };
            Rc::new(sides.into_iter().flat_map(of_side).collect())
        })
        .collect();
    for text in OFTEN {
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
            let features: List = Rc::new(join.features.iter().map(|feature| format!("often {text} {feature}")).collect());
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
        "!" | "-" | "$" => opens && right.starts_with(|c: char| is_of_word(c) || matches!(c, '(' | '$')),
        "?" => left.ends_with(|c: char| is_of_word(c) || c == ')') && right.starts_with(['.', ':', '[', '(', ' ']),
        "\\n" => right.starts_with(['"', '\'', '`', '\\']),
        ".0" => left.ends_with(|c: char| c.is_ascii_digit()) && !right.starts_with('.'),
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

/// One of several things that a mark separates.
struct Element {
    at: Range<usize>,
    separator: &'static str,
    is_first: bool,
    is_last: bool,
}

/// Those between brackets and, if there are several, of the whole line.
fn elements(line: &str) -> Vec<Element> {
    let mut groups: Vec<(usize, Vec<usize>)> = vec![(line.len() - line.trim_start().len(), Vec::new())];
    let mut found = Vec::new();
    let mut quote: Option<char> = None;
    let mut close = |group: (usize, Vec<usize>), end: usize, is_bracket: bool| {
        let (start, commas) = group;
        if commas.is_empty() && !is_bracket {
            return;
        }
        let bounds: Vec<usize> = [start].into_iter().chain(commas.iter().copied()).chain([end]).collect();
        let n = bounds.len() - 1;
        for i in 0..n {
            let (from, to) = (bounds[i] + usize::from(i > 0), bounds[i + 1]);
            let piece = &line[from..to];
            let (from, to) = (from + piece.len() - piece.trim_start().len(), from + piece.trim_end().len());
            if from < to {
                let tight = commas.first().is_some_and(|&comma| !line[comma + 1..].starts_with(' '));
                let separator = match line[*commas.first().unwrap_or(&end)..].chars().next() {
                    Some('|') if tight => "|",
                    Some('|') => " | ",
                    _ if tight => ",",
                    _ => ", ",
                };
                found.push(Element { at: from..to, separator, is_first: i == 0, is_last: i + 1 == n });
            }
        }
    };
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (Some(mark), c) if mark == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '`') => quote = Some(c),
            (None, '\'') if line[at + 1..].contains('\'') && !line[..at].ends_with(is_of_word) => quote = Some(c),
            (None, '(' | '[' | '{') => groups.push((at + 1, Vec::new())),
            (None, ')' | ']' | '}') if groups.len() > 1 => {
                let group = groups.pop().expect("there are two");
                close(group, at, true);
            }
            (None, ',') | (None, '|')
                if c == ',' || !line[at + 1..].starts_with(['|', '>', '=']) && !line[..at].ends_with('|') =>
            {
                groups.last_mut().expect("the line's own is never closed").1.push(at);
            }
            _ => {}
        }
    }
    let end = line.trim_end_matches([' ', ';', ',']).len();
    if let Some((start, mut commas)) = groups.into_iter().next() {
        commas.retain(|&comma| comma < end);
        if start < end {
            close((start, commas), end, false);
        }
    }
    found
}

/// Another element like this one, beside it, with one or two things in it that the sentence names.
fn like(sentence: &Sentence, line: &Line, element: &Element) -> Vec<Way> {
    let mut found = Vec::new();
    let text = &line.text[element.at.clone()];
    let within: Vec<&SpotSeen> = line.spots.iter().filter(|seen| is_within(&seen.spot.at, &element.at)).collect();
    let mut put = |new: &str, mut of: Vec<List>, how: &str| {
        if line.text.contains(new) {
            return;
        }
        let (left, right) = (&line.text[..element.at.start], &line.text[element.at.end..]);
        let separator = element.separator;
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
            of.extend([Rc::new(features), sentence.with_each_word(&name)]);
            let way = Features::new(of.clone(), line.search);
            of.truncate(of.len() - 2);
            found.push(Way { line: line.idx, change: Change::Replace(changed), features: way });
        }
    };
    copies(sentence, line, &within, element.at.start, text, "element", &mut put);
    found
}

fn is_within(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    inner.start >= outer.start && inner.end <= outer.end
}

/// Copies of a text that begins there in the line, with one or two of these spots in it replaced by what the sentence names.
pub fn copies(
    sentence: &Sentence,
    line: &Line,
    spots: &[&SpotSeen],
    start: usize,
    text: &str,
    name: &str,
    put: &mut impl FnMut(&str, Vec<List>, &str),
) {
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
        Rc::clone(known.entry((seen.spot.at.clone(), v)).or_insert_with(|| Rc::new(new().collect())))
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
                let again: List = Rc::new(vec!["copy, each time".to_owned()]);
                put(
                    &everywhere(first, value),
                    vec![value.features.clone(), first.features.clone(), of_first.clone(), again],
                    &one,
                );
            }
            if !matches!(first.spot.kind, Kind::Word | Kind::Wide | Kind::Quoted) {
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
                        Rc::new(pair),
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
        && match seen.spot.kind {
            Kind::Word | Kind::Wide => is_number(value.class) == is_number(seen.class) && value.class != "phrase",
            Kind::Quoted | Kind::Value => true,
            Kind::Digits | Kind::Between | Kind::Line | Kind::Operator => seen.spot.kind == Kind::Between,
        }
}
