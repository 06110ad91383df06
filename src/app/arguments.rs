//! Values of flags that several commands share.

use std::fmt;
use std::str::FromStr;

/// More are no edit that a person looks through.
const MOST: usize = 20;

/// How many edits a task may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EditCount {
    /// Before so many the model cannot say that it is done.
    pub least: usize,
    pub most: usize,
}

impl FromStr for EditCount {
    type Err = String;

    fn from_str(text: &str) -> Result<EditCount, String> {
        let (least, most) = match text.split_once('-') {
            Some((least, most)) => (edit_number(least)?, edit_number(most)?),
            None => (1, edit_number(text)?),
        };
        if least > most {
            return Err(format!("{least} is more than {most}"));
        }
        Ok(EditCount { least, most })
    }
}

fn edit_number(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(number) if (1..=MOST).contains(&number) => Ok(number),
        _ => Err(format!("give a number from 1 to {MOST}, or two, as in 2-8")),
    }
}

impl fmt::Display for EditCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.least {
            1 => write!(f, "{}", self.most),
            least => write!(f, "{least}-{}", self.most),
        }
    }
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinePlace {
    /// As the person gave it.
    pub path: String,
    /// Counted from 1.
    pub line: usize,
}

impl FromStr for LinePlace {
    type Err = String;

    /// Reads `PATH:LINE`. A column after it, as compilers print it, is left out.
    fn from_str(text: &str) -> Result<LinePlace, String> {
        let last = text.rsplit_once(':').and_then(with_line);
        let before_column = last.as_ref().and_then(|(path, _)| path.rsplit_once(':'));
        match before_column.and_then(with_line).or(last) {
            Some((path, line)) if !path.is_empty() => {
                let path = path.to_owned();
                Ok(LinePlace { path, line })
            }
            _ => Err("give a file and a line of it, as in src/main.py:12".to_owned()),
        }
    }
}

fn with_line<'t>((path, line): (&'t str, &str)) -> Option<(&'t str, usize)> {
    let line = line.trim().parse().ok().filter(|line| *line > 0)?;
    Some((path, line))
}

/// Reads a number from 0 to 1.
pub(crate) fn probability(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err("it must be from 0 to 1".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_path_and_a_line() {
        let parsed = |text: &str| {
            let place = text.parse::<LinePlace>();
            place.map(|LinePlace { path, line }| (path, line))
        };
        assert_eq!(parsed("src/a.py:12"), Ok(("src/a.py".to_owned(), 12)));
        assert_eq!(parsed("src/a.py:12:5"), Ok(("src/a.py".to_owned(), 12)));
        assert_eq!(parsed("a:b:12"), Ok(("a:b".to_owned(), 12)));
        for bad in ["", "a.py", "a.py:", "a.py:0", ":3", "a.py:x", "a.py:-1"] {
            let message = parsed(bad).unwrap_err();
            assert!(message.contains("src/main.py:12"), "{bad}: {message}");
        }
    }

    #[test]
    fn one_number_is_the_most_and_two_are_a_range() {
        let parsed = |text: &str| text.parse::<EditCount>();
        assert_eq!(parsed("3"), Ok(EditCount { least: 1, most: 3 }));
        assert_eq!(parsed("2-8"), Ok(EditCount { least: 2, most: 8 }));
        assert_eq!(parsed("3-2"), Err("3 is more than 2".to_owned()));
        for bad in ["", "0", "21", "2-", "-2", "two", "1-2-3"] {
            let message = parsed(bad).unwrap_err();
            assert!(
                message.starts_with("give a number from 1 to 20"),
                "{bad}: {message}"
            );
        }
        for text in ["3", "2-8"] {
            assert_eq!(parsed(text).unwrap().to_string(), text);
        }
    }
}
