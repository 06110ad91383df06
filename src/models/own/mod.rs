//! slotwright's own models: fetched from their publishers, imported, removed.
//!
//! A file is fetched from a hub such as Hugging Face's ([`Hub`]) into
//! `PUBLISHER/REPOSITORY/FILE.gguf`. It gets its name only when it is whole. Before, it is a hidden
//! `.part` file, which the next attempt continues, and whose SHA-256 is compared with the
//! publisher's. Only a person's command fetches anything.
//!
//! | module | what it is |
//! |---|---|
//! | [`hub`] | its address, its token, requests to it, and the files of a repository |
//! | [`wanted`] | a name to the file that is fetched |
//! | [`mod@fetch`] | one file, from the first byte or from where it broke off |
//! | [`keep`] | files of this machine into the store, and out of it |
//! | [`error`] | why it failed |

pub mod error;
pub mod fetch;
pub mod hub;
pub mod keep;
pub mod wanted;

pub use error::{StoreError, StoreErrorKind};
pub use fetch::{Step, fetch};
pub use hub::{Hub, Limits, RemoteFile};
pub use wanted::{Plan, plan};
