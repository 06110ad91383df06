//! Reading the patch: from a file or from standard input, in a format that is named or recognised.

use super::in_words::told_in_words;
use crate::failure::{Failure, FailureKind};
use crate::format::{Format, FormatError, Patch};
use crate::text::Text;
use std::fmt::Display;
use std::io::Read;
use std::path::Path;

/// A longer patch is refused: it is no work of a person or a model.
const MAX_PATCH_BYTES: u64 = 64 << 20;

/// What to do about an answer in words.
pub(super) const ASK_FOR_AN_EDIT: &str =
    "ask for a search/replace block or a diff, or say it to slotwright edit in a sentence";

/// Reads the text of a patch from a file.
pub(crate) fn read_file(path: &Path) -> Result<String, Failure> {
    let file = std::fs::File::open(path)
        .map_err(|error| unreadable(format!("{}: {error}", path.display())))?;
    read(file)
}

/// Reads the text of a patch.
pub(crate) fn read(stream: impl Read) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    stream
        .take(MAX_PATCH_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > MAX_PATCH_BYTES {
        return Err(unreadable(format!(
            "it has more than {MAX_PATCH_BYTES} bytes"
        )));
    }

    // The shell or an editor may have saved it in another encoding. What it declares, its files do.
    let text = Text::decode_as(bytes, None).map_err(unreadable)?;
    Ok(text.shown().to_owned())
}

fn unreadable(error: impl Display) -> Failure {
    let message = format!("cannot read the patch: {error}");
    Failure::new(FailureKind::UnreadablePatch, message)
}

/// Parses a patch, in the format of that name or in the one that is recognised.
pub(super) fn parse(text: &str, format: Option<&str>) -> Result<Patch, Failure> {
    let format = format.and_then(|name| {
        let mut formats = Format::ALL.into_iter();
        formats.find(|format| format.name() == name)
    });
    let mut parsed = parse_as(text, format);
    if text.contains("\x1b[") && matches!(parsed, Err(FormatError::NoEdit)) {
        // A diff that was printed for a terminal.
        parsed = parse_as(&without_colours(text), format);
    }
    parsed.map_err(|error| match told_in_words(text) {
        Some((line, sentence)) if matches!(error, FormatError::NoEdit) && format.is_none() => {
            let message = format!(
                "there is no edit in the patch: line {line} only tells of one ({sentence})"
            );
            Failure::new(FailureKind::NoEdit, message).hint(ASK_FOR_AN_EDIT)
        }
        _ => format_failure(&error, format),
    })
}

fn parse_as(text: &str, format: Option<Format>) -> Result<Patch, FormatError> {
    match format {
        Some(format) => format.parse(text),
        None => Patch::parse(text),
    }
}

fn format_failure(error: &FormatError, format: Option<Format>) -> Failure {
    match error {
        FormatError::NoEdit => {
            let failure = Failure::new(FailureKind::NoEdit, "there is no edit in the patch");
            if let Some(format) = format {
                let name = format.name();
                return failure.hint(format!(
                    "it was read as {name}; --format auto recognises the others"
                ));
            }
            failure
                .hint(
                    "slotwright apply --help lists the formats; \
                     --format names one that was not recognised",
                )
                .hint("--file names the file that a code block without a name is for")
        }
        FormatError::Aside { what, .. } => Failure::new(FailureKind::NoEdit, error)
            .hint(format!("if it is meant, send it again outside of {what}")),
        FormatError::Malformed { line, message } => {
            let message = format!("line {line} of the patch: {message}");
            Failure::new(FailureKind::Malformed, message)
                .hint("mend what is there, and send the whole answer again")
        }
    }
}

fn without_colours(text: &str) -> String {
    let mut pieces = text.split("\x1b[");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let rest = piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        plain.push_str(rest.strip_prefix(['m', 'K']).unwrap_or(rest));
    }
    plain
}
