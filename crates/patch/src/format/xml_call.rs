//! Calls of edit tools that models write as XML, read as the JSON object of the same call.
//!
//! ```text
//! call      = "<function=" name ">" parameter* "</function>"
//!           | "<invoke name=" name ">" parameter* "</invoke>"
//!           | "<" name ">" parameter* "</" name ">"
//! parameter = "<parameter=" key ">" value "</parameter>"
//!           | "<parameter name=" key ">" value "</parameter>"
//!           | "<" key ">" value "</" key ">"
//! ```
//!
//! A value begins and ends in the lines of its tags, or in the lines between them. It may hold tags:
//! its own end is the first that another parameter, or the end of the call, follows. No list of
//! tools is needed: what its keys are decides whether a call is an edit.

use super::json::Object;
use serde_json::Value;

/// The call at the start of a text, also inside of tags around it: its length in bytes.
pub(super) fn call_at(text: &str, is_meant: fn(&Object) -> bool) -> Option<(usize, Object)> {
    const MOST_AROUND: usize = 3;
    let mut inner = text;
    for _ in 0..MOST_AROUND {
        if let Some((n_bytes, object)) = own_call_at(inner).filter(|(_, object)| is_meant(object)) {
            return Some((text.len() - inner.len() + n_bytes, object));
        }
        inner = inner[XmlTag::of(inner)?.n_bytes..].trim_start_matches([' ', '\t']);
    }
    None
}

fn own_call_at(text: &str) -> Option<(usize, Object)> {
    let name = XmlTag::of(text)?;
    let close = name.close();
    let mut object = Object::new();
    object.insert("name".to_owned(), Value::String(name.key.to_owned()));
    let mut rest = text[name.n_bytes..].trim_start();
    loop {
        if let Some(below) = rest.strip_prefix(&close) {
            return (object.len() > 1).then_some((text.len() - below.len(), object));
        }
        let parameter = XmlTag::of(rest).filter(XmlTag::is_parameter)?;
        let (inner, below) = parameter_at(&rest[parameter.n_bytes..], &parameter.close(), &close)?;
        let value = Value::String(value(inner));
        // A parameter that stands there twice is content of another.
        if object.insert(parameter.key.to_owned(), value).is_some() && parameter.key != "name" {
            return None;
        }
        rest = below;
    }
}

/// The text before the tag that closes a parameter, and the text below it. The end of the call or
/// another parameter follows.
fn parameter_at<'a>(text: &'a str, close: &str, call_close: &str) -> Option<(&'a str, &'a str)> {
    for (end, _) in text.match_indices(close) {
        let below = text[end + close.len()..].trim_start();
        if below.starts_with(call_close) || XmlTag::of(below).is_some_and(|tag| tag.is_parameter())
        {
            return Some((&text[..end], below));
        }
    }
    None
}

/// An opening tag.
struct XmlTag<'a> {
    /// The name of the element, without a namespace.
    element: &'a str,
    /// The name of what it holds: the element's own, or the one that it gives.
    key: &'a str,
    n_bytes: usize,
}

impl<'a> XmlTag<'a> {
    fn of(text: &'a str) -> Option<XmlTag<'a>> {
        // A longer one is text, in which a `>` may be far.
        const MOST_BYTES: usize = 200;
        let inner = text.strip_prefix('<')?;
        let end = inner
            .bytes()
            .take(MOST_BYTES)
            .position(|byte| byte == b'>')?;
        let inner = &inner[..end];
        let (element, key) = match inner.split_once(['=', ' ']) {
            None => (inner, inner),
            Some((element, key)) => {
                let key = key.trim().strip_prefix("name=").unwrap_or(key.trim());
                (element, key.trim_matches(['"', '\'']))
            }
        };
        (is_name(element) && is_name(key)).then_some(XmlTag {
            element,
            key,
            n_bytes: inner.len() + 2,
        })
    }

    /// Whether it is an element of its own, or a parameter with a name.
    fn is_parameter(&self) -> bool {
        self.key == self.element
            || ["param", "arg"]
                .iter()
                .any(|word| self.element.starts_with(word))
    }

    fn close(&self) -> String {
        format!("</{}>", self.element)
    }
}

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    name.starts_with(|char: char| char.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte))
}

/// The text between two tags. Line breaks beside the tags are not its own.
fn value(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let data = text
        .trim()
        .strip_prefix("<![CDATA[")
        .and_then(|rest| rest.strip_suffix("]]>"));
    let text = data.map_or_else(|| text.clone(), str::to_owned);
    match text.strip_prefix('\n') {
        Some(inner) if !inner.is_empty() => inner.to_owned(),
        Some(_) => String::new(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&[(&str, &str)]>) {
        let Some((n_bytes, object)) = call_at(text, |_| true) else {
            return assert_eq!(expected, None, "{text}");
        };
        assert_eq!(&text[n_bytes..], "\nrest", "{text}");
        let parameters = object.iter().filter(|(key, _)| *key != "name");
        let pairs: Vec<(&str, &str)> = parameters
            .map(|(key, value)| (key.as_str(), value.as_str().unwrap()))
            .collect();
        assert_eq!(Some(pairs.as_slice()), expected, "{text}");
    }

    #[test]
    fn each_way_to_write_a_call() {
        let pairs = [("path", "a.py"), ("content", "x\n")];
        for text in [
            "<function=write><parameter=path>a.py</parameter>\n<parameter=content>\nx\n</parameter>\n</function>",
            "<invoke name=\"Write\"><parameter name=\"path\">a.py</parameter>\
             <parameter name=\"content\">x\n</parameter></invoke>",
            "<write_to_file>\n<path>a.py</path>\n<content>\nx\n</content>\n</write_to_file>",
        ] {
            check(&format!("{text}\nrest"), Some(&pairs));
        }
    }

    #[test]
    fn tags_in_a_value_are_its_own() {
        check(
            "<write><path>a.html</path><content>\n<content>x</content>\n</content></write>\nrest",
            Some(&[("path", "a.html"), ("content", "<content>x</content>\n")]),
        );
    }

    #[test]
    fn what_is_no_call() {
        for text in [
            "<p>Text.</p>\nrest",
            "<write><path>a.py</path> and text</write>\nrest",
            "<write><path>a.py</path>\nrest",
            "<function_calls>\n<invoke name=\"x\">\n</invoke></function_calls>\nrest",
            "a < b\nrest",
        ] {
            check(text, None);
        }
    }
}
