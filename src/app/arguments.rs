//! Values of flags that several commands share.

use super::editor::{Editor, Reading};
use super::model_arguments::ModelArguments;
use super::{Say, settings};
use crate::config::Config;
use crate::failure::Failure;
use clap::Args;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

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
        let number = |text: &str| match text.trim().parse() {
            Ok(number) if (1..=MOST).contains(&number) => Ok(number),
            _ => Err(format!("give a number from 1 to {MOST}, or two, as in 2-8")),
        };
        let (least, most) = match text.split_once('-') {
            Some((least, most)) => (number(least)?, number(most)?),
            None => (1, number(text)?),
        };
        if least > most {
            return Err(format!("{least} is more than {most}"));
        }
        Ok(EditCount { least, most })
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

/// Reads a number from 0 to 1.
pub(crate) fn probability(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err("it must be from 0 to 1".to_owned())
    }
}

/// What `mcp` and `acp` are told of the model.
#[derive(Debug, Args)]
pub(crate) struct ServingArguments {
    /// Free the model's memory when nobody has asked for so long; the next task loads it again
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    idle: u32,
    /// As for edit: how sure the model has to be of what it wrote, from 0 to 1, for an edit without
    /// a warning
    #[arg(long, value_name = "X", value_parser = probability)]
    min_certainty: Option<f64>,
    /// Keep nothing on disk of what the model read
    #[arg(long)]
    no_cache: bool,
    #[command(flatten)]
    model: ModelArguments,
}

impl ServingArguments {
    /// How long the model stays loaded without a task.
    pub fn idle(&self) -> Duration {
        Duration::from_secs(self.idle.into())
    }

    /// The editor that serves. Nothing is loaded yet, but the configuration is read and must be right.
    pub fn editor(&self, say: Say) -> Result<Editor, Failure> {
        let flags = Config {
            min_certainty: self.min_certainty,
            ..self.model.flags()
        };
        let reading = if self.no_cache {
            Reading::Forgotten
        } else {
            Reading::Kept
        };
        // A project's file never names a model, so no folder is needed to choose one.
        let config = settings::load(flags.clone(), None)?.config;
        let choice = self.model.choice(&config);
        Ok(Editor::new(flags, choice, reading, say))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
