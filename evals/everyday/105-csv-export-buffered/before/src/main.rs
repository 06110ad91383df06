mod export;
mod model;

use std::io::{self, BufRead};
use std::path::Path;

use model::Reading;

fn main() -> io::Result<()> {
    let mut readings = Vec::new();
    for line in io::stdin().lock().lines() {
        if let Some(reading) = Reading::parse(&line?) {
            readings.push(reading);
        }
    }
    export::export_json(Path::new("readings.json"), &readings)?;
    export::export_csv(Path::new("readings.csv"), &readings)?;
    export::export_summary(Path::new("summary.txt"), &readings)
}
