//! How what a change writes would read: which kinds of words and marks come to stand beside each other. What a sentence names is
//! cut out of prose, and where it was cut wrongly the line reads like nothing that anybody writes.

use super::features::{List, Marks};
use super::habits::COMMENTS;
use super::in_file::KEYWORDS;
use super::spots::{is_of_word, tokens};
use super::weights::Weights;
use crate::prompt::hints::is_common;
use crate::prompt::stems::is_stop_word;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::ops::Range;

/// Of a longer text only so many pairs of words and marks count, at its beginning and at its end.
const MOST_FIRST: usize = 5;
const MOST_LAST: usize = 3;

/// So many words of prose in a line, and it is prose.
const OF_PROSE: usize = 3;

/// Sees how changes of one text would read.
pub struct Fluency<'t> {
    words: FxHashSet<&'t str>,
    keywords: FxHashSet<&'static str>,
    /// By line: whether it is prose.
    prose: FxHashMap<String, bool>,
    /// By what is changed, where, and the kinds of both with a blank between them or none: the feature, and what it weighs.
    pairs: FxHashMap<Pair, (String, f64)>,
    known: FxHashMap<(&'static str, Kind, String), List>,
}

/// What is changed, where two words or marks stand, and their kinds with a blank between them or none.
type Pair = (&'static str, &'static str, Token, &'static str, Token);

/// What kind of word or mark it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Token {
    Mark(char),
    /// A word that many languages know, itself, or what is known of others.
    Word(&'static str),
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Token::Mark(mark) => write!(f, "{mark}"),
            Token::Word(word) => f.write_str(word),
        }
    }
}

/// What kind of line it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Code,
    Comment,
    Prose,
}

impl<'t> Fluency<'t> {
    /// Of changes of this text.
    pub fn new(text: &'t str) -> Fluency<'t> {
        let (prose, pairs, known) = Default::default();
        let words = tokens(text).map(|at| &text[at]).collect();
        Fluency { words, keywords: KEYWORDS.into_iter().collect(), prose, pairs, known }
    }

    /// How a text reads of which this stretch is brought, and which is like another one, or comes beside it.
    pub fn of(&mut self, what: &'static str, new: &str, brought: &Range<usize>, like: &str) -> List {
        let kind = self.kind(if what == "replace" { like } else { new }, like);
        // From the word or mark before the stretch to that behind it.
        let from = last_token(&new[..brought.start]);
        let to = brought.end + tokens(&new[brought.end..]).next().map_or(0, |at| at.end);
        let mut quote = None;
        quotes(&mut quote, &new[..from]);
        let mark = quote.map_or("", |mark: char| if mark == '"' { "\"" } else { "'" });
        let (ends, stretch) = ((from == 0, to == new.len()), &new[from..to]);
        let key = format!("{mark}{}{}{}\t{stretch}", ends.0, ends.1, brought.start - from);
        if let Some(list) = self.known.get(&(what, kind, key.clone())) {
            return list.clone();
        }
        let list = self.list(what, kind, stretch, ends, quote, brought.start - from..brought.end - from);
        self.known.insert((what, kind, key), list.clone());
        list
    }

    /// Of a stretch, which may be all to an end, with the quote that it stands in and what of it is new.
    fn list(
        &mut self,
        what: &'static str,
        kind: Kind,
        stretch: &str,
        (at_start, at_end): (bool, bool),
        mut quote: Option<char>,
        brought: Range<usize>,
    ) -> List {
        let kind = match kind {
            Kind::Code => "code",
            Kind::Comment => "comment",
            Kind::Prose => "prose",
        };
        let mut pairs: Vec<Pair> = Vec::new();
        let (mut n_prose, mut n_new) = (0, 0);
        let mut last = at_start.then_some((Token::Mark('^'), 0));
        for at in tokens(stretch) {
            let text = &stretch[at.clone()];
            let token = self.token(text);
            if let Some((before, end)) = last {
                let blank = if end < at.start { "_" } else { "" };
                pairs.push((what, if quote.is_some() { "quoted" } else { kind }, before, blank, token));
            }
            if brought.contains(&at.start) && quote.is_none() {
                n_prose += usize::from(token == Token::Word("stop"));
                n_new += usize::from(token == Token::Word("new"));
            }
            quotes(&mut quote, text);
            last = Some((token, at.end));
        }
        if let Some((before, _)) = last
            && at_end
        {
            pairs.push((what, if quote.is_some() { "quoted" } else { kind }, before, "", Token::Mark('$')));
        }
        let behind = pairs.len().saturating_sub(MOST_LAST).max(MOST_FIRST);
        let told = pairs.iter().take(MOST_FIRST).chain(pairs.iter().skip(behind));
        let mut names =
            vec![format!("reads {what} {kind} prose:{}", n_prose.min(4)), format!("reads {what} {kind} new:{}", n_new.min(4))];
        let mut weight = Weights::get().of(&names);
        for pair in told {
            let (name, of_pair) = self.pairs.entry(*pair).or_insert_with(|| {
                let (what, place, before, blank, behind) = pair;
                let name = format!("reads {what} {place}:{before} {blank} {behind}");
                let weight = Weights::get().of(std::slice::from_ref(&name));
                (name, weight)
            });
            names.push(name.clone());
            weight += *of_pair;
        }
        Marks::weighed(names, weight)
    }

    /// What a line is, which may be prose if the one it is like is.
    fn kind(&mut self, line: &str, like: &str) -> Kind {
        let line = line.trim_start();
        if COMMENTS.iter().any(|(before, _)| line.starts_with(before)) {
            return Kind::Comment;
        }
        let is_prose = match self.prose.get(like) {
            Some(known) => *known,
            None => {
                let n_prose = tokens(like).filter(|at| is_stop_word(&like[at.clone()])).count();
                *self.prose.entry(like.to_owned()).or_insert(n_prose >= OF_PROSE)
            }
        };
        if is_prose { Kind::Prose } else { Kind::Code }
    }

    fn token(&self, token: &str) -> Token {
        if let Some(mark) = token.chars().next().filter(|&c| !is_of_word(c)) {
            return Token::Mark(mark);
        }
        Token::Word(if token.starts_with(|c: char| c.is_ascii_digit()) {
            "0"
        } else if let Some(keyword) = self.keywords.get(token) {
            keyword
        } else if is_stop_word(token) {
            "stop"
        } else if self.words.contains(token) {
            "known"
        } else if is_common(token) {
            "common"
        } else {
            "new"
        })
    }
}

/// Where the last word or mark of a text begins.
fn last_token(text: &str) -> usize {
    let trimmed = text.trim_end();
    let word = trimmed.trim_end_matches(is_of_word);
    if word.len() < trimmed.len() { word.len() } else { trimmed.char_indices().next_back().map_or(0, |(at, _)| at) }
}

/// Goes on through a text: which quote is open then.
fn quotes(open: &mut Option<char>, text: &str) {
    let mut before = ' ';
    for c in text.chars() {
        match *open {
            Some(mark) if mark == c && before != '\\' => *open = None,
            None if matches!(c, '"' | '`') || c == '\'' && !is_of_word(before) => *open = Some(c),
            _ => {}
        }
        before = c;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(what: &'static str, new: &str, part: &str, like: &str) -> Vec<String> {
        let start = new.find(part).unwrap();
        let list = Fluency::new("long area() { return a; }\n").of(what, new, &(start..start + part.len()), like);
        list.names.iter().map(|name| name.replace(&format!("reads {what} "), "")).collect()
    }

    #[test]
    fn pairs_go_from_the_mark_before_to_the_one_behind() {
        let features = read("replace", "long area() const { return a; }", "const ", "long area() { return a; }");
        assert_eq!(features, ["code prose:0", "code new:0", "code:) _ const", "code:const _ {"]);
        let features = read("replace", "long area() on a Rect { return a; }", "on a Rect ", "long area() { return a; }");
        assert_eq!(features[..2], ["code prose:1", "code new:1"]);
        assert_eq!(features[2..], ["code:) _ stop", "code:stop _ known", "code:known _ new", "code:new _ {"]);
        assert_eq!(read("delete", "", "", "x")[2..], ["code:^  $"]);
        let long = read("after", "a b c d e f g h i", "a b c d e f g h i", "x");
        assert_eq!(long.len(), 2 + MOST_FIRST + MOST_LAST);
        assert_eq!(long.last().unwrap(), "code:new  $");
    }

    #[test]
    fn what_is_quoted_or_a_comment_may_be_prose() {
        let features = read("after", "say(\"it is on\")", "say(\"it is on\")", "x");
        assert_eq!(features[4..7], ["code:(  \"", "quoted:\"  stop", "quoted:stop _ stop"]);
        assert!(features.contains(&"code prose:0".to_owned()));
        assert!(read("after", "// it is on", "// it is on", "x").contains(&"comment prose:3".to_owned()));
        assert!(read("replace", "it is on by us", "by us", "it is on").contains(&"prose prose:2".to_owned()));
    }
}
