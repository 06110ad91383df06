//! What every step of a repair needs.

use super::event::RepairEvent;
use super::options::RepairOptions;
use super::record::AttemptRecord;
use crate::prompt::Profile;
use crate::workspace::Workspace;

/// What every step of a repair needs: the folder, the model, how both are used, and a listener.
pub struct RepairSession<'a, E> {
    /// The folder with the bug. It is only read.
    pub workspace: &'a Workspace,
    /// The model.
    pub engine: &'a mut E,
    /// Its prompt format.
    pub profile: &'a Profile,
    /// How the repair is made.
    pub options: &'a RepairOptions,
    /// Hears what happens.
    pub on_event: &'a mut dyn FnMut(RepairEvent),
}

impl<E> RepairSession<'_, E> {
    pub(super) fn tell(&mut self, event: RepairEvent) {
        (self.on_event)(event);
    }

    /// Reports an attempt that has ended, and keeps its record.
    pub(super) fn end_attempt(
        &mut self,
        attempt: AttemptRecord,
        attempts: &mut Vec<AttemptRecord>,
    ) {
        self.tell(RepairEvent::AttemptEnded(&attempt));
        attempts.push(attempt);
    }
}
