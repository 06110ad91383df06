//! What a model's answer leaves at the end of a text: tags of the call that it came in, and tokens
//! by which the model ends (`</content>`, `</invoke>`, `<|im_end|>`). It is no part of a file, if
//! nothing there opened it.

use crate::format::Action;
use crate::hunk::{Extent, Hunk, Tag};
use crate::text::without_stop_tokens;

/// Endings of files that may be a part of a page. There, what one file closes another may open.
const PAGES: [&str; 27] = [
    "htm", "html", "xhtml", "php", "erb", "ejs", "hbs", "mustache", "j2", "jinja", "jinja2",
    "twig", "njk", "liquid", "tmpl", "tpl", "gohtml", "cshtml", "jsp", "astro", "mdx", "vue",
    "svelte", "haml", "jsx", "tsx", "xml",
];

/// Names of elements that calls have and pages do not.
const OF_CALLS: [&str; 4] = ["content", "invoke", "parameter", "function"];

/// Whether the new text of an action may have such an end. The file need not be read otherwise.
pub(super) fn is_likely(action: &Action) -> bool {
    let is_closed = |text: &str| text.trim_end().ends_with(['>', ']']);
    match action {
        Action::Write { text, .. } => is_closed(text),
        Action::Edit(hunk) => {
            let last = hunk.lines.iter().rfind(|line| !line.text.trim().is_empty());
            last.is_some_and(|line| is_closed(&line.text))
        }
        _ => false,
    }
}

/// An action without such an end, and what was left out; none if it has none. `before` is the text
/// of the file, if it is there.
pub(super) fn without(action: &Action, path: &str, before: &str) -> Option<(Action, Vec<String>)> {
    match action {
        Action::Write { text, over } => {
            let (mut rest, left_out) = stripped(text, path, before)?;
            if text.contains('\n') && !rest.is_empty() {
                rest.push('\n');
            }
            Some((
                Action::Write {
                    text: rest,
                    over: *over,
                },
                left_out,
            ))
        }
        Action::Edit(hunk) => {
            let (hunk, left_out) = without_in(hunk, path, before)?;
            Some((Action::Edit(hunk), left_out))
        }
        _ => None,
    }
}

fn without_in(hunk: &Hunk, path: &str, before: &str) -> Option<(Hunk, Vec<String>)> {
    let last = hunk
        .lines
        .iter()
        .rfind(|line| !line.text.trim().is_empty())?;
    if last.tag != Tag::Insert {
        return None;
    }
    let old: Vec<&str> = hunk.old().collect();
    let new = hunk.new().collect::<Vec<_>>().join("\n");
    let (rest, left_out) = stripped(&new, path, before)?;

    let mut new: Vec<&str> = if rest.is_empty() {
        Vec::new()
    } else {
        rest.split('\n').collect()
    };
    // In a text that may end inside a line, the last line is empty if it ends with a newline.
    if hunk.extent == Extent::Text && old.len() > 1 && old.ends_with(&[""]) {
        new.push("");
    }
    let lines = Hunk::of_lines(&old, &new).lines;
    Some((
        Hunk {
            lines,
            ..hunk.clone()
        },
        left_out,
    ))
}

/// The text without such an end and the whitespace above it, and the parts that go, in order.
fn stripped(text: &str, path: &str, before: &str) -> Option<(String, Vec<String>)> {
    let mut rest = text;
    let mut left_out = Vec::new();
    loop {
        let body = rest.trim_end();
        let without_tokens = without_stop_tokens(body);
        if without_tokens.len() < body.len() {
            // The text may be a template, which has such tokens elsewhere.
            let tokens = body[without_tokens.len()..].trim();
            let is_template = [without_tokens, before]
                .iter()
                .any(|text| text.contains("<|"))
                || before.contains(tokens)
                || closing_tag(tokens).is_some_and(|name| has_element(without_tokens, name));
            // Behind a blank it is a word of the text.
            let is_word = body[without_tokens.len()..].starts_with([' ', '\t']);
            if is_template || is_word || without_tokens.trim().is_empty() {
                break;
            }
            left_out.insert(0, tokens.to_owned());
            rest = without_tokens;
            continue;
        }
        let start = body.rfind('\n').map_or(0, |at| at + 1);
        let Some(name) = closing_tag(body[start..].trim()) else {
            break;
        };
        if body[..start].trim().is_empty()
            || is_of_a_page(path, name)
            || has_element(&body[..start], name)
            || has_element(before, name)
        {
            break;
        }
        left_out.insert(0, body[start..].trim().to_owned());
        rest = &body[..start];
    }
    (!left_out.is_empty()).then(|| (rest.trim_end().to_owned(), left_out))
}

/// The name in a closing tag that is all there is.
fn closing_tag(line: &str) -> Option<&str> {
    let name = line.strip_prefix("</")?.strip_suffix('>')?.trim_end();
    let is_name = |char: char| char.is_ascii_alphanumeric() || "_-:.".contains(char);
    (name.starts_with(|char: char| char.is_ascii_alphabetic()) && name.chars().all(is_name))
        .then_some(name)
}

/// Whether a text opens or closes such an element.
fn has_element(text: &str, name: &str) -> bool {
    ["<", "</"].iter().any(|mark| {
        text.match_indices(&format!("{mark}{name}"))
            .any(|(at, found)| {
                let next = text[at + found.len()..].chars().next();
                !next.is_some_and(|char| char.is_alphanumeric() || char == '_' || char == '-')
            })
    })
}

fn is_of_a_page(path: &str, name: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_in = |words: &[&str], word: &str| words.iter().any(|w| w.eq_ignore_ascii_case(word));
    is_in(&PAGES, extension) && !name.contains('_') && !is_in(&OF_CALLS, name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Over;

    #[track_caller]
    fn check(path: &str, before: &str, text: &str, expected: Option<(&str, &str)>) {
        let action = Action::Write {
            text: text.to_owned(),
            over: Over::Anything,
        };
        let found = without(&action, path, before).map(|(action, left_out)| match action {
            Action::Write { text, .. } => (text, left_out.join(" ")),
            other => panic!("{other:?}"),
        });
        let expected = expected.map(|(text, left_out)| (text.to_owned(), left_out.to_owned()));
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn what_nothing_opened_is_left_out() {
        check(
            "n.md",
            "# N\n",
            "# N\n\nx\n</content>\n</invoke>\n",
            Some(("# N\n\nx\n", "</content> </invoke>")),
        );
        check(
            "a.py",
            "",
            "x = 1\n</file_text>",
            Some(("x = 1\n", "</file_text>")),
        );
        check(
            "a.py",
            "",
            "x = 1<|im_end|>\n",
            Some(("x = 1\n", "<|im_end|>")),
        );
        check(
            "a.py",
            "",
            "x = 1\n</parameter>\n</s>",
            Some(("x = 1\n", "</parameter> </s>")),
        );
    }

    #[test]
    fn what_belongs_to_the_file_stays() {
        check("a.xml", "", "<content>\nx\n</content>\n", None);
        check(
            "footer.html",
            "",
            "<p>x</p>\n</div>\n</body>\n</html>\n",
            None,
        );
        check("n.md", "<content>\n", "x\n</content>\n", None);
        check("a.jinja", "", "<|im_start|>x<|im_end|>\n", None);
        check("a.ts", "", "const x = <T>y;\n</T>\n", None);
        check("a.py", "", "x = 1\n", None);
    }

    #[test]
    fn in_an_edit_only_new_text_loses_it() {
        let of = |old: &str, new: &str| {
            let action = Action::Edit(Hunk::of_text(old, new));
            without(&action, "a.py", "x = 1\n").map(|(action, _)| action)
        };
        assert_eq!(
            of("x = 1", "x = 2\n</new_string>"),
            Some(Action::Edit(Hunk::of_text("x = 1", "x = 2")))
        );
        assert_eq!(
            of("x = 1\n", "x = 2\n</new_string>\n"),
            Some(Action::Edit(Hunk::of_text("x = 1\n", "x = 2\n")))
        );
        assert_eq!(of("x = 1\n</b>", "x = 2\n</b>"), None);
    }
}
