//! The progress of an evaluation.

use crate::console::say;
use crate::eval::record::Row;
use crate::eval::statistics::Share;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A bar for so many steps, hidden where there is no terminal.
pub(super) fn bar(n_all: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(n_all as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len}, {eta} left  {msg}")
        .expect("a fixed template");
    bar.set_style(style);
    bar
}

/// The progress of an evaluation: a bar and totals on a terminal, a line now and then elsewhere.
pub(super) struct Running {
    bar: ProgressBar,
    n_all: usize,
    /// By model and strategy: the runs that passed, and all.
    totals: RefCell<BTreeMap<String, Share>>,
}

impl Running {
    pub fn new(n_all: usize, before: &[Row]) -> Running {
        let running = Running {
            bar: bar(n_all),
            n_all,
            totals: RefCell::default(),
        };
        for row in before {
            running.count(row);
        }
        running.bar.set_position(before.len() as u64);
        // The time left is computed from the runs that are made now.
        running.bar.reset_eta();
        running
    }

    fn count(&self, row: &Row) {
        let mut totals = self.totals.borrow_mut();
        let total = totals.entry(format!("{} {}", row.model, row.strategy));
        let total = total.or_default();
        total.passed += usize::from(row.passed);
        total.of += 1;
    }

    pub fn add(&self, row: &Row) {
        self.count(row);
        let mut n = 0;
        let mut words = Vec::new();
        for (name, Share { passed, of }) in &*self.totals.borrow() {
            n += of;
            words.push(format!("{name} {passed}/{of}"));
        }

        let words = words.join(", ");
        if self.bar.is_hidden() && (n.is_multiple_of(100) || n == self.n_all) {
            say(&format!("{n} of {} runs: {words}", self.n_all));
        }
        self.bar.set_message(words);
        self.bar.inc(1);
    }

    pub fn say(&self, text: &str) {
        self.bar.suspend(|| say(text));
    }

    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
