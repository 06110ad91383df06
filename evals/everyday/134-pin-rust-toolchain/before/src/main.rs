use anyhow::{Context, Result};

fn main() -> Result<()> {
    let level: f64 = std::env::args()
        .nth(1)
        .context("usage: tidewatch LEVEL")?
        .parse()
        .context("the level is not a number")?;
    println!("{}", describe(level));
    Ok(())
}

fn describe(level: f64) -> &'static str {
    if level > 3.5 {
        "high"
    } else if level < 1.0 {
        "low"
    } else {
        "normal"
    }
}
