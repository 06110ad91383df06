//! How far an evaluation has come.

use crate::console::say;
use crate::eval::record::Row;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// By model and strategy: runs passed, and all.
type Totals = BTreeMap<String, (usize, usize)>;

/// A bar for so many steps, where people can see it.
pub(super) fn bar(n_all: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(n_all as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len}, {eta} left  {msg}")
        .expect("a fixed template");
    bar.set_style(style);
    bar
}

/// How far it has come: a bar and running totals on a terminal, a line now and then elsewhere.
pub(super) struct Running {
    bar: ProgressBar,
    n_all: usize,
    /// Runs, and of each model and strategy those passed and all.
    counts: RefCell<(usize, Totals)>,
}

impl Running {
    pub fn new(n_all: usize, before: &[Row]) -> Running {
        let running = Running {
            bar: bar(n_all),
            n_all,
            counts: RefCell::default(),
        };
        for row in before {
            running.count(row);
        }
        running.bar.set_position(before.len() as u64);
        // The time left is that of what is run now.
        running.bar.reset_eta();
        running
    }

    fn count(&self, row: &Row) {
        let mut counts = self.counts.borrow_mut();
        counts.0 += 1;
        let of = counts
            .1
            .entry(format!("{} {}", row.model, row.strategy))
            .or_default();
        of.0 += usize::from(row.passed);
        of.1 += 1;
    }

    pub fn add(&self, row: &Row) {
        self.count(row);
        let totals = {
            let counts = self.counts.borrow();
            let total = |(name, (passed, all)): (&String, &(usize, usize))| {
                format!("{name} {passed}/{all}")
            };
            counts.1.iter().map(total).collect::<Vec<_>>().join(", ")
        };
        self.bar.set_message(totals.clone());
        self.bar.inc(1);
        let n = self.counts.borrow().0;
        if self.bar.is_hidden() && (n.is_multiple_of(100) || n == self.n_all) {
            say(&format!("{n} of {} runs: {totals}", self.n_all));
        }
    }

    pub fn say(&self, text: &str) {
        self.bar.suspend(|| say(text));
    }

    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
