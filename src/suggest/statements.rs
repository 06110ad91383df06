//! Changes that put a statement beside a line, made of what a sentence names: "set the score back to 0" as `self.score = 0`.

use super::Way;
use super::features::{Features, Line, Sentence, Value, is_name, marks};
use super::named::How;
use super::rows::places_beside;

/// Names that are tried.
const MOST_NAMES: usize = 6;

/// What things are often set to: some for files that have them, some for all.
#[rustfmt::skip]
const OFTEN: [&str; 12] = ["0", "null", "nil", "None", "true", "false", "True", "False", "\"\"", "''", "[]", "NULL"];

pub fn ways(sentence: &Sentence, line: &Line) -> Vec<Way> {
    let mark = sentence.habits.ending_mark;
    let file_has = |text: &str| text == "0" || sentence.text().contains(text);
    let usual: Vec<&str> = OFTEN.into_iter().filter(|text| file_has(text)).collect();
    let mut found = Vec::new();
    let mut put = |name: &Value, text: &str, how: &str, more: Vec<String>| {
        let new = format!("{text}{mark}");
        if line.text.trim() == new {
            return;
        }
        let mut features = vec![
            format!("{how} {:?}", name.named.how),
            format!("{how} {}", name.class),
            format!("{how} there:{}", sentence.rows().contains(new.as_str())),
        ];
        features.extend(more);
        let features = marks(features);
        for place in places_beside() {
            let what = place.name(how);
            let of = vec![name.features.clone(), line.whole.clone(), features.clone(), sentence.with_each_word(&what)];
            let (idx, change) = place.change(line, new.clone());
            found.push(Way { line: idx, change, features: Features::new(of, line.search) });
        }
    };
    let may_be_set = |value: &&Value| {
        let last = value.named.text.rsplit(['.', '>', ':']).next().unwrap_or_default();
        let may = matches!(value.named.how, How::Word | How::InFile | How::Code | How::Quoted);
        may && is_name(last) && !value.named.text.contains([' ', '(', '"', '\'', '/', '=', ',']) && value.class != "capital"
    };
    for name in sentence.values.iter().filter(may_be_set).take(MOST_NAMES) {
        let text = name.named.text.as_str();
        for value in sentence.values.iter().filter(|value| value.named.text != text && may_be_got(value)) {
            let new = &value.named.text;
            let order = name.named.at.start < value.named.at.start;
            let more =
                vec![format!("set order:{order}"), format!("set to:{}", value.class), format!("set to:{:?}", value.named.how)];
            put(name, &format!("{text} = {new}"), "set", more);
        }
        for value in usual.iter().filter(|usual| sentence.values.iter().all(|value| value.named.text != **usual)) {
            put(name, &format!("{text} = {value}"), &format!("set to {value}"), vec!["set to what is usual".to_owned()]);
        }
        put(name, &format!("{text} += 1"), "count up", Vec::new());
        put(name, &format!("{text}()"), "call", Vec::new());
    }
    // `draw()`, `this.save()`.
    for name in sentence.values.iter().filter(|value| value.named.text.ends_with("()") && !value.named.text.contains(' ')) {
        put(name, &name.named.text, "call", Vec::new());
    }
    found
}

/// Whether something can be set to it.
fn may_be_got(value: &Value) -> bool {
    matches!(value.class, "whole" | "decimal" | "measure" | "capitals" | "camel" | "snake")
        || value.named.how == How::InFile
        || matches!(value.named.text.as_str(), "true" | "false" | "True" | "False" | "null" | "nil" | "None")
        || value.named.how == How::Word && value.class == "mixed"
}
