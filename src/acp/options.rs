//! What a person can set in a session: the model, and when they are asked. Editors show both as
//! configuration options; those that know modes only get the second as modes too.

use super::session::{Mode, Session};
use agent_client_protocol::v1::schema::{
    SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOption, SessionMode,
    SessionModeState,
};

/// The names of the options.
pub(super) const MODEL: &str = "model";
pub(super) const MODE: &str = "mode";

impl Mode {
    const ALL: [Mode; 2] = [Mode::Ask, Mode::WriteSure];

    pub fn id(self) -> &'static str {
        match self {
            Mode::Ask => "ask",
            Mode::WriteSure => "write",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Mode::Ask => "Ask always",
            Mode::WriteSure => "Write what has no warning",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Mode::Ask => "Show every edit, and write it when you say yes",
            Mode::WriteSure => "Write edits at once, and ask about those with a warning",
        }
    }

    /// The mode of this name.
    pub fn of_id(id: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.id() == id)
    }
}

/// All options of a session, as they are set.
pub(super) fn all(session: &Session) -> Vec<SessionConfigOption> {
    let mut models = Vec::new();
    for model in &session.models.all {
        let option = SessionConfigSelectOption::new(model.name.clone(), model.name.clone());
        models.push(option.description(model.description.clone()));
    }
    let model = session.model();
    let model = model.unwrap_or_else(|| session.models.first.clone());
    let model = SessionConfigOption::select(MODEL, "Model", model, models)
        .description("What makes the edits")
        .category(SessionConfigOptionCategory::Model);

    let mut modes = Vec::new();
    for mode in Mode::ALL {
        let option = SessionConfigSelectOption::new(mode.id(), mode.name());
        modes.push(option.description(mode.description().to_owned()));
    }
    let mode = SessionConfigOption::select(MODE, "Writing", session.mode().id(), modes)
        .description("When you are asked")
        .category(SessionConfigOptionCategory::Mode);
    vec![model, mode]
}

/// The same, as modes.
pub(super) fn modes(session: &Session) -> SessionModeState {
    let mut modes = Vec::new();
    for mode in Mode::ALL {
        let described = SessionMode::new(mode.id(), mode.name());
        modes.push(described.description(mode.description().to_owned()));
    }
    SessionModeState::new(session.mode().id(), modes)
}

/// Sets an option.
///
/// # Errors
/// If there is no such option, or it has no such value.
pub(super) fn set(session: &Session, option: &str, value: &str) -> Result<(), String> {
    match option {
        MODEL if session.models.has(value) => session.choose_model(value),
        MODE => {
            let mode = Mode::of_id(value);
            session.set_mode(mode.ok_or_else(|| format!("there is no mode {value:?}"))?);
        }
        MODEL => {
            return Err(format!(
                "there is no model {value:?} here; slotwright models lists them"
            ));
        }
        _ => {
            return Err(format!(
                "there is no option {option:?}: there are model and mode"
            ));
        }
    }
    Ok(())
}
