//! The encoding that a file names, and the names of encodings.

use super::{Encoding, Source};
use encoding_rs::{Encoding as Table, UTF_8, UTF_16BE, UTF_16LE};
use regex::bytes::Regex;
use std::sync::LazyLock;

/// The longest header in which a file names its encoding, in bytes.
const HEADER: usize = 2048;

static DECLARATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?xi-u)
        \A (?: [^\n]* \n )? (?: [\ \t\f]* \# [^\n]*? | [^\n]*? -\*- [^\n]*? )
            coding [:=] [\ \t]* ( [-\w.]+ )
        | \A \s* <\?xml [^>]*? \s encoding \s* = \s* ["'] ( [-\w.:]+ )
        | \A \s* (?: < [\s\S]*? )? <meta \s [^>]*? charset \s* = \s* ["']? ( [-\w.:]+ )
        | \A @charset \s "( [-\w.:]+ )"
        "#,
    )
    .expect("a constant")
});

/// Beginnings of names of code pages, and of encodings that have a single table.
const CODE_PAGES: [&str; 6] = ["windows-", "cp", "x-cp", "ms9", "gbk", "gb18030"];

impl Encoding {
    /// The encoding of a name like `gbk`, `latin-1` or `cp1251`. `None` for unknown names, and for
    /// UTF-16, which only a byte order mark makes sure.
    pub fn named(name: &str) -> Option<Encoding> {
        let name = name.to_ascii_lowercase();
        // Emacs adds the line endings.
        let name = ["-unix", "-dos", "-mac"]
            .iter()
            .find_map(|ending| name.strip_suffix(ending))
            .unwrap_or(&name);

        let hyphened = name.replace('_', "-");
        let label = match hyphened.as_str() {
            "cp932" => "windows-31j",
            "cp936" => "gbk",
            "cp949" | "uhc" => "windows-949",
            "cp950" => "big5",
            "eucjp" => "euc-jp",
            "euckr" => "euc-kr",
            "latin-1" | "iso-latin-1" => "latin1",
            "latin9" | "latin-9" | "iso-latin-9" => "iso-8859-15",
            hyphened if Table::for_label(name.as_bytes()).is_none() => hyphened,
            _ => name,
        };

        let table = Table::for_label(label.as_bytes())?;
        if table == UTF_8 {
            return Some(Encoding::Utf8);
        }
        if [UTF_16LE, UTF_16BE].contains(&table) {
            return None;
        }
        if label.ends_with("ascii") || !table.is_ascii_compatible() {
            return Some(Encoding::Ascii);
        }
        let is_code_page = CODE_PAGES.iter().any(|start| label.starts_with(start));
        let source = if is_code_page {
            Source::CodePage
        } else {
            Source::Standard
        };
        Some(Encoding::Other { table, source })
    }

    /// The encoding that a file names: in a comment of its first two lines, as Python, Ruby and
    /// Emacs read it, or in the header of XML, HTML or CSS.
    pub fn declared(bytes: &[u8]) -> Option<Encoding> {
        let captures = DECLARATION.captures(&bytes[..bytes.len().min(HEADER)])?;
        let name = captures.iter().skip(1).flatten().next()?;
        Encoding::named(std::str::from_utf8(name.as_bytes()).ok()?)
    }
}
