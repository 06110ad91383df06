use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const IMAGE_EXTENSIONS: &[&str] = &["jpg", "jpeg", "png", "heic", "webp"];
const MIN_SIZE: u64 = 16 * 1024;

#[derive(Debug, Clone)]
pub struct Photo {
    pub path: PathBuf,
    pub size: u64,
    pub modified: SystemTime,
}

#[derive(Debug, Default)]
pub struct Report {
    pub photos: Vec<Photo>,
    pub ignored: usize,
    pub errors: Vec<String>,
}

impl Report {
    pub fn total_size(&self) -> u64 {
        self.photos.iter().map(|p| p.size).sum()
    }

    pub fn newest(&self) -> Option<&Photo> {
        self.photos.iter().max_by_key(|p| p.modified)
    }

    pub fn older_than(&self, age: Duration) -> Vec<&Photo> {
        let limit = SystemTime::now() - age;
        self.photos.iter().filter(|p| p.modified > limit).collect()
    }

    pub fn by_extension(&self) -> HashMap<String, usize> {
        let mut counts = HashMap::new();
        for photo in &self.photos {
            *counts.entry(extension(&photo.path)).or_insert(0) += 1;
        }
        counts
    }
}

fn extension(path: &Path) -> String {
    path.extension()
        .map(|e| e.to_string_lossy().to_lowercase())
        .unwrap_or_default()
}

fn is_photo(path: &Path, size: u64) -> bool {
    size >= MIN_SIZE && IMAGE_EXTENSIONS.contains(&extension(path).as_str())
}

pub fn scan(root: &Path, report: &mut Report) -> io::Result<()> {
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        let path = entry.path();
        let meta = match entry.metadata() {
            Ok(meta) => meta,
            Err(e) => {
                report.errors.push(e.to_string());
                continue;
            }
        };

        if meta.is_dir() {
            scan(&path, report)?;
        } else if is_photo(&path, meta.len()) {
            let modified = meta.modified()?;
            report.photos.push(Photo { path, size: meta.len(), modified });
        } else {
            report.ignored += 1;
        }
    }
    Ok(())
}
