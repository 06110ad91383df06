mod render;

use std::{env, fs, process};

pub struct Entry {
    pub day: String,
    pub note: String,
}

fn parse(text: &str) -> Vec<Entry> {
    text.lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(day, note)| Entry {
            day: day.to_string(),
            note: note.to_string(),
        })
        .collect()
}

fn main() {
    let Some(path) = env::args().nth(1) else {
        eprintln!("usage: logbook FILE");
        process::exit(2);
    };
    let text = fs::read_to_string(&path).unwrap_or_else(|error| {
        eprintln!("{path}: {error}");
        process::exit(1);
    });
    let entries = parse(&text);
    print!("{}", render::render(&entries, "Marigold"));
}
