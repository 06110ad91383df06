//! The models on this machine: found in the stores of other programs, fetched, named, and chosen
//! from.
//!
//! A person has models already: Ollama's, LM Studio's, those in a cache of Hugging Face. [`look`]
//! finds them. It reads folders, and the beginning of each file's header; nothing is loaded,
//! written or fetched. [`Listing::find`] finds one by name, [`Listing::default_model`] the best one
//! for this machine. [`own`] fetches others, if the person asks for it.
//!
//! | module | what it is |
//! |---|---|
//! | [`model_folders`] | the folders of each store, and the variables that name them |
//! | `stores` | names and files in each of them |
//! | [`gguf`], [`header`] | what a file says of itself, read within bounds |
//! | `architecture`, `file_type`, `sizes`, `file_name` | what that means |
//! | [`unusable`] | why a file is no model that can be used |
//! | [`catalogue`] | the models that were measured, and how to fetch them |
//! | [`listing`] | all of it together |
//! | [`names`] | what a person may call a model |
//! | [`choice`] | which one is used if the person names none |
//! | [`own`] | slotwright's own store: models fetched, imported, removed |

mod architecture;
pub mod catalogue;
pub mod choice;
mod file_name;
mod file_type;
pub mod gguf;
pub mod header;
pub mod listing;
pub mod model_folders;
pub mod names;
pub mod own;
mod sizes;
mod stores;
pub mod unusable;

pub use choice::{Fitness, Machine};
pub use listing::{Flawed, Listing, Model, look};
pub use model_folders::{ModelFolders, Store};
pub use names::{Called, NameError};
pub use sizes::Sizes;
pub use stores::Unread;
pub use unusable::Unusable;
