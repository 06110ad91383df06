mod parse;
mod report;

use clap::Parser;
use std::fs;
use std::process::exit;

/// Summarises a bird watching log.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// Log file to read
    file: String,

    /// Only count this species
    #[arg(short, long)]
    species: Option<String>,

    /// Number of rows in the top list
    #[arg(short = 'n', long, default_value_t = 5)]
    top: usize,
}

fn main() {
    let args = Args::parse();
    let text = match fs::read_to_string(&args.file) {
        Ok(t) => t,
        Err(e) => {
            eprintln!("{}: {}", args.file, e);
            exit(1);
        }
    };
    let sightings = match parse::parse_log(&text) {
        Ok(s) => s,
        Err(e) => {
            eprintln!("{}", e);
            exit(2);
        }
    };
    let wanted: Vec<_> = sightings
        .iter()
        .filter(|s| args.species.as_ref().map_or(true, |want| *want == s.species))
        .collect();
    report::print_top(&wanted, args.top);
}
