//! How fast a model reads and writes on this machine. It is measured whenever the model is used,
//! and kept in a small file for each model, so that a prompt can be made as long as the person has
//! patience for.
//!
//! A file has one entry for each way to compute: the processor or graphics card, and the number of
//! threads. A file that cannot be read or is damaged counts as no file, and the next measurement
//! replaces it. If two programs measure at once, the later one wins, and one measurement is lost.

use super::answer::AnswerStats;
use super::prefix_cache::origin;
use crate::models::Speed;
use crate::workspace::private_folder::make_private_folder;
use crate::workspace::temporary::Temporary;
use cap_std::fs::Dir;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Fewer new tokens measure the start of a computation rather than its speed.
const MIN_READ: usize = 256;

/// The same for the tokens of an answer.
const MIN_WRITTEN: usize = 24;

/// The newest measurements that are kept. Their median ignores a machine that was busy now and
/// then.
const KEPT: usize = 9;

/// The most entries of a file.
const MAX_ENTRIES: usize = 8;

/// The most models whose speeds are remembered at once.
const MAX_FILES: usize = 1_000;

/// The longest file that is read, in bytes. Ours are shorter.
const MAX_BYTES: u64 = 64 << 10;

/// Steps between a speed and twice that speed, for the settled speed and what follows from it.
const STEPS_IN_OCTAVE: f64 = 4.0;

/// The nearest value of a scale with four steps to the octave: 64, 76, 91, 108, 128 and so on.
pub fn nearest_step(value: f64) -> f64 {
    ((value.log2() * STEPS_IN_OCTAVE).round() / STEPS_IN_OCTAVE).exp2()
}

/// The speeds in `folder`, by the files of the models that were used last, wherever links to them
/// lie. No model is read: a file counts as the same while it has the same length.
pub fn remembered(folder: &Path) -> impl Fn(&Path) -> Option<Speed> + use<> {
    let files = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .take(MAX_FILES);
    let known: HashMap<PathBuf, (u64, Speed)> = files
        .filter_map(|file| {
            let kept = load(&file.path());
            let speed = kept.entries.first()?.speed()?;
            let ModelFile { path, bytes } = kept.model?;
            Some((path, (bytes, speed)))
        })
        .collect();
    move |path| {
        if known.is_empty() {
            return None;
        }
        let (bytes, speed) = known.get(&std::fs::canonicalize(path).ok()?)?;
        (std::fs::metadata(path).ok()?.len() == *bytes).then_some(*speed)
    }
}

/// The measurements of one model, computed in one way.
#[derive(Clone, Debug)]
pub struct SpeedLog {
    folder: PathBuf,
    name: String,
    model: Option<ModelFile>,
    computes_on: String,
    threads: usize,
}

impl SpeedLog {
    /// The measurements in `folder`, which need not exist, of the model in a file. `computes_on` is
    /// [`super::ModelInfo::computes_on`].
    ///
    /// # Errors
    /// If the model's file cannot be read.
    pub fn of(
        folder: &Path,
        model: &Path,
        computes_on: &str,
        threads: usize,
    ) -> io::Result<SpeedLog> {
        let (folder, name) = (folder.to_owned(), file_name(model)?);
        let model = ModelFile::of(model).ok();
        Ok(SpeedLog {
            folder,
            name,
            model,
            computes_on: computes_on.to_owned(),
            threads,
        })
    }

    /// The speed, if it was measured.
    pub fn speed(&self) -> Option<Speed> {
        load(&self.folder.join(&self.name))
            .entries
            .iter()
            .find(|entry| self.is_of(entry))?
            .speed()
    }

    /// Adds what an answer says of the speed, if it took long enough to say something.
    ///
    /// # Errors
    /// If the measurements cannot be written. The old ones are still there.
    pub fn add_answer(&self, stats: &AnswerStats) -> io::Result<()> {
        let n_read = stats.prompt_tokens.saturating_sub(stats.reused_tokens);
        let n_written = stats.forced_tokens + stats.sampled_tokens;
        let reading = (n_read >= MIN_READ)
            .then(|| per_second(n_read, stats.ms.prompt))
            .flatten();
        let writing = (n_written >= MIN_WRITTEN)
            .then(|| per_second(n_written, stats.ms.answer))
            .flatten();
        self.add(reading, writing)
    }

    /// Adds what reading so many new tokens says of the speed.
    ///
    /// # Errors
    /// As [`SpeedLog::add_answer`].
    pub fn add_reading(&self, n_read: usize, took: Duration) -> io::Result<()> {
        let ms = took.as_secs_f64() * 1e3;
        self.add(
            (n_read >= MIN_READ)
                .then(|| per_second(n_read, ms))
                .flatten(),
            None,
        )
    }

    fn add(&self, reading: Option<f64>, writing: Option<f64>) -> io::Result<()> {
        if reading.is_none() && writing.is_none() {
            return Ok(());
        }
        make_private_folder(&self.folder)?;
        let mut kept = load(&self.folder.join(&self.name));
        let at = kept.entries.iter().position(|entry| self.is_of(entry));
        let mut entry = at.map_or_else(|| self.empty_entry(), |at| kept.entries.remove(at));
        entry.add(reading, writing);
        kept.entries.insert(0, entry);
        kept.entries.truncate(MAX_ENTRIES);
        kept.model = self.model.clone().or(kept.model);
        let folder = Dir::open_ambient_dir(&self.folder, cap_std::ambient_authority())?;
        let mut temporary = Temporary::new(&folder)?;
        temporary.file().write_all(&serde_json::to_vec(&kept)?)?;
        temporary.replace(Path::new(&self.name))
    }

    fn is_of(&self, entry: &Entry) -> bool {
        entry.computes_on == self.computes_on && entry.threads == self.threads
    }

    fn empty_entry(&self) -> Entry {
        Entry {
            computes_on: self.computes_on.clone(),
            threads: self.threads,
            reading: Vec::new(),
            writing: Vec::new(),
            settled: None,
        }
    }
}

/// What a file holds.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    /// The one measured last comes first.
    entries: Vec<Entry>,
    /// Where the model lay when it was used last.
    #[serde(default)]
    model: Option<ModelFile>,
}

/// A model's file, as a list of models can know it without reading it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ModelFile {
    /// Without links.
    path: PathBuf,
    bytes: u64,
}

impl ModelFile {
    fn of(path: &Path) -> io::Result<ModelFile> {
        Ok(ModelFile {
            path: std::fs::canonicalize(path)?,
            bytes: std::fs::metadata(path)?.len(),
        })
    }
}

/// The measurements of one way to compute, in tokens a second, the newest last.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    computes_on: String,
    threads: usize,
    reading: Vec<f64>,
    writing: Vec<f64>,
    /// See [`Speed::settled`].
    settled: Option<f64>,
}

impl Entry {
    fn speed(&self) -> Option<Speed> {
        let (reading, settled) = (median(&self.reading)?, self.settled?);
        Some(Speed {
            reading,
            writing: median(&self.writing),
            settled,
        })
    }

    fn add(&mut self, reading: Option<f64>, writing: Option<f64>) {
        for (kept, new) in [(&mut self.reading, reading), (&mut self.writing, writing)] {
            kept.extend(new);
            kept.drain(..kept.len().saturating_sub(KEPT));
        }
        let Some(median) = median(&self.reading) else {
            return;
        };
        let n_steps = |settled: f64| (median / settled).log2().abs() * STEPS_IN_OCTAVE;
        if self.settled.is_none_or(|settled| n_steps(settled) >= 1.0) {
            self.settled = Some(nearest_step(median));
        }
    }

    fn is_sound(&self) -> bool {
        self.reading
            .iter()
            .chain(&self.writing)
            .chain(&self.settled)
            .all(|&figure| figure > 0.0)
    }
}

/// Of an even number the upper one of the two in the middle: a model that has just been loaded, or
/// a busy machine, is slower than usual, and nothing makes it faster.
fn median(figures: &[f64]) -> Option<f64> {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

fn per_second(n_tokens: usize, ms: f64) -> Option<f64> {
    (ms > 0.0).then(|| n_tokens as f64 * 1e3 / ms)
}

fn load(path: &Path) -> Kept {
    let read = || -> io::Result<Kept> {
        let mut bytes = Vec::new();
        std::fs::File::open(path)?
            .take(MAX_BYTES)
            .read_to_end(&mut bytes)?;
        Ok(serde_json::from_slice(&bytes)?)
    };
    let mut kept = read().unwrap_or_default();
    kept.entries.retain(Entry::is_sound);
    kept
}

/// A model is known by its content, wherever it lies.
fn file_name(model: &Path) -> io::Result<String> {
    let mut name = String::new();
    for byte in &origin(model, None, "")?[..12] {
        write!(name, "{byte:02x}").expect("a string takes any text");
    }
    Ok(name + ".json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Milliseconds;

    struct Setting {
        dir: tempfile::TempDir,
        model: PathBuf,
    }

    impl Setting {
        fn new() -> Setting {
            let dir = tempfile::tempdir().unwrap();
            let model = dir.path().join("model.gguf");
            std::fs::write(&model, b"GGUF and weights").unwrap();
            Setting { dir, model }
        }

        fn folder(&self) -> PathBuf {
            self.dir.path().join("speeds")
        }

        fn log(&self, threads: usize) -> SpeedLog {
            SpeedLog::of(&self.folder(), &self.model, "CPU", threads).unwrap()
        }

        fn file(&self) -> PathBuf {
            let mut files = std::fs::read_dir(self.folder()).unwrap();
            files.next().unwrap().unwrap().path()
        }
    }

    /// An answer after reading 1,000 new tokens at this speed.
    fn answer_at(speed: f64) -> AnswerStats {
        let ms = Milliseconds {
            prompt: 1e6 / speed,
            answer: 2_000.0,
            ..Milliseconds::default()
        };
        AnswerStats {
            prompt_tokens: 3_000,
            reused_tokens: 2_000,
            sampled_tokens: 40,
            forced_tokens: 10,
            ms,
            ..AnswerStats::default()
        }
    }

    #[test]
    fn measurements_are_kept_by_model_and_by_how_it_is_computed() {
        let setting = Setting::new();
        let log = setting.log(2);
        assert_eq!(log.speed(), None);
        assert_eq!(remembered(&setting.folder())(&setting.model), None);
        log.add_answer(&answer_at(128.0)).unwrap();
        let speed = Speed {
            reading: 128.0,
            writing: Some(25.0),
            settled: 128.0,
        };
        assert_eq!(log.speed(), Some(speed));
        assert_eq!(setting.log(4).speed(), None, "other threads");
        setting
            .log(4)
            .add_reading(2_560, Duration::from_secs(10))
            .unwrap();
        let faster = Speed {
            reading: 256.0,
            writing: None,
            settled: 256.0,
        };
        assert_eq!(
            remembered(&setting.folder())(&setting.model),
            Some(faster),
            "the newest"
        );
        assert_eq!(log.speed(), Some(speed), "still there");
        let moved = setting.dir.path().join("moved.gguf");
        std::fs::rename(&setting.model, &moved).unwrap();
        assert_eq!(
            remembered(&setting.folder())(&moved),
            None,
            "until it is used there"
        );
        let moved_log = SpeedLog::of(&setting.folder(), &moved, "CPU", 4).unwrap();
        assert_eq!(moved_log.speed(), Some(faster), "the same model");
        moved_log
            .add_reading(2_560, Duration::from_secs(10))
            .unwrap();
        assert_eq!(remembered(&setting.folder())(&moved), Some(faster));
        std::fs::write(&moved, b"GGUF and other weights").unwrap();
        assert_eq!(remembered(&setting.folder())(&moved), None, "another model");
    }

    #[test]
    fn short_questions_and_answers_measure_nothing() {
        let setting = Setting::new();
        let log = setting.log(2);
        let short = AnswerStats {
            reused_tokens: 2_800,
            sampled_tokens: 5,
            ..answer_at(99.0)
        };
        log.add_answer(&short).unwrap();
        log.add_reading(255, Duration::from_secs(1)).unwrap();
        log.add_answer(&AnswerStats {
            ms: Milliseconds::default(),
            ..answer_at(99.0)
        })
        .unwrap();
        assert!(!setting.folder().exists());
        // Nothing is shown by the speed of writing alone.
        log.add_answer(&AnswerStats {
            reused_tokens: 2_800,
            ..answer_at(99.0)
        })
        .unwrap();
        assert_eq!(log.speed(), None);
    }

    #[test]
    fn a_busy_machine_now_and_then_changes_nothing() {
        let setting = Setting::new();
        let log = setting.log(2);
        // The first one after the model was loaded from a slow disk.
        for speed in [
            20.0, 100.0, 101.0, 30.0, 99.0, 104.0, 15.0, 97.0, 100.0, 12.0,
        ] {
            log.add_answer(&answer_at(speed)).unwrap();
        }
        let speed = log.speed().unwrap();
        assert!((97.0..=101.0).contains(&speed.reading), "{speed:?}");
        assert_eq!(speed.settled, nearest_step(100.0));
    }

    #[test]
    fn the_settled_speed_follows_only_a_lasting_change() {
        let setting = Setting::new();
        let log = setting.log(2);
        let settled = |speed: f64| {
            for _ in 0..KEPT {
                log.add_answer(&answer_at(speed)).unwrap();
            }
            log.speed().unwrap().settled
        };
        assert_eq!(settled(128.0), 128.0);
        // The nearest step would be another one, up or down.
        assert_eq!(settled(148.0), 128.0);
        assert_eq!(settled(110.0), 128.0);
        assert_eq!(settled(153.0), nearest_step(152.0));
        assert_eq!(settled(600.0), nearest_step(600.0));
    }

    #[test]
    fn a_damaged_file_counts_as_none_and_is_replaced() {
        let setting = Setting::new();
        let log = setting.log(2);
        log.add_answer(&answer_at(128.0)).unwrap();
        let path = setting.file();
        let whole = std::fs::read_to_string(&path).unwrap();
        let zero = whole.replace("128.0", "0.0");
        let huge = format!("{whole}{}", " ".repeat(MAX_BYTES as usize)) + "x";
        let none = [
            &whole[..whole.len() - 1],
            "",
            "[]",
            "{\"entries\":3}",
            "\0",
            zero.as_str(),
        ];
        for damaged in none {
            std::fs::write(&path, damaged).unwrap();
            assert_eq!(log.speed(), None, "{damaged:?}");
        }
        std::fs::write(&path, huge).unwrap();
        assert!(log.speed().is_some(), "no more than its beginning is read");
        std::fs::write(&path, "damaged").unwrap();
        log.add_answer(&answer_at(64.0)).unwrap();
        assert_eq!(log.speed().unwrap().settled, 64.0);
        assert_eq!(std::fs::read_dir(setting.folder()).unwrap().count(), 1);
    }
}
