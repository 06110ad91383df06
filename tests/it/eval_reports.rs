//! What an evaluation leaves behind: the record and its schema, the journal, the reports, the
//! comparison of two.

use crate::support::evaluations::made;
use slotwright::eval::record::{self, Evaluation, Journal, JournalError, ReadError, Verdict};
use slotwright::eval::report::compare::{CompareError, compare};
use slotwright::eval::report::{self, WriteError, markdown, table};
use slotwright::eval::statistics::{self, Paired, Share};
use std::fs;
use std::path::Path;

#[test]
fn a_record_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.JSON");
    let evaluation = made();
    fs::write(&path, "an older one").unwrap();
    report::write(&evaluation, &path).unwrap();
    assert_eq!(record::read(&path).unwrap(), evaluation);
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        1,
        "nothing else is left in the folder"
    );
    let value: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/eval.json");
    let schema: serde_json::Value = serde_json::from_slice(&fs::read(schema).unwrap()).unwrap();
    jsonschema::validate(&schema, &value).unwrap_or_else(|error| panic!("{error}"));
    let mut broken = value;
    broken["results"][0]["verdict"] = "perhaps".into();
    assert!(!jsonschema::is_valid(&schema, &broken));
}

#[test]
fn what_is_not_a_record_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result.json");
    let fails = |text: &str| {
        fs::write(&path, text).unwrap();
        record::read(&path).unwrap_err().to_string()
    };
    assert!(
        fails("# Evaluation")
            .contains("result.json is not JSON (expected value at line 1 column 1). Name a file")
    );
    assert!(fails("[]").contains("is not the record of an evaluation (invalid length 0"));
    assert!(
        fails("{\"status\": \"done\"}")
            .contains("is not the record of an evaluation (missing field `version`")
    );
    let other = fails("{\"version\": \"9.0.0\", \"models\": 3}");
    assert!(
        other.contains("was written by slotwright 9.0.0, and this is ")
            && other.ends_with("or evaluate again"),
        "{other}"
    );
    let mut evaluation = made();
    evaluation.results[5].task = "core/unheard-of".to_owned();
    let unknown = fails(&serde_json::to_string(&evaluation).unwrap());
    assert!(
        unknown.contains(
            "names the task \"core/unheard-of\", which is not among those of the evaluation"
        ),
        "{unknown}"
    );
    fs::File::create(&path)
        .unwrap()
        .set_len(record::MAX_RECORD_BYTES + 1)
        .unwrap();
    assert!(matches!(
        record::read(&path),
        Err(ReadError::TooLarge { .. })
    ));
    assert!(matches!(
        record::read(&folder.path().join("missing.json")),
        Err(ReadError::Io { .. })
    ));
    // What a later version adds is left out.
    let mut value = serde_json::to_value(made()).unwrap();
    value["version"] = "9.0.0".into();
    value["results"][0]["mood"] = "good".into();
    fs::write(&path, value.to_string()).unwrap();
    assert_eq!(record::read(&path).unwrap().results, made().results);
    // What an earlier version did not know of is empty.
    for row in value["results"].as_array_mut().unwrap() {
        for key in ["masked_mass", "certainty", "reused_tokens"] {
            row.as_object_mut().unwrap().remove(key).unwrap();
        }
    }
    fs::write(&path, value.to_string()).unwrap();
    let older = record::read(&path).unwrap();
    assert!(
        older
            .results
            .iter()
            .all(|row| row.masked_mass.is_empty() && row.reused_tokens == 0)
    );
    assert!(!markdown::render(&older).contains("Masked mass"));
}

#[test]
fn a_report_that_cannot_be_written_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let unknown = report::write(&made(), &path("result.pdf"))
        .unwrap_err()
        .to_string();
    assert!(
        unknown.contains("written as .json, .md or .html, and ")
            && unknown.contains("result.pdf ends in none"),
        "{unknown}"
    );
    let missing = report::write(&made(), &path("no/folder.md")).unwrap_err();
    assert!(matches!(&missing, WriteError::Io { .. }), "{missing}");
    let mut twice = made();
    twice.results.push(twice.results[0].clone());
    fs::write(path("old.html"), "old").unwrap();
    let refused = report::write(&twice, &path("old.html"))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("there are two results of big, slots, core/rename, wording 0, run 1"),
        "{refused}"
    );
    assert_eq!(fs::read_to_string(path("old.html")).unwrap(), "old");
}

#[test]
fn a_task_counts_once_by_the_majority_of_its_runs() {
    let evaluation = made();
    let rows = |strategy: &'static str| {
        let rows = evaluation.results.iter();
        rows.filter(move |row| row.model == "big" && row.strategy == strategy)
    };
    let [slots, naive] = ["slots", "naive"].map(|strategy| statistics::by_task(rows(strategy)));
    assert_eq!(slots["core/import"], Share { passed: 1, of: 2 });
    assert_eq!(
        statistics::majority(slots.values()),
        Share { passed: 6, of: 8 }
    );
    assert_eq!(
        Paired::of(&slots, &naive),
        Paired {
            both: 2,
            only_first: 4,
            only_second: 0,
            neither: 2
        }
    );
}

#[test]
fn the_table_on_a_terminal() {
    let expected = "\
slotwright VERSION: 2 models, 2 strategies, 8 tasks, 2 runs of each, 64 results

Results
                                                declined            declined
model  strategy  tasks  passed %   95 %  right   rightly  judgment   wrongly
big    slots         8      75.0  41–93   68.8      12.5      18.8       0.0
big    naive         8      25.0   7–59   31.2       6.2      12.5       6.2
small  slots         8      37.5  14–69   31.2      12.5      43.8      12.5
small  naive         8       0.0   0–32    6.2       0.0      12.5       0.0

                                                prompt  answer          lines
model  strategy  mechanics  truncated  timeout  tokens  tokens    ms  touched
big    slots           0.0        0.0      0.0     402      30  1002     1.00
big    naive          31.2       12.5      0.0     402      30  1002     1.00
small  slots           0.0        0.0      0.0     402      30   102     1.00
small  naive          62.5       12.5      6.2     402      30   102     1.00
passed: tasks of which more than half of the runs came out right or were rightly
declined, with the 95 % interval of that share. right to timeout: percent of the
runs. Tokens and time are medians of a run. lines touched: by right edits, for
each line that the known right edits touch.

By level
model  strategy    1    2   10
big    slots     3/3  2/3  1/2
big    naive     2/3  0/3  0/2
small  slots     2/3  1/3  0/2
small  naive     0/3  0/3  0/2
Tasks passed, of so many.

By category
                 change
                      a
model  strategy   value  create  decline  insert  rename  rewrite
big    slots        2/2     1/1      1/1     1/2     1/1      0/1
big    naive        0/2     0/1      0/1     1/2     1/1      0/1
small  slots        1/2     0/1      1/1     0/2     1/1      0/1
small  naive        0/2     0/1      0/1     0/2     0/1      0/1
Tasks passed, of so many.

What the mechanics failed at
                        text
                   no    not
model  strategy  json  found
big    slots        0      0
big    naive        3      2
small  slots        0      0
small  naive        5      5
Runs.

What was judged wrong
                         wrong
model  strategy  edited   text
big    slots          0      3
big    naive          0      2
small  slots          0      7
small  naive          2      0
Runs.

Masked mass by slot
                  path   path  operation  operation    old    old    new    new
model  strategy  right  wrong      right      wrong  right  wrong  right  wrong
big    slots      0.00   0.00       0.25          –   0.06   0.90   0.00   0.50
small  slots      0.00   0.00       0.25       0.25   0.06   0.90   0.00   0.50
The probability, 0 to 1, that the constraint took from what the model wanted to
write: the median over the runs that passed, and over those that did not. Near 0
the model chose freely.

What the models claim
                                       not      not
                 claimed  claimed  claimed  claimed
                     and      and      but      and
model  strategy   passed   failed   passed   failed
big    naive           6       10        0        0
small  naive           1       14        0        1
Runs whose model was asked whether it had succeeded.

What the differences show
- big: no difference shown between slots and naive: of 8 tasks 4 only slots got
  right, 0 only naive (p = 0.12).
- small: no difference shown between slots and naive: of 8 tasks 3 only slots
  got right, 0 only naive (p = 0.25).
- With slots: no difference shown between big and small: of 8 tasks 3 only big
  got right, 0 only small (p = 0.25).
Exact paired tests on the tasks that both have, each by itself: of twenty, one
falls below 0.05 by chance.

What could not be run
- more/broken: it has no task.toml
";
    let printed = table::render(&made(), 80).replace(env!("CARGO_PKG_VERSION"), "VERSION");
    assert_eq!(printed, expected, "{printed}");
}

#[test]
fn a_table_is_as_wide_as_the_terminal() {
    let mut evaluation = made();
    let (one, other) = (
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        "qwen2.5-coder-7b-instruct-q4_k_m.gguf",
    );
    rename(&mut evaluation, ["big", "small"], [one, other]);
    for width in [60, 80, 100, 132] {
        let printed = table::render(&evaluation, width);
        let too_wide = |line: &&str| line.chars().count() > width && line.contains("  ");
        assert_eq!(printed.lines().find(too_wide), None, "{printed}");
        let names: std::collections::BTreeSet<&str> = printed
            .lines()
            .filter(|line| line.starts_with("qwen") && line.contains("  slots "))
            .map(|line| line.split(' ').next().unwrap())
            .collect();
        assert_eq!(names.len(), 2, "two models are told apart: {names:?}");
    }
}

#[test]
fn tables_keep_in_line_and_show_what_is_invisible() {
    let mut evaluation = made();
    rename(
        &mut evaluation,
        ["big", "small"],
        ["大模型", "sm\u{202e}all\u{1b}[2J"],
    );
    evaluation.problems[0].message = "it has\n  no task.toml\u{7}".to_owned();
    let printed = table::render(&evaluation, 200);
    assert!(
        printed.contains("\n大模型              slots         8 "),
        "{printed}"
    );
    assert!(
        printed.contains("\nsm<U+202E>all^[[2J  slots         8 "),
        "{printed}"
    );
    assert!(
        printed.ends_with("\n- more/broken: it has no task.toml^G\n"),
        "{printed}"
    );
}

#[test]
fn markdown_has_the_same_tables() {
    let mut evaluation = made();
    evaluation.problems[0].message = "<b>*no*</b> a|b\n# `task`".to_owned();
    // 11 right edits of two lines each; this one touches two more.
    evaluation.results[0].diff.push_str("+more\n+lines\n");
    let printed = markdown::render(&evaluation);
    assert!(
        printed.contains(
            "\n| big | slots | 8 | 75.0 | 41–93 | 68.8 | 12.5 | 18.8 | 0.0 | 0.0 | \
                          0.0 | 0.0 | 402 | 30 | 1002 | 1.09 |\n"
        ),
        "{printed}"
    );
    assert!(
        printed.contains("\n| model | strategy | no json | text not found |\n"),
        "{printed}"
    );
    assert!(
        printed.contains("\n- more/broken: &lt;b>\\*no\\*&lt;/b> a\\|b # \\`task\\`\n"),
        "{printed}"
    );
    assert!(
        printed.contains(
            "- big: no difference shown between slots and naive: \
             of 8 tasks 4 only slots got right, 0 only naive (p = 0.12).\n"
        ),
        "{printed}"
    );
}

#[test]
fn sections_with_nothing_to_say_are_left_out() {
    let mut evaluation = made();
    evaluation.problems.clear();
    evaluation
        .results
        .retain(|row| row.model == "big" && row.strategy == "slots");
    evaluation
        .results
        .iter_mut()
        .for_each(|row| row.claim = None);
    let printed = markdown::render(&evaluation);
    let titles: Vec<&str> = printed
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .collect();
    assert_eq!(
        titles,
        [
            "Results",
            "By level",
            "By category",
            "What was judged wrong",
            "Masked mass by slot"
        ]
    );
    evaluation.results.clear();
    assert!(!markdown::render(&evaluation).contains("## "));
}

#[test]
fn two_evaluations_are_compared_by_task() {
    let before = made();
    let mut after = made();
    for row in after
        .results
        .iter_mut()
        .filter(|row| row.model == "big" && row.strategy == "naive")
    {
        let becomes = match row.task.as_str() {
            "core/number" | "core/import" => Verdict::Right,
            "core/rename" => Verdict::Mechanics,
            _ => continue,
        };
        (row.verdict, row.passed, row.kind) = (becomes, becomes == Verdict::Right, String::new());
    }
    after.tasks[7].wordings[0].push_str(" Please.");
    let comparison = compare(&before, &after).unwrap();
    let naive = &comparison.columns[1];
    assert_eq!(naive.names, ["big with naive", "big with naive"]);
    assert_eq!(
        naive.paired,
        Paired {
            both: 1,
            only_first: 1,
            only_second: 2,
            neither: 3
        }
    );
    assert_eq!(naive.gained, ["core/import", "core/number"]);
    assert_eq!(naive.lost, ["core/rename"]);
    assert_eq!(comparison.other_tasks, ["more/new-file"]);
    let words = comparison.to_string();
    let expected = "\
big with naive: 2 passed, then 3 of 7
  no difference shown between the first and the second: of 7 tasks 1 only the first got right, \
2 only the second (p = 1)
  level 1: no difference shown between the first and the second: \
of 3 tasks 1 only the first got right, 1 only the second (p = 1)
  level 2: no difference shown between the first and the second: \
of 3 tasks 0 only the first got right, 1 only the second (p = 1)
  level 10: no difference shown between the first and the second: \
of 1 task both got the same 0 right
  only the second passed:
    core/import
    core/number
  only the first passed:
    core/rename
";
    assert!(words.contains(expected), "{words}");
    assert!(
        words.ends_with(
            "\nNot compared, because they were not the same task in both: more/new-file\n"
        ),
        "{words}"
    );
}

#[test]
fn one_model_is_compared_with_another() {
    let of = |model: &str| {
        let mut evaluation = made();
        evaluation.models.retain(|other| other.name == model);
        evaluation.results.retain(|row| row.model == model);
        evaluation
    };
    let comparison = compare(&of("small"), &of("big")).unwrap();
    assert_eq!(
        comparison.columns[0].names,
        ["small with slots", "big with slots"]
    );
    assert_eq!(
        comparison.columns[0].paired,
        Paired {
            both: 3,
            only_first: 0,
            only_second: 3,
            neither: 2
        }
    );
    assert!(
        comparison
            .to_string()
            .starts_with("small with slots, and big with slots: 3 passed, then 6 of 8\n")
    );
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let mut other = made();
    for task in &mut other.tasks {
        task.name.insert(0, 'x');
    }
    other.results.clear();
    assert_eq!(
        compare(&made(), &other).unwrap_err().to_string(),
        "the two evaluations have no task in common: the first has core/comment, core/import, \
         core/nothing-to-do and 5 more, the \
         second xcore/comment, xcore/import, xcore/nothing-to-do and 5 more. \
         Compare evaluations of the same suite"
    );
    let mut renamed = made();
    rename(&mut renamed, ["big", "small"], ["a", "b"]);
    assert!(matches!(
        compare(&made(), &renamed),
        Err(CompareError::NoColumns { .. })
    ));
}

#[test]
fn an_interrupted_evaluation_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let rows = made().results;
    let mut journal = Journal::open(&path).unwrap();
    for row in &rows[..10] {
        journal.append(row.clone()).unwrap();
    }
    assert!(matches!(
        Journal::open(&path),
        Err(JournalError::InUse { .. })
    ));
    drop(journal);
    let whole = fs::read(&path).unwrap();
    assert_eq!(whole.iter().filter(|&&byte| byte == b'\n').count(), 10);
    // Wherever the last line was torn, the rows before it are there, and the next one comes after
    // them.
    let last_line = whole[..whole.len() - 1]
        .iter()
        .rposition(|&byte| byte == b'\n')
        .unwrap()
        + 1;
    for end in last_line..whole.len() {
        fs::write(&path, &whole[..end]).unwrap();
        let mut journal = Journal::open(&path).unwrap();
        assert_eq!(journal.rows(), &rows[..9]);
        journal.append(rows[9].clone()).unwrap();
        drop(journal);
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
    // A disk may leave zeros where the last line was to be.
    fs::write(&path, [&whole[..], &[0; 100], b"\n"].concat()).unwrap();
    assert_eq!(Journal::open(&path).unwrap().rows(), &rows[..10]);
    assert_eq!(fs::read(&path).unwrap(), whole);
}

#[test]
fn a_damaged_journal_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let row = serde_json::to_string(&made().results[0]).unwrap();
    for (text, n_line) in [
        (format!("{row}\n{{\"model\": 1\n{row}\n"), 2),
        (format!("{{\"model\": 1}}\n{row}\n{row}\n"), 1),
    ] {
        fs::write(&path, &text).unwrap();
        let message = Journal::open(&path).unwrap_err().to_string();
        let expected = format!("line {n_line} of the journal ");
        assert!(message.starts_with(&expected), "{message}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

fn rename(evaluation: &mut Evaluation, from: [&str; 2], to: [&str; 2]) {
    let new = |name: &str| to[from.iter().position(|&from| from == name).unwrap()].to_owned();
    evaluation
        .models
        .iter_mut()
        .for_each(|model| model.name = new(&model.name));
    evaluation
        .results
        .iter_mut()
        .for_each(|row| row.model = new(&row.model));
}
