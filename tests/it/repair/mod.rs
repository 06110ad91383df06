//! The loop from red to green with answers given beforehand, on small real projects whose tests are
//! really run: every end that it may come to. Whatever that is, the person's folder is as it was.

mod attempts;
mod case;
mod no_success;
mod reproduction;
mod runners;
