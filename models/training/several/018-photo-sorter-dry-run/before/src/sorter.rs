use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, Default)]
pub struct Options {
    pub folder: PathBuf,
    pub quiet: bool,
}

/// Options from the words of the command line.
pub fn parse<I: Iterator<Item = String>>(words: I) -> Result<Options, String> {
    let mut options = Options::default();
    for word in words {
        match word.as_str() {
            "--quiet" => options.quiet = true,
            flag if flag.starts_with("--") => return Err(format!("unknown option {flag}")),
            folder => options.folder = PathBuf::from(folder),
        }
    }
    Ok(options)
}

/// `2024-05-17_beach.jpg` goes to `2024/05/2024-05-17_beach.jpg`.
fn target(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut parts = name.splitn(3, '-');
    let (year, month) = (parts.next()?, parts.next()?);
    parts.next()?;
    Some(folder.join(year).join(month).join(name))
}

pub fn run(options: &Options) -> io::Result<()> {
    for entry in fs::read_dir(&options.folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(to) = target(&options.folder, &name) else {
            continue;
        };
        if !options.quiet {
            println!("{name} -> {}", to.display());
        }
        move_file(&entry.path(), &to)?;
    }
    Ok(())
}

fn move_file(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::rename(from, to)
}
