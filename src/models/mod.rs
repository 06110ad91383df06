//! The models on this machine: found in the stores of other programs, named, and chosen from.
//!
//! A person has models already: Ollama's, LM Studio's, those in a cache of Hugging Face. [`look`]
//! finds them. It reads folders, and of each file the beginning of its header; nothing is loaded,
//! written or fetched. [`Listing::find`] finds one by name, [`Listing::default_model`] the best one
//! for this machine.
//!
//! | module | what it is |
//! |---|---|
//! | [`places`] | the folders of each store, and the variables that name them |
//! | `stores` | names and files in each of them |
//! | [`gguf`], [`header`] | what a file says of itself, read within bounds |
//! | `architecture`, `file_type`, `sizes`, `file_name` | what that means |
//! | [`unusable`] | why a file is no model that can be used |
//! | [`catalogue`] | the models that were measured, and how to fetch them |
//! | [`listing`] | all of it together |
//! | [`names`] | what a person may call a model |
//! | [`choice`] | which one is used if the person names none |

mod architecture;
pub mod catalogue;
pub mod choice;
pub(crate) mod file_name;
mod file_type;
pub mod gguf;
pub mod header;
pub mod listing;
pub mod names;
pub mod places;
mod sizes;
mod stores;
pub mod unusable;

pub use architecture::check_writes;
pub use choice::{Fitness, Machine};
pub use listing::{Flawed, Listing, Model, Speed, look};
pub use names::{Called, NameError};
pub use places::{Places, Store};
pub use sizes::Sizes;
pub use stores::Unread;
pub use unusable::Unusable;
