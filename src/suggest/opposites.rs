//! What often becomes each other in an edit though a sentence names neither: `<` and `<=`, `first` and `last`.

use crate::prompt::stems::parts;

/// Words and operators as they are.
#[rustfmt::skip]
const EXACT: [(&str, &str); 78] = [
    ("0", "1"), ("0", "-1"), ("1", "-1"), ("&&", "||"), ("||", "??"), ("and", "or"), ("<", "<="), (">", ">="), ("<", ">"), ("<=", ">="), ("<", ">="),
    (">", "<="), ("<", "!="), (">", "!="), ("==", "!="), ("===", "!=="), ("==", "==="), ("!=", "!=="), ("==", ">="),
    ("==", "<="), ("=", "!="), ("=", "+="), ("=", "-="), ("=", "<"), ("+", "-"), ("+", "*"), ("*", "/"), ("+=", "-="), ("++", "--"), ("let", "const"),
    ("var", "let"), ("var", "val"), ("private", "public"), ("protected", "public"), ("http", "https"), ("if", "unless"),
    ("INNER", "LEFT"), ("printf", "fprintf"), ("GET", "POST"), ("equals", "equalsIgnoreCase"), ("Now", "UtcNow"),
    ("127.0.0.1", "0.0.0.0"), ("401", "403"), ("400", "404"), ("200", "201"), ("on-failure", "always"), ("0.5", "1"), (">", ">>"), ("'r'", "'rb'"),
    ("ttyUSB0", "ttyACM0"), ("text", "email"), ("TIMESTAMP", "TIMESTAMPTZ"), ("string", "number"), ("int", "long"),
    ("int", "size_t"), ("float", "double"), ("strcmp", "strcasecmp"), ("LIKE", "ILIKE"), ("md5", "sha256"), ("ISO-8859-1", "UTF-8"),
    ("null", "undefined"), ("is", "=="), ("glob", "rglob"), ("Mutex", "RWMutex"), ("break", "return"), ("private", "protected"), ("let", "var"),
    ("innerHTML", "textContent"), ("First", "FirstOrDefault"), ("first", "firstOrFail"), ("println", "eprintln"),
    ("find", "findall"), ("append", "extend"), ("replace", "replaceAll"), ("uint8_t", "uint16_t"), ("uint16_t", "uint32_t"), ("i32", "i64"), ("u32", "u64"),
];

/// Parts of names, in whatever case.
#[rustfmt::skip]
const PARTS: [(&str, &str); 104] = [
    ("true", "false"), ("yes", "no"), ("on", "off"), ("min", "max"), ("first", "last"), ("left", "right"), ("left", "center"), ("top", "bottom"),
    ("before", "after"), ("above", "below"), ("up", "down"), ("start", "end"), ("begin", "end"), ("width", "height"), ("x", "y"),
    ("plus", "minus"), ("add", "remove"), ("add", "sub"), ("increment", "decrement"), ("open", "close"), ("open", "closed"),
    ("enabled", "disabled"), ("enable", "disable"), ("show", "hide"), ("asc", "desc"), ("ascending", "descending"),
    ("gt", "lt"), ("gt", "gte"), ("lt", "lte"), ("second", "minute"), ("minute", "hour"), ("hour", "day"), ("day", "week"),
    ("day", "month"), ("month", "year"), ("seconds", "minutes"), ("minutes", "hours"), ("hours", "days"), ("days", "weeks"),
    ("days", "months"), ("months", "years"), ("milliseconds", "seconds"), ("millisecond", "second"), ("millis", "seconds"), ("front", "back"),
    ("forward", "back"), ("forward", "backward"), ("next", "previous"), ("next", "prev"), ("stdout", "stderr"), ("some", "none"),
    ("some", "every"), ("present", "empty"), ("white", "black"), ("low", "high"), ("lower", "upper"), ("in", "out"), ("from", "to"), ("old", "new"),
    ("read", "write"), ("lat", "lon"), ("lat", "lng"), ("latitude", "longitude"), ("row", "column"), ("rows", "columns"), ("rows", "cols"),
    ("row", "col"), ("any", "all"), ("any", "none"), ("floor", "ceil"), ("floor", "round"), ("ceil", "round"), ("horizontal", "vertical"),
    ("inner", "outer"), ("odd", "even"), ("source", "target"), ("request", "response"), ("lock", "unlock"), ("visible", "hidden"),
    ("light", "dark"), ("local", "utc"), ("get", "post"), ("get", "set"), ("success", "error"), ("warning", "error"), ("warn", "error"),
    ("info", "warning"), ("info", "warn"), ("debug", "info"), ("debug", "warning"), ("debug", "release"), ("log", "error"), ("push", "unshift"), ("pop", "shift"),
    ("break", "continue"), ("accept", "reject"), ("allow", "deny"), ("starts", "ends"), ("mean", "median"), ("short", "long"),
    ("master", "main"), ("development", "production"), ("sender", "receiver"), ("north", "south"),
];

/// What a text often becomes.
pub fn opposites(text: &str) -> Vec<String> {
    let mut found: Vec<String> = both_ways(&EXACT).filter(|(a, _)| *a == text).map(|(_, b)| b.to_owned()).collect();
    let whole = text.as_ptr() as usize;
    for part in parts(text).filter(|part| part.starts_with(|c: char| c.is_ascii_alphabetic())) {
        let at = part.as_ptr() as usize - whole;
        let lower = part.to_ascii_lowercase();
        for (_, other) in both_ways(&PARTS).filter(|(a, _)| *a == lower) {
            let new = format!("{}{}{}", &text[..at], cased_like(part, other), &text[at + part.len()..]);
            if !found.contains(&new) {
                found.push(new);
            }
        }
    }
    found
}

fn both_ways<'t>(table: &'t [(&'t str, &'t str)]) -> impl Iterator<Item = (&'t str, &'t str)> {
    table.iter().flat_map(|&(a, b)| [(a, b), (b, a)])
}

/// A word in small letters as another one is written: all capitals, a capital first, or small.
fn cased_like(like: &str, word: &str) -> String {
    let mut capitals = like.chars().map(|c| c.is_ascii_uppercase());
    match (capitals.next(), capitals.next()) {
        (Some(true), Some(true)) => word.to_ascii_uppercase(),
        (Some(true), _) => word[..1].to_ascii_uppercase() + &word[1..],
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposites_are_written_like_what_they_replace() {
        assert!(opposites("<").contains(&"<=".to_owned()) && opposites("<=").contains(&"<".to_owned()));
        assert_eq!(opposites("minByOption")[0], "maxByOption");
        assert!(opposites("DESC").contains(&"ASC".to_owned()));
        assert!(opposites("removeFirst").contains(&"removeLast".to_owned()));
        assert!(opposites("True").contains(&"False".to_owned()));
        assert!(opposites("\u{e9}").is_empty() && opposites("").is_empty());
    }
}
