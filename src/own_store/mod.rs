//! slotwright's own models: fetched from their publishers, imported, removed.
//!
//! A file is fetched from a hub such as Hugging Face's ([`Hub`]) into
//! `PUBLISHER/REPOSITORY/FILE.gguf`. It gets its name only when it is whole: before, it is a hidden
//! `.part` file, which the next attempt goes on with, and whose SHA-256 is compared with the
//! publisher's. What is not fetched by a person's command is not fetched at all.
//!
//! | module | what it is |
//! |---|---|
//! | [`hub`] | its address, and who asks it |
//! | [`repository`] | what a publisher has there |
//! | [`wanted`] | a name to the files that are fetched |
//! | `transfer` | requests, redirects, and what a server may refuse |
//! | [`mod@fetch`] | one file, from the first byte or from where it broke off |
//! | [`keep`] | files of this machine into the store, and out of it |
//! | [`error`] | why it failed |

pub mod error;
pub mod fetch;
pub mod hub;
pub mod keep;
pub mod repository;
mod transfer;
pub mod wanted;

pub use error::StoreError;
pub use fetch::{Step, fetch};
pub use hub::{Hub, Limits};
pub use repository::{RemoteFile, Repository};
pub use wanted::{Plan, plan};
