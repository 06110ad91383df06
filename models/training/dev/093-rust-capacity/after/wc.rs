use std::fs::File;
use std::io::{self, BufRead, BufReader};

const CAPACITY: usize = 4096;

fn count(path: &str) -> io::Result<(usize, usize)> {
    let reader = BufReader::with_capacity(CAPACITY, File::open(path)?);
    let (mut lines, mut words) = (0, 0);
    for line in reader.lines() {
        lines += 1;
        words += line?.split_whitespace().count();
    }
    Ok((lines, words))
}

fn main() -> io::Result<()> {
    for path in std::env::args().skip(1) {
        let (lines, words) = count(&path)?;
        println!("{lines:7} {words:7} {path}");
    }
    Ok(())
}
