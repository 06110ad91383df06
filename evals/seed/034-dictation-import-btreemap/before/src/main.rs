mod words;

use std::env;
use std::path::Path;

use words::Mistakes;

fn main() -> std::io::Result<()> {
    let mut args = env::args().skip(1);
    let solution = std::fs::read_to_string(args.next().expect("solution file"))?;
    let mut mistakes = Mistakes::default();
    for path in args {
        mistakes.add_file(&solution, Path::new(&path))?;
    }
    for (word, count) in mistakes.hardest(10) {
        println!("{count:4} {word}");
    }
    Ok(())
}
