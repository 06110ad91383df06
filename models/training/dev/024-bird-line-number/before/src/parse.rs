//! Parser of the log format.
//!
//! One sighting per line: `2023-05-14 08:20 Common Swift x12 @ church tower`.
//! Empty lines and lines starting with `#` are skipped.

use chrono::NaiveDateTime;
use std::fmt;

#[derive(Debug, PartialEq)]
pub struct Sighting {
    pub at: NaiveDateTime,
    pub species: String,
    pub count: u32,
    pub place: Option<String>,
}

#[derive(Debug)]
pub struct ParseError {
    pub line: usize,
    pub kind: ErrorKind,
}

#[derive(Debug, PartialEq)]
pub enum ErrorKind {
    BadDate,
    BadCount,
    NoSpecies,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            ErrorKind::BadDate => "bad date",
            ErrorKind::BadCount => "bad count",
            ErrorKind::NoSpecies => "species is missing",
        };
        write!(f, "line {}: {}", self.line, what)
    }
}

const STAMP_LEN: usize = 16;

fn parse_stamp(s: &str) -> Result<NaiveDateTime, ErrorKind> {
    NaiveDateTime::parse_from_str(s, "%Y-%m-%d %H:%M").map_err(|_| ErrorKind::BadDate)
}

fn split_count(s: &str) -> Result<(&str, u32), ErrorKind> {
    match s.rsplit_once(" x") {
        None => Ok((s, 0)),
        Some((name, digits)) => {
            let n = digits.trim().parse().map_err(|_| ErrorKind::BadCount)?;
            Ok((name, n))
        }
    }
}

pub fn parse_line(line: &str) -> Result<Sighting, ErrorKind> {
    let stamp = line.get(..STAMP_LEN).ok_or(ErrorKind::BadDate)?;
    let at = parse_stamp(stamp)?;
    let rest = line[STAMP_LEN..].trim();
    let (rest, place) = match rest.split_once('@') {
        Some((a, b)) => (a.trim(), Some(b.trim().to_string())),
        None => (rest, None),
    };
    let (name, count) = split_count(rest)?;
    if name.is_empty() {
        return Err(ErrorKind::NoSpecies);
    }
    Ok(Sighting {
        at,
        species: name.trim().to_string(),
        count,
        place,
    })
}

pub fn parse_log(text: &str) -> Result<Vec<Sighting>, ParseError> {
    let mut out = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let s = parse_line(line).map_err(|kind| ParseError { line: i, kind })?;
        out.push(s);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_line() {
        let s = parse_line("2023-05-14 08:20 Common Swift x12 @ church tower").unwrap();
        assert_eq!(s.species, "Common Swift");
        assert_eq!(s.count, 12);
        assert_eq!(s.place.as_deref(), Some("church tower"));
    }

    #[test]
    fn bad_date() {
        assert_eq!(parse_line("yesterday Robin"), Err(ErrorKind::BadDate));
    }
}
