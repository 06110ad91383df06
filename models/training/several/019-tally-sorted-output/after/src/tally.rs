use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

/// How often each parish occurs in the register.
pub struct Tally {
    skipped: usize,
    counts: BTreeMap<String, u64>,
}

impl Tally {
    /// Count the third column of a tab separated register.
    pub fn read<R: BufRead>(input: R) -> io::Result<Self> {
        let mut skipped = 0;
        let mut counts = BTreeMap::new();
        for line in input.lines() {
            let line = line?;
            match line.split('\t').nth(2) {
                Some(parish) => *counts.entry(parish.trim().to_string()).or_insert(0) += 1,
                None => skipped += 1,
            }
        }
        Ok(Tally { skipped, counts })
    }

    pub fn write<W: Write>(&self, mut output: W) -> io::Result<()> {
        for (parish, count) in &self.counts {
            writeln!(output, "{parish}\t{count}")?;
        }
        if self.skipped > 0 {
            writeln!(output, "# {} lines skipped", self.skipped)?;
        }
        Ok(())
    }
}
