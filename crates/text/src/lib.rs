//! One file's text, and edits of it. Pure: text in, values out.
//!
//! | module | what it is |
//! |---|---|
//! | [`edit`] | slots to an edit, an edit to an edit set: disjoint, sorted replacements |
//! | [`diff`] | a file before and after: the unified diff, and its hunks one by one |
//! | [`slots`] | what a model fills in, and the shape of an answer |
//! | [`syntax`] | whether a change breaks code; definitions; colours (feature `grammars`) |
//! | [`text`] | decoding, line endings, boundaries, windows, safe paths |

pub mod diff;
pub mod edit;
pub mod slots;
pub mod syntax;
pub mod text;
