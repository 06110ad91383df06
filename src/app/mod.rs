//! The application: tasks in, proposals out.
//!
//! The command line ([`crate::cli`]), editors ([`crate::acp`]) and agents ([`crate::mcp`]) are faces
//! over it. It knows no terminal and no protocol: what a person should hear at once goes to `Say`,
//! how far the work is to a callback, and everything else is in what is returned.

pub(crate) mod arguments;
pub(crate) mod check;
pub(crate) mod check_end;
pub(crate) mod each;
pub(crate) mod earlier;
pub(crate) mod editor;
pub(crate) mod find;
pub(crate) mod folders;
pub(crate) mod instruction;
pub(crate) mod model_arguments;
pub(crate) mod model_options;
pub(crate) mod model_reference;
pub(crate) mod offer;
pub(crate) mod offered_check;
pub(crate) mod patch;
pub(crate) mod project;
pub(crate) mod proposed;
pub(crate) mod repair;
pub(crate) mod report;
pub(crate) mod request;
pub(crate) mod running_model;
pub(crate) mod serving;
pub(crate) mod settings;
pub(crate) mod talk;
pub(crate) mod undo;
pub(crate) mod written;

pub use report::{ApplyReport, EachReport, Report};

/// Says a line to the person at once, apart from the result.
pub(crate) type Say = fn(&str);
