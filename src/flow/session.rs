//! What travels together through the pipeline.

use crate::engine::{Progress, Sampling};
use crate::prompt::Profile;
use crate::slots::Pick;
use crate::workspace::Workspace;

/// What every step of the pipeline needs: the folder, the model, and how it is asked.
pub struct Session<'a, E> {
    /// The folder to edit.
    pub workspace: &'a Workspace,
    /// The model.
    pub engine: &'a mut E,
    /// How the model is asked.
    pub options: GenerateOptions,
    /// Hears how far the work has come.
    pub progress: &'a mut dyn FnMut(Progress),
}

/// How a model is asked.
#[derive(Clone, Debug)]
pub struct GenerateOptions {
    /// The prompt format.
    pub profile: Profile,
    /// How a token is chosen among those allowed.
    pub sampling: Sampling,
    /// Whether likely text is drafted for the model to check: see [`crate::engine::draft`].
    pub drafting: Drafting,
    /// Texts that an answer may have, apart from those of the file and the task: of answers to the same
    /// task on other files.
    pub likely: Vec<String>,
    /// The answer to stage 1, where it is not the model's to give.
    pub pick: Option<Pick>,
    /// The most beginnings of other answers that are kept of a question, for [`super::Answers`].
    pub branches: usize,
    /// The most edits that [`super::steps`] makes; without it as many as one answer has, which may be
    /// up to [`super::steps::MOST_EDITS`].
    pub most_edits: Option<usize>,
    /// The edits before which [`super::steps`] does not let the model say that it is done. A first
    /// one can be declined in any case, and a model on a server can decline all.
    pub least_edits: usize,
    /// Slots of which the model is less certain are doubted, 0 to 1: see
    /// [`super::steps::steps_after`]. None: they are not.
    pub doubted_below: Option<f64>,
    /// What becomes of the places that may have to follow an edit.
    pub follow: Follow,
}

/// What becomes of places that may have to follow an edit: see [`super::follow`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    /// They are not looked for.
    No,
    /// They are named.
    Named,
    /// The model is asked about each.
    Asked,
}

impl Follow {
    /// All of them.
    pub const ALL: [Follow; 3] = [Follow::No, Follow::Named, Follow::Asked];

    /// What `slotwright edit` does. Measured with the 1.5B and 70 changes in several places, see
    /// BENCHMARKS.md; models without one of our adapters have not learned such questions.
    pub fn usual(profile: &Profile) -> Follow {
        if profile.learned_to_fill() {
            Follow::Asked
        } else {
            Follow::Named
        }
    }

    /// The one of this name.
    pub fn of_name(name: &str) -> Option<Follow> {
        Follow::ALL.into_iter().find(|way| way.name() == name)
    }

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Follow::No => "no",
            Follow::Named => "named",
            Follow::Asked => "asked",
        }
    }
}

/// See [`GenerateOptions::doubted_below`]. Of 33 right short edits 28 were surer, of 21 edits that
/// write code 5 were.
const DOUBTED_BELOW: f64 = 0.75;

/// Whether speculative decoding is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drafting {
    /// Drafts come from the file, the task and the search.
    On,
    /// Every token is computed by itself. For measuring what drafts are worth.
    Off,
}

impl GenerateOptions {
    /// The options of `slotwright edit`: greedy, with drafts, both stages asked.
    pub fn new(profile: Profile) -> GenerateOptions {
        let doubted_below = profile.learned_to_fill().then_some(DOUBTED_BELOW);
        GenerateOptions {
            profile,
            sampling: Sampling::Greedy,
            drafting: Drafting::On,
            likely: Vec::new(),
            pick: None,
            branches: 0,
            most_edits: None,
            least_edits: 1,
            doubted_below,
            follow: Follow::No,
        }
    }
}
