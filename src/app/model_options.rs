//! The models that a person can choose between while the program runs.

use super::model_arguments::ModelChoice;
use super::model_reference::{self, BUNDLED, listing, machine, worth_fetching};
use crate::models::choice::BUNDLED_RIGHT;
use crate::models::{Fitness, Model};
use indicatif::DecimalBytes;
use std::cmp::Reverse;

/// What stands for the model where there is none yet.
const NONE: &str = "none yet";

/// Models to choose from.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModelOptions {
    /// The name of the one that is used if none is chosen.
    pub first: String,
    /// Best first. That one is among them.
    pub all: Vec<ModelOption>,
}

/// A model to choose.
#[derive(Clone, Debug)]
pub(crate) struct ModelOption {
    /// As `--model` takes it.
    pub name: String,
    /// Its size, and how much it gets right, if that is known.
    pub description: String,
}

impl ModelOptions {
    /// The models on this machine that may be a default, the bundled one, and the one that a choice
    /// means.
    pub(super) fn of(choice: &ModelChoice) -> ModelOptions {
        let listing = listing(&choice.folders);
        let machine = machine();
        let mut models: Vec<&Model> = listing.models.iter().collect();
        models.retain(|model| model.fitness(&machine) == Fitness::Good);
        models.sort_by_key(|model| Reverse(model.rank()));

        let mut all = Vec::new();
        for model in models {
            let description = description(Some(model.bytes), model.measured_right());
            all.push(ModelOption {
                name: model.name.clone(),
                description,
            });
        }
        all.push(ModelOption {
            name: BUNDLED.to_owned(),
            description: description(None, Some(BUNDLED_RIGHT)),
        });

        // One that cannot be found is called as the person did.
        let first = match model_reference::resolve(choice) {
            Ok(target) => target.name(),
            Err(_) => choice.model.clone().unwrap_or_else(|| NONE.to_owned()),
        };
        if !all.iter().any(|option| option.name == first) {
            let description = if first == NONE {
                worth_fetching()[0].fetch_command()
            } else {
                "named when slotwright was started".to_owned()
            };
            let name = first.clone();
            all.insert(0, ModelOption { name, description });
        }
        ModelOptions { first, all }
    }

    /// Whether a model can be chosen by this name.
    pub fn has(&self, name: &str) -> bool {
        self.all.iter().any(|option| option.name == name)
    }
}

fn description(bytes: Option<u64>, right: Option<u8>) -> String {
    let size = bytes.map(|bytes| DecimalBytes(bytes).to_string());
    let right = right.map(|right| format!("{right} % of small edits right"));
    let parts: Vec<String> = size.into_iter().chain(right).collect();
    parts.join(", ")
}
