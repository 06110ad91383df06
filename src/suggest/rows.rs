//! Changes of whole lines: one goes, one that the sentence has comes beside another one, or one like another one.

use super::Way;
use super::added::{Original, copies};
use super::change::Change;
use super::features::{Features, Line, List, Sentence, marks};
use super::named::{How, Named};

/// Of a line that the search finds first.
pub fn ways(sentence: &Sentence, line: &Line) -> Vec<Way> {
    let whole = vec![line.whole.clone(), sentence.with_each_word("delete")];
    let mut found = vec![Way { line: line.idx, change: Change::Delete, features: Features::new(whole, line.search) }];
    found.extend(said(sentence, line));
    found.extend(alike_rows(sentence, line));
    found
}

/// What the sentence has, as a line beside this one.
pub fn said(sentence: &Sentence, line: &Line) -> Vec<Way> {
    let mut found = Vec::new();
    let places = places(line);
    let is_header = is_header(line);
    for value in &sentence.values {
        let Named { text, how, .. } = &value.named;
        if !matches!(how, How::Quoted | How::Phrase | How::Code) && (value.class != "mixed" || value.is_weak())
            || text == line.text.trim()
        {
            continue;
        }
        let mark = ending_mark(line).filter(|&mark| !text.ends_with([mark, '{', ':']));
        for (new, is_marked) in [(text.clone(), false)].into_iter().chain(mark.map(|mark| (format!("{text}{mark}"), true))) {
            for &place in &places {
                let name = place.name("insert");
                let mut features = vec![format!("{name} {how:?}"), format!("insert like it:{}", alike(&new, line.text))];
                features.push(format!("insert {}", value.class));
                features.push(format!("insert code:{}", text.contains(['(', '=', '{', ';', ':', '<', '@', '#'])));
                features.push(format!("{name} marked:{is_marked} like it:{}", ending_mark(line).is_some()));
                features.push(format!("{name} header:{is_header}"));
                let of = vec![value.features.clone(), line.whole.clone(), marks(features), sentence.with_each_word(&name)];
                let (idx, change) = place.change(line, new.clone());
                found.push(Way { line: idx, change, features: Features::new(of, line.search) });
            }
        }
    }
    found
}

/// A line like this one beside it.
fn alike_rows(sentence: &Sentence, line: &Line) -> Vec<Way> {
    let mut found = Vec::new();
    let (places, n_alike) = (places(line), n_alike(line).min(3));
    let indent = line.text.len() - line.text.trim_start().len();
    let old = &line.text[indent..];
    let original = Original { line, start: indent, text: old, spots: line.spots.iter().collect(), with_two: true };
    copies(sentence, &original, "line", &mut |new: &str, of: Vec<List>, how: &str| {
        if sentence.rows().contains(new) {
            return;
        }
        for &place in &places {
            let name = place.name(how);
            let own = vec![name.clone(), format!("{name} alike:{n_alike}")];
            let of = [of.clone(), vec![line.whole.clone(), marks(own), sentence.with_each_word(&name)]].concat();
            let (idx, change) = place.change(line, new.to_owned());
            found.push(Way { line: idx, change, features: Features::new(of, line.search) });
        }
    });
    found
}

/// Where a line may come.
#[derive(Clone, Copy)]
pub enum Place {
    Before,
    After,
    /// Behind the last of the lines in a row that are indented like it.
    AfterAlike(usize),
    /// Behind the last one of a list, which gets the comma it lacks.
    AfterLast,
}

impl Place {
    /// With what is done there, for features.
    pub fn name(self, what: &str) -> String {
        let place = match self {
            Place::Before => "before",
            Place::After => "after",
            Place::AfterAlike(_) => "after all",
            Place::AfterLast => "after last",
        };
        format!("{what} {place}")
    }

    /// The change, with the line it is one of.
    pub fn change(self, line: &Line, new: String) -> (usize, Change) {
        match self {
            Place::Before => (line.idx, Change::Before(new)),
            Place::After => (line.idx, Change::After(new)),
            Place::AfterAlike(idx) => (idx, Change::After(new)),
            Place::AfterLast => {
                let indent = &line.text[..line.text.len() - line.text.trim_start().len()];
                (line.idx, Change::Replace(format!("{},\n{indent}{}", line.text, new.trim_end_matches(','))))
            }
        }
    }
}

/// Before a line and behind it.
pub fn places_beside() -> [Place; 2] {
    [Place::Before, Place::After]
}

/// Whether a line begins a block.
pub fn is_header(line: &Line) -> bool {
    line.text.trim_end().ends_with(['{', ':', '[', '('])
}

fn places(line: &Line) -> Vec<Place> {
    let mut found = vec![Place::Before, Place::After];
    let last = last_alike(line);
    if last != line.idx {
        found.push(Place::AfterAlike(last));
    }
    let next = line.lines.get(line.idx + 1).map_or("", |next| next.trim());
    let above = line.idx.checked_sub(1).map_or("", |above| line.lines[above].trim_end());
    if next.starts_with([']', '}', ')'])
        && !line.text.ends_with([',', ';', '{', '[', '('])
        && above.ends_with([',', '{', '[', '('])
    {
        found.push(Place::AfterLast);
    }
    found
}

/// The last of the lines in a row that have the same indentation.
fn last_alike(line: &Line) -> usize {
    let indent = |text: &str| text.len() - text.trim_start().len();
    let is_alike = |text: &&&str| !text.trim().is_empty() && indent(text) == indent(line.text) && !is_closing(text);
    line.idx + line.lines[line.idx..].iter().take_while(is_alike).count().max(1) - 1
}

/// Whether a line only closes a block.
fn is_closing(text: &str) -> bool {
    text.trim().starts_with(['}', ')', ']']) || text.trim() == "end"
}

/// How many lines in a row are indented like it, with itself.
fn n_alike(line: &Line) -> usize {
    last_alike(line) - line.idx + 1
}

/// The mark with which the line and those like it end.
fn ending_mark(line: &Line) -> Option<char> {
    line.text.trim_end().chars().next_back().filter(|mark| matches!(mark, ';' | ','))
}

/// How much a line to be inserted looks like this one: 0 to 4.
fn alike(new: &str, line: &str) -> usize {
    let line = line.trim();
    let same_start = new.chars().zip(line.chars()).take_while(|(a, b)| a == b).count().min(3);
    same_start + usize::from(new.chars().next_back() == line.chars().next_back())
}
