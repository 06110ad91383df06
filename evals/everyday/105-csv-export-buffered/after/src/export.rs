use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::model::Reading;

pub fn export_json(path: &Path, readings: &[Reading]) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(out, "[")?;
    for (i, r) in readings.iter().enumerate() {
        let comma = if i + 1 < readings.len() { "," } else { "" };
        writeln!(out, "  [{}, {}]{}", r.time, r.celsius, comma)?;
    }
    writeln!(out, "]")?;
    out.flush()
}

pub fn export_csv(path: &Path, readings: &[Reading]) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(out, "time,station,celsius")?;
    for r in readings {
        writeln!(out, "{},{},{}", r.time, r.station, r.celsius)?;
    }
    out.flush()
}

pub fn export_summary(path: &Path, readings: &[Reading]) -> io::Result<()> {
    let mut out = File::create(path)?;
    writeln!(out, "{} readings", readings.len())?;
    out.flush()
}
