//! Takes off what a model's answer leaves at the end of a text: tags of the call around it, and the
//! tokens by which the model ends (`</content>`, `</invoke>`, `<|im_end|>`). They are no part of the
//! file if nothing in it opens them.

use crate::format::Action;
use crate::hunk::{Extent, Hunk, HunkLine, Tag};
use crate::text::without_stop_tokens;

/// Endings of files that may be a part of a page. There, what one file closes another may open.
const PAGES: [&str; 27] = [
    "htm", "html", "xhtml", "php", "erb", "ejs", "hbs", "mustache", "j2", "jinja", "jinja2",
    "twig", "njk", "liquid", "tmpl", "tpl", "gohtml", "cshtml", "jsp", "astro", "mdx", "vue",
    "svelte", "haml", "jsx", "tsx", "xml",
];

/// Names of elements that calls have and pages do not.
const OF_CALLS: [&str; 4] = ["content", "invoke", "parameter", "function"];

/// Whether the new text of an action may have such an end. Otherwise the file need not be read.
pub(super) fn is_likely(action: &Action) -> bool {
    let last = match action {
        Action::Write { text, .. } => text.as_str(),
        Action::Edit(hunk) => last_line(hunk).map_or("", |line| line.text.as_str()),
        _ => "",
    };
    last.trim_end().ends_with(['>', ']'])
}

/// The last line that is not blank.
fn last_line(hunk: &Hunk) -> Option<&HunkLine> {
    hunk.lines.iter().rfind(|line| !line.text.trim().is_empty())
}

/// An action without such an end, and the parts that were left out; `None` if it has no such end.
/// `before` is the text of the file, or empty.
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
    if last_line(hunk)?.tag != Tag::Insert {
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
    let stripped = Hunk {
        lines: Hunk::of_lines(&old, &new).lines,
        ..hunk.clone()
    };
    Some((stripped, left_out))
}

/// The text without such an end and the whitespace above it, and the parts that go, in order.
fn stripped(text: &str, path: &str, before: &str) -> Option<(String, Vec<String>)> {
    let mut rest = text;
    let mut left_out = Vec::new();
    while let Some(shorter) =
        without_tokens(rest, before).or_else(|| without_tag(rest, path, before))
    {
        left_out.insert(0, rest[shorter.len()..].trim().to_owned());
        rest = shorter;
    }
    (!left_out.is_empty()).then(|| (rest.trim_end().to_owned(), left_out))
}

/// A text without the stop tokens at its end; `None` if it has none, or if they are its own.
fn without_tokens<'t>(text: &'t str, before: &str) -> Option<&'t str> {
    let body = text.trim_end();
    let rest = without_stop_tokens(body);
    let tokens = &body[rest.len()..];
    // Behind a blank it is a word of the text.
    if rest.trim().is_empty() || tokens.is_empty() || tokens.starts_with([' ', '\t']) {
        return None;
    }
    // The text may be a template, which has such tokens elsewhere.
    let tokens = tokens.trim();
    let is_template = rest.contains("<|")
        || before.contains("<|")
        || before.contains(tokens)
        || closing_tag(tokens).is_some_and(|name| has_element(rest, name));
    (!is_template).then_some(rest)
}

/// A text without the closing tag on its last line; `None` if it has none, or if the tag is its own.
fn without_tag<'t>(text: &'t str, path: &str, before: &str) -> Option<&'t str> {
    let body = text.trim_end();
    if without_stop_tokens(body).len() < body.len() {
        return None;
    }
    let start = body.rfind('\n').map_or(0, |at| at + 1);
    let (rest, last) = body.split_at(start);
    let name = closing_tag(last.trim())?;
    let is_own = rest.trim().is_empty()
        || is_of_a_page(path, name)
        || has_element(rest, name)
        || has_element(before, name);
    (!is_own).then_some(rest)
}

/// The name in a line that is only a closing tag.
fn closing_tag(line: &str) -> Option<&str> {
    let name = line.strip_prefix("</")?.strip_suffix('>')?.trim_end();
    let is_name = name.starts_with(|char: char| char.is_ascii_alphabetic())
        && name
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || "_-:.".contains(char));
    is_name.then_some(name)
}

/// Whether a text opens or closes such an element.
fn has_element(text: &str, name: &str) -> bool {
    ["<", "</"].iter().any(|mark| {
        let tag = format!("{mark}{name}");
        text.match_indices(&tag).any(|(at, _)| {
            let next = text[at + tag.len()..].chars().next();
            !next.is_some_and(|char| char.is_alphanumeric() || char == '_' || char == '-')
        })
    })
}

/// Whether an element of this name may belong to a page.
fn is_of_a_page(path: &str, name: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    PAGES
        .iter()
        .any(|page| page.eq_ignore_ascii_case(extension))
        && !name.contains('_')
        && !OF_CALLS.iter().any(|call| call.eq_ignore_ascii_case(name))
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
