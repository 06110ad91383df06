//! The question which model shall make the edits, where there is none yet.

use super::pull::{numbered, pull};
use super::report::StoreReport;
use crate::app::model_arguments::ModelChoice;
use crate::app::model_reference::{self, BUNDLED, described, worth_fetching};
use crate::cli::terminal::AnswersFrom;
use crate::console::{say, say_more};
use crate::failure::Failure;
use crate::models::catalogue::Entry;

/// A way to come to a model.
enum Way {
    Fetch(&'static Entry),
    /// One that is here, and not fit to be used unasked.
    Use {
        name: String,
        remark: &'static str,
    },
    Bundled,
}

/// Has a person choose a model if there is none. Returns its name, as `--model` takes it. Where nobody
/// can be asked nothing is done: whoever starts the model says what is missing.
pub(in crate::cli) async fn ask_for_model(
    choice: &ModelChoice,
    answers: AnswersFrom,
) -> Result<Option<String>, Failure> {
    let Some(lack) = model_reference::lack(choice).filter(|_| answers.can_ask()) else {
        return Ok(None);
    };
    let ways = ways(choice);
    say(&format!(
        "{}. Which one shall make the edits?",
        lack.message
    ));
    for (way, number) in ways.iter().zip(1..) {
        say_more(&format!("  {number}  {}", way.words()));
    }

    let question = "A number, a GGUF file, http(s)://HOST/v1#NAME, or nothing to leave it:";
    let answer = answers.ask(question).await.unwrap_or_default();
    if answer.is_empty() || answer == "q" {
        return Err(lack);
    }
    let way = numbered(&answer, &ways);
    let name = match way {
        Some(way) => way.go().await?,
        None => answer,
    };
    model_reference::named(&name, &choice.folders)?.check_file()?;
    if !matches!(way, Some(Way::Fetch(_) | Way::Bundled)) {
        say(&format!(
            "slotwright models default {name} uses it from now on"
        ));
    }
    Ok(Some(name))
}

fn ways(choice: &ModelChoice) -> Vec<Way> {
    let mut ways = Vec::new();
    for entry in worth_fetching() {
        ways.push(Way::Fetch(entry));
    }
    let machine = model_reference::machine();
    for model in &model_reference::listing(&choice.folders).models {
        ways.push(Way::Use {
            name: model.name.clone(),
            remark: model.fitness(&machine).remark(),
        });
    }
    ways.push(Way::Bundled);
    ways
}

impl Way {
    fn words(&self) -> String {
        match self {
            Way::Fetch(entry) => format!("fetch {}", described(entry)),
            Way::Use { name, remark } => format!("use {name} ({remark})"),
            Way::Bundled => "the bundled one, to try it out: it gets most edits wrong".to_owned(),
        }
    }

    /// The name of the model, which is here afterwards.
    async fn go(&self) -> Result<String, Failure> {
        match self {
            Way::Fetch(entry) => {
                let mut report = StoreReport::default();
                pull(&entry.name, &mut report).await?;
                Ok(report.name.unwrap_or_else(|| entry.name.clone()))
            }
            Way::Use { name, .. } => Ok(name.clone()),
            Way::Bundled => Ok(BUNDLED.to_owned()),
        }
    }
}
