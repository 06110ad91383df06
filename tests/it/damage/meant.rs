//! The edits that are meant, before any damage.

use super::indent_of;
use crate::support::random::Random;
use slotwright::text::ident::is_ident_char;

/// A stretch of lines and what it becomes.
pub struct Meant {
    /// The first line of the stretch, counted from 0.
    pub from: usize,
    pub old: Vec<String>,
    pub new: Vec<String>,
}

impl Meant {
    /// One to three changes of one to twelve lines.
    pub fn of(random: &mut Random, lines: &[String]) -> Meant {
        let n_most = [8, 12][random.below(2)];
        let n = 1 + random.below(n_most).min(lines.len() - 1);
        let from = random.below(lines.len() - n + 1);
        let old: Vec<String> = lines[from..from + n].to_vec();
        let n_changes = [1, 1, 1, 2, 3][random.below(5)];
        let changed: Vec<usize> = (0..n_changes).map(|_| random.below(n)).collect();
        let mut new: Vec<String> = Vec::new();
        for (i, line) in old.iter().enumerate() {
            match changed.contains(&i) {
                true => new.extend(changed_line(random, &old, line)),
                false => new.push(line.clone()),
            }
        }
        if new == old {
            new.push("at_the_end();".to_owned());
        }
        Meant { from, old, new }
    }

    /// The file's lines after the edit.
    pub fn done(&self, lines: &[String]) -> Vec<String> {
        [
            &lines[..self.from],
            &self.new,
            &lines[self.from + self.old.len()..],
        ]
        .concat()
    }

    /// Puts a copy of the stretch elsewhere in the file, indented otherwise.
    pub fn add_twin(&mut self, random: &mut Random, lines: &mut Vec<String>) {
        let kind = random.below(6);
        let is_text = |line: &&String| !line.trim().is_empty();
        let shallowest = self
            .old
            .iter()
            .filter(is_text)
            .map(|line| indent_of(line))
            .min();
        let indented = |line: &String| {
            let indent = indent_of(line);
            match kind {
                _ if line.trim().is_empty() => line.clone(),
                0 => format!("    {line}"),
                1 => format!("\t{line}"),
                2 => format!("  {line}"),
                3 => line[..indent].replace("    ", "\t") + &line[indent..],
                4 => line[..indent].replace('\t', "    ") + &line[indent..],
                _ => line.get(shallowest.unwrap_or(0)..).unwrap_or("").to_owned(),
            }
        };
        let twin: Vec<String> = self.old.iter().map(indented).collect();
        let at = match random.below(2) {
            0 => random.below(self.from + 1),
            _ => {
                self.from
                    + self.old.len()
                    + random.below(lines.len() - self.from - self.old.len() + 1)
            }
        };
        self.from += if at <= self.from { twin.len() } else { 0 };
        lines.splice(at..at, twin);
    }
}

/// A line of `old`, changed: gone, with a line above or below it, or with another word.
fn changed_line(random: &mut Random, old: &[String], line: &str) -> Vec<String> {
    let depth = |line: &str| line[..indent_of(line)].to_owned();
    let around = old
        .iter()
        .find(|line| !line.trim().is_empty())
        .map(|line| depth(line));
    let text = line.trim_end();
    let here = if text.is_empty() {
        around.unwrap_or_default()
    } else {
        depth(text)
    };
    match random.below(4) {
        0 if old.len() > 1 => Vec::new(),
        1 => vec![
            text.to_owned(),
            format!("{here}added_{}();", random.below(1000)),
        ],
        2 => vec![
            format!("{here}# above {}", random.below(1000)),
            line.to_owned(),
        ],
        _ if text.is_empty() => vec![format!("{here}more")],
        _ => vec![changed_word(random, text).unwrap_or_else(|| format!("{text} more"))],
    }
}

/// The line with one of its words (names, numbers) exchanged.
pub fn changed_word(random: &mut Random, line: &str) -> Option<String> {
    let mut words = Vec::new();
    let mut start = None;
    for (i, c) in line.char_indices().chain([(line.len(), ' ')]) {
        match start {
            None if is_ident_char(c) => start = Some(i),
            Some(from) if !is_ident_char(c) => {
                words.push(from..i);
                start = None;
            }
            _ => {}
        }
    }
    if words.is_empty() {
        return None;
    }
    let range = random.pick(&words).clone();
    let new = match line[range.clone()].parse::<u64>() {
        Ok(number) => number.wrapping_add(1 + random.below(9) as u64).to_string(),
        Err(_) => format!("{}_other", &line[range.clone()]),
    };
    Some(format!(
        "{}{new}{}",
        &line[..range.start],
        &line[range.end..]
    ))
}
