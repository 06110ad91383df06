//! The tables and the curve: `docs/wrong-place.md` and `docs/wrong-place.svg`.

use crate::cases::Likeness;
use crate::measure::{Outcome, Place, Record};
use crate::score::{AtThreshold, CANDIDATES, Scores, best_threshold};
use crate::{CASES, RANDOM_MODELS, SEEDS};
use slotwright::risk::{MIN_CERTAINTY, MIN_CERTAINTY_IN_WORDS};
use std::fmt::Write;

/// All that was measured.
pub struct Measured {
    /// By [`SEEDS`].
    pub bundled: [Vec<Record>; 2],
    pub random: Vec<Record>,
    pub ordinary: Vec<Record>,
}

impl Measured {
    fn of_both_seeds(&self) -> impl Iterator<Item = &Record> {
        self.bundled.iter().flatten()
    }

    fn scores(&self) -> [Scores; 2] {
        self.bundled.each_ref().map(|records| Scores::used(records))
    }

    /// The columns of the tables that count.
    fn sets(&self) -> [(&'static str, &[Record]); 3] {
        let [first, second] = &self.bundled;
        [
            ("bundled, first seed", first),
            ("bundled, second seed", second),
            ("random weights", &self.random),
        ]
    }
}

/// The report as Markdown.
pub fn markdown(measured: &Measured) -> String {
    let sections = [
        in_short, results, places, by_kind, by_score, curve, threshold, ordinary,
    ];
    let sections: Vec<String> = sections.iter().map(|section| section(measured)).collect();
    sections.join("\n")
}

fn in_short(measured: &Measured) -> String {
    let places = Places::of(measured.of_both_seeds());
    let [first, second] = measured.scores().map(|scores| scores.at(MIN_CERTAINTY));
    let ordinary = &measured.ordinary;
    let count = |is: &dyn Fn(&Record) -> bool| {
        ordinary
            .iter()
            .filter(|record| record.is_edit() && is(record))
            .count()
    };
    format!(
        "# How often the wrong place is taken, and what the model's certainty says about it

`./x risk` writes this page; nothing in it is written by hand. \
Another processor rounds differently, and a case or two may fall
differently there.

## In short

- Of {n_tasks} tasks in files full of near-equal places the bundled model was asked for a place in \
{n_places}: it said `none` {none} times, the
  right one {right} times, a wrong one {wrong} times.
- `edit` warns, and `--yes` refuses, below a certainty of **{MIN_CERTAINTY}**. \
That catches {caught} of the wrong edits and
  refuses {refused} of the right ones; on the second seed {caught_2} and {refused_2}.
- Of {ordinary_right} right edits on ordinary short files it refuses {ordinary_refused}; \
of the {ordinary_written} that it writes there {ordinary_wrong} are wrong.
- That is for the bundled model. Models that are asked in words know many ways to say the same, \
so that a low certainty means less:
  for them it is {MIN_CERTAINTY_IN_WORDS}, and a guess.
",
        n_tasks = measured.of_both_seeds().count(),
        n_places = places.n(),
        none = places.none,
        right = places.right,
        wrong = places.wrong,
        caught = percent(first.caught),
        refused = percent(first.refused),
        caught_2 = percent(second.caught),
        refused_2 = percent(second.refused),
        ordinary_right = count(&Record::is_right),
        ordinary_refused = count(&|record| record.is_right() && record.is_refused()),
        ordinary_written = count(&|record| !record.is_refused()),
        ordinary_wrong = count(&|record| !record.is_refused() && !record.is_right()),
    )
}

fn results(measured: &Measured) -> String {
    let mut out = format!(
        "## What was measured

{CASES} generated files for each of two seeds ({} and {}), of 20 to 60 lines, in Python, Rust, \
JavaScript, Go, JSON and YAML, each
with one task whose result is known to the byte. The bundled model ran over both sets; \
{RANDOM_MODELS} models with random weights, at
temperature 1, over the first.

",
        SEEDS[0], SEEDS[1]
    );
    let sets = measured.sets();
    header(&mut out, "", sets.map(|(name, _)| name));
    type Is = fn(&Record) -> bool;
    let rows: [(&str, Is); 8] = [
        ("tasks", |_| true),
        ("the right edit", Record::is_right),
        ("the right lines, wrong text", |r| {
            r.result == Outcome::WrongText
        }),
        ("the wrong lines", |r| r.result == Outcome::WrongPlace),
        ("no edit: `place` is `none`", |r| {
            r.place == Some(Place::None)
        }),
        ("no edit: declined at once", |r| {
            r.result == Outcome::NoEdit("declined") && r.place.is_none()
        }),
        ("no edit: it would change nothing", |r| {
            r.result == Outcome::NoEdit("changes nothing")
        }),
        ("no edit: truncated", |r| {
            r.result == Outcome::NoEdit("truncated")
        }),
    ];
    for (name, is) in rows {
        row(
            &mut out,
            name,
            sets.map(|(_, records)| {
                records
                    .iter()
                    .filter(|record| is(record))
                    .count()
                    .to_string()
            }),
        );
    }
    out
}

fn places(measured: &Measured) -> String {
    let mut out =
        "## `place`\n\nIt is asked for where `old` or `anchor` stands more than once.\n\n"
            .to_owned();
    let sets = measured.sets();
    header(&mut out, "", sets.map(|(name, _)| name));
    let places = sets.map(|(_, records)| Places::of(records));
    row(
        &mut out,
        "asked for",
        places.each_ref().map(|p| p.n().to_string()),
    );
    row(
        &mut out,
        "`none`",
        places.each_ref().map(|p| p.none.to_string()),
    );
    row(
        &mut out,
        "the right one",
        places.each_ref().map(|p| p.right.to_string()),
    );
    row(
        &mut out,
        "a wrong one",
        places.each_ref().map(|p| p.wrong.to_string()),
    );
    out
}

fn by_kind(measured: &Measured) -> String {
    let mut out = "## By what is near-equal\n\nThe bundled model, both seeds; \
         *refused* and *caught* at the threshold.\n\n"
        .to_owned();
    header(
        &mut out,
        "",
        [
            "tasks",
            "right",
            "refused of these",
            "wrong",
            "caught of these",
            "no edit",
        ],
    );
    for kind in Likeness::ALL {
        let count = |is: &dyn Fn(&Record) -> bool| {
            measured
                .of_both_seeds()
                .filter(|record| record.kind == kind && is(record))
                .count()
                .to_string()
        };
        let cells = [
            count(&|_| true),
            count(&Record::is_right),
            count(&|record| record.is_right() && record.is_refused()),
            count(&|record| record.is_edit() && !record.is_right()),
            count(&|record| record.is_edit() && !record.is_right() && record.is_refused()),
            count(&|record| !record.is_edit()),
        ];
        row(&mut out, kind.describe(), cells);
    }
    out
}

fn by_score(measured: &Measured) -> String {
    let mut out = "## Which score

Two figures come by slot: the *certainty*, which is the probability that the model under the \
constraint gave to what it wrote there
(long texts count as twelve tokens), and the *masked mass*, \
the probability that left to itself it would have written what the
constraint does not let through. How well does one number made of them tell right edits from wrong \
ones? (The probability that a
right one is the surer, a small masked mass counting as sure: 0.5 says nothing, 1 everything. \
In brackets the wrong and the right
edits that have these slots.)

"
    .to_owned();
    header(&mut out, "score", ["first seed", "second seed"]);
    for candidate in &CANDIDATES {
        let cells = measured.bundled.each_ref().map(|records| {
            let scores = candidate.scores(records);
            let (wrong, right) = scores.counts();
            if wrong * right == 0 {
                "—".to_owned()
            } else {
                format!("{:.2} ({wrong}, {right})", scores.auc())
            }
        });
        row(&mut out, candidate.name, cells);
    }
    out + "
`edit` uses the first: the certainties of all slots multiplied. \
It names the slot that is least certain.
"
}

fn curve(measured: &Measured) -> String {
    let mut out = "## The curve\n\n![wrong edits caught and right edits refused, \
                   by threshold](wrong-place.svg)\n\n"
        .to_owned();
    let columns = ["wrong caught", "right refused", "right of written"];
    header(
        &mut out,
        "threshold",
        [
            columns,
            ["second seed: wrong caught", columns[1], columns[2]],
        ]
        .concat(),
    );
    let scores = measured.scores();
    for threshold in (0..=20).map(|i| f64::from(i) / 20.0) {
        let cells = scores.iter().map(|scores| scores.at(threshold));
        let three = |at: AtThreshold| {
            [
                percent(at.caught),
                percent(at.refused),
                percent(at.right_of_written),
            ]
        };
        row(&mut out, &format!("{threshold:.2}"), cells.flat_map(three));
    }
    out
}

fn threshold(measured: &Measured) -> String {
    let [first, second] = measured.scores();
    let right_of_written =
        |scores: &Scores, threshold: f64| percent(scores.at(threshold).right_of_written);
    format!(
        "## The threshold

The rule: the greatest, in steps of 0.05, that refuses no right edit of the ordinary tasks below. \
That is **{best:.2}**; the program uses
{MIN_CERTAINTY}. The files full of near-equal places have no part in it.

Of the edits written, {with} are right with it on the first seed and {with_2} on the second; \
without it {without} and {without_2}.

What it does not catch: a wrong edit that the model was sure of. Look at the diff.
",
        best = best_threshold(&measured.ordinary),
        with = right_of_written(&first, MIN_CERTAINTY),
        with_2 = right_of_written(&second, MIN_CERTAINTY),
        without = right_of_written(&first, 0.0),
        without_2 = right_of_written(&second, 0.0),
    )
}

fn ordinary(measured: &Measured) -> String {
    let mut out = "## Ordinary tasks\n\nThe published kinds of edit, \
                   on short files where nothing is near-equal.\n\n"
        .to_owned();
    header(&mut out, "task", ["result", "certainty", "`--yes`"]);
    for record in &measured.ordinary {
        let result = match record.result {
            Outcome::Right => "right",
            Outcome::WrongText | Outcome::WrongPlace => "**wrong**",
            Outcome::NoEdit(what) => what,
        };
        let yes = match (record.is_edit(), record.is_refused()) {
            (false, _) => "nothing to write",
            (true, true) => "refuses",
            (true, false) => "writes",
        };
        row(
            &mut out,
            &record.task,
            [
                result.to_owned(),
                format!("{:.2}", record.score()),
                yes.to_owned(),
            ],
        );
    }
    out
}

/// What came of the question for a place.
struct Places {
    none: usize,
    right: usize,
    wrong: usize,
}

impl Places {
    fn of<'a>(records: impl IntoIterator<Item = &'a Record>) -> Places {
        let mut places = Places {
            none: 0,
            right: 0,
            wrong: 0,
        };
        for record in records {
            match record.place {
                Some(Place::None) => places.none += 1,
                Some(Place::Right) => places.right += 1,
                Some(Place::Wrong) => places.wrong += 1,
                None => {}
            }
        }
        places
    }

    fn n(&self) -> usize {
        self.none + self.right + self.wrong
    }
}

fn percent(share: f64) -> String {
    if share.is_nan() {
        "—".to_owned()
    } else {
        format!("{:.0}%", share * 100.0)
    }
}

fn header<'a>(out: &mut String, first: &str, names: impl IntoIterator<Item = &'a str>) {
    let names: Vec<&str> = names.into_iter().collect();
    let _ = writeln!(out, "| {first} | {} |", names.join(" | "));
    let _ = writeln!(out, "|---|{}", "--:|".repeat(names.len()));
}

fn row(out: &mut String, first: &str, cells: impl IntoIterator<Item = String>) {
    let _ = writeln!(
        out,
        "| {first} | {} |",
        cells.into_iter().collect::<Vec<_>>().join(" | ")
    );
}

/// The curve: right edits refused and wrong ones caught, by threshold, for both seeds.
pub fn svg(measured: &Measured) -> String {
    const WIDTH: f64 = 480.0;
    const HEIGHT: f64 = 300.0;
    const MARGIN: f64 = 50.0;
    let x = |threshold: f64| MARGIN + threshold * WIDTH;
    let y = |share: f64| MARGIN + (1.0 - share) * HEIGHT;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        WIDTH + 2.0 * MARGIN + 240.0,
        HEIGHT + 2.0 * MARGIN
    );
    for i in 0..=5 {
        let share = f64::from(i) / 5.0;
        let (left, right, bottom) = (x(0.0), x(1.0), y(0.0));
        let _ = writeln!(
            out,
            "<path d=\"M{left} {0}H{right}\" stroke=\"#ddd\"/>",
            y(share)
        );
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 8.0,
            y(share) + 4.0,
            percent(share)
        );
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{share:.1}</text>",
            x(share),
            bottom + 20.0
        );
    }
    let threshold = x(MIN_CERTAINTY);
    let _ = writeln!(
        out,
        "<path d=\"M{threshold} {}V{}\" stroke=\"#555\" stroke-dasharray=\"2 3\"/>",
        y(1.0),
        y(0.0)
    );
    let _ = writeln!(
        out,
        "<text x=\"{threshold}\" y=\"{}\" text-anchor=\"middle\">{MIN_CERTAINTY}</text>",
        y(1.0) - 8.0
    );
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">threshold: certainty</text>",
        x(0.5),
        y(0.0) + 40.0
    );
    for (i, records) in measured.bundled.iter().enumerate() {
        let scores = Scores::used(records);
        let (dash, seed) = [("none", "first seed"), ("6 4", "second seed")][i];
        type Share = fn(&AtThreshold) -> f64;
        let curves: [(&str, &str, Share); 2] = [
            ("#c0392b", "wrong edits caught", |at| at.caught),
            ("#2060a0", "right edits refused", |at| at.refused),
        ];
        for (j, (color, name, share)) in curves.into_iter().enumerate() {
            let points: Vec<String> = (0..=100)
                .map(|step| scores.at(f64::from(step) / 100.0))
                .map(|at| format!("{:.1},{:.1}", x(at.threshold), y(share(&at))))
                .collect();
            let style = format!(
                "fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\""
            );
            let _ = writeln!(out, "<polyline points=\"{}\" {style}/>", points.join(" "));
            let (at_x, at_y) = (x(1.0) + 15.0, y(1.0) + 20.0 * (2 * j + i) as f64);
            let _ = writeln!(out, "<path d=\"M{at_x} {at_y}h25\" {style}/>");
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{}\">{name}, {seed}</text>",
                at_x + 32.0,
                at_y + 4.0
            );
        }
    }
    out + "</svg>\n"
}
