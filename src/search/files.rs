//! How much each of some files matters for a task.

use super::lines;
use super::named::names_file;
use super::stems::{Stems, task_stems};

/// Weight of a file that the task names: more than everything else together.
const NAMED: f64 = 1_000.0;
/// Weight of a word of the task in a file's path, and of one in its text, each divided by the
/// number of files that have it there.
const IN_PATH: f64 = 12.0;
const IN_TEXT: f64 = 9.0;
/// Weight of a test file: it has the words of everything that the code does.
const TEST: f64 = -5.5;
/// Weight of the logarithm of a file's length in bytes: a long one has more words by chance.
const LENGTH: f64 = -4.0;

/// The weight of each file, given as path and text. It grows with the weight of the file's heaviest
/// line, with the rare words of the task in its path and text, and if the task names the file. It
/// falls for tests and for long files. The weights were fitted as those of lines were.
pub fn weigh(task: &str, files: &[(&str, &str)]) -> Vec<f64> {
    let mut stems = Stems::default();
    let in_paths: Vec<Vec<usize>> = files.iter().map(|(path, _)| stems.of(path)).collect();
    let in_texts: Vec<Vec<usize>> = files.iter().map(|(_, text)| stems.of(text)).collect();
    let test_stems: Vec<usize> = TESTS.iter().filter_map(|word| stems.exact(word)).collect();
    let prior = |((path, text), in_path): (&(&str, &str), &Vec<usize>)| {
        let named = if names_file(task, path) { NAMED } else { 0.0 };
        let is_test = test_stems.iter().any(|id| in_path.contains(id));
        named + if is_test { TEST } else { 0.0 } + LENGTH * (text.len().max(1) as f64).ln()
    };
    let mut weights: Vec<f64> = files.iter().zip(&in_paths).map(prior).collect();
    for word in &task_stems(task) {
        for (of_files, weight) in [(&in_paths, IN_PATH), (&in_texts, IN_TEXT)] {
            let Some(id) = stems.exact(word) else { continue };
            let having: Vec<usize> =
                (0..files.len()).filter(|&i| of_files[i].binary_search(&id).is_ok()).collect();
            having.iter().for_each(|&i| weights[i] += weight / having.len() as f64);
        }
    }
    let all_lines: Vec<(usize, &str)> = files
        .iter()
        .enumerate()
        .flat_map(|(i, (_, text))| text.lines().map(move |line| (i, line)))
        .collect();
    let by_line = lines::weigh(
        task,
        &all_lines.iter().map(|(_, line)| *line).collect::<Vec<_>>(),
        &vec![None; all_lines.len()],
    );
    let mut best = vec![0.0_f64; files.len()];
    for ((file, _), weight) in all_lines.iter().zip(by_line) {
        best[*file] = best[*file].max(weight);
    }
    weights.iter().zip(best).map(|(weight, best)| weight + best).collect()
}

/// Words in the paths of tests.
const TESTS: [&str; 2] = ["test", "spec"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_a_task_may_be_about() {
        let files = [
            ("src/main.py", "from config import limit\nprint(limit)\n"),
            ("src/settings.py", "limit = 3\nretry_delay = 2\n"),
            ("README.md", "The retry delay and the limit.\n"),
        ];
        let best = |task: &str| {
            let weights = weigh(task, &files);
            let i = (0..files.len()).max_by(|&a, &b| weights[a].total_cmp(&weights[b])).unwrap();
            files[i].0
        };
        assert_eq!(best("in README.md, the retry_delay"), "README.md", "named");
        assert_eq!(
            best("the retry_delay should be 5"),
            "src/settings.py",
            "a whole word that others have not"
        );
        assert_eq!(best("the settings should have another limit"), "src/settings.py", "its path");
        assert_eq!(best("say 'and the limit' differently"), "README.md", "quoted text");
        assert_eq!(weigh("anything", &[]), [0.0; 0]);
        assert_eq!(best("what is this?"), "src/settings.py", "the shortest");
        let files = [("tests/limit.py", "x = f(limit)\n"), ("src/limits.py", "x = f(limit)\n")];
        let weights = weigh("the limit is lower", &files);
        assert!(weights[1] > weights[0], "{weights:?}");
        let weights = weigh("the limit in the test is lower", &files);
        assert!(weights[0] > weights[1], "{weights:?}");
    }
}
