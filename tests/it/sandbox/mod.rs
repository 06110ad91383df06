//! Commands that misbehave, in a sandbox: each is real, and afterwards nothing of it is left and
//! the original is as before.

mod case;
mod commands;
mod dependencies;
mod isolation;
mod killed;
mod limits;
mod repository;
mod walls;
