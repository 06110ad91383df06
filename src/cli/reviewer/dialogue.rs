//! The question at a terminal, and what a person can answer apart from yes and no.

use super::editor;
use crate::app::editor::Wish;
use crate::cli::diff::{Printed, Style, hunks, print};
use crate::cli::terminal::AnswersFrom;
use crate::console::{say, say_more};
use crate::diff::{Choice, FileDiff, Hunks, to_type, typed, unified};
use crate::review;
use crate::review::gate::{Decision, ProposedFile};
use crate::text::Text;
use crate::workspace::{Change, can_be_run};
use std::io::{self, Write};

/// What a person may ask a model for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::cli) enum CanAsk {
    /// There is none.
    Nothing,
    /// Another answer.
    Again,
    /// That too, or to go on with its answer.
    AgainOrMore,
}

/// What a person chooses one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Select {
    Hunks,
    /// Files, and the hunks of one of them.
    Files,
}

/// How a person is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialogue {
    pub answers: AnswersFrom,
    /// How a diff is printed on standard error.
    pub style: Style,
    /// What a model can still be asked.
    pub can_ask: CanAsk,
    pub select: Select,
    /// What to know about a text that was not made as it was proposed.
    pub if_changed: Option<&'static str>,
}

/// What came of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answered {
    pub decision: Decision,
    pub wish: Option<Wish>,
    /// What was written of it, for the last line: hunks that were left, texts that were typed.
    pub left: usize,
    pub typed: usize,
}

impl Answered {
    /// What is written otherwise than it was proposed, in words.
    pub fn difference(&self) -> Option<String> {
        let left = (self.left > 0).then(|| format!("without {}", hunks_in_words(self.left)));
        let typed = (self.typed > 0)
            .then(|| format!("with {} as you typed it", hunks_in_words(self.typed)));
        let words: Vec<String> = left.into_iter().chain(typed).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    fn decision_on(&self, parts: Vec<Part>) -> Decision {
        if self.left + self.typed == 0 {
            return Decision::All;
        }
        Decision::Instead(
            parts
                .into_iter()
                .flat_map(|part| part.file.changes)
                .collect(),
        )
    }
}

/// A file with what the person has made of it so far.
#[derive(Clone)]
struct Part {
    file: ProposedFile,
    /// None for a file that is taken or left whole: it is moved, removed, or no text.
    hunks: Option<Hunks>,
}

/// What a person answered to the question about one hunk.
enum Step {
    One(Choice),
    /// This choice for this hunk and all that follow.
    Rest(Choice),
    /// Of a file: its hunks are chosen one by one.
    ByHunk,
    /// Nothing is taken, also of what was chosen before.
    Quit,
}

impl Dialogue {
    /// Asks until there is an answer.
    pub async fn run(&self, question: &str, files: &[ProposedFile]) -> Answered {
        let mut answered = Answered {
            decision: Decision::No,
            wish: None,
            left: 0,
            typed: 0,
        };
        let mut parts: Vec<Part> = files.iter().cloned().map(Part::of).collect();
        loop {
            let is_as_proposed = answered.left + answered.typed == 0;
            let keys = self.keys(&parts, is_as_proposed);
            let letters: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
            let asked = format!("{question} [y/N/{}]", letters.join("/"));
            let answer = self.answers.ask(&asked).await.unwrap_or_default();
            let key = answer.to_lowercase();
            match key.as_str() {
                "y" | "yes" => {
                    answered.decision = answered.decision_on(parts);
                    return answered;
                }
                "" | "n" | "no" | "q" => return answered,
                key if !letters.contains(&key) && self.takes_sentence(key) => {
                    if is_as_proposed || self.gives_up().await {
                        answered.wish = Some(Wish::FollowUp(answer));
                    }
                }
                key if key == "?" || !letters.contains(&key) => explain(&keys),
                "s" => {
                    if let Some(decision) = self.selected(&mut parts, &mut answered).await {
                        answered.decision = decision;
                        return answered;
                    }
                }
                "e" => self.retype_first(&mut parts, &mut answered).await,
                "m" => answered.wish = Some(Wish::More),
                key => {
                    if is_as_proposed || self.gives_up().await {
                        answered.wish = self.other_answer(key).await;
                    }
                }
            }
            if answered.wish.is_some() {
                return answered;
            }
        }
    }

    /// Has the person choose hunks. `None` if they have to look at the rest once more.
    async fn selected(&self, parts: &mut Vec<Part>, answered: &mut Answered) -> Option<Decision> {
        let (chosen, n_left, n_typed) = self.select(parts).await;
        if chosen.is_empty() {
            return Some(Decision::No);
        }
        answered.left += n_left;
        answered.typed += n_typed;
        if n_left + n_typed > 0 && self.look_again(parts, &chosen) {
            *parts = chosen;
            return None;
        }
        Some(answered.decision_on(chosen))
    }

    /// Has the person edit the only hunk.
    async fn retype_first(&self, parts: &mut [Part], answered: &mut Answered) {
        let Some(part) = parts.iter_mut().find(|part| part.hunks.is_some()) else {
            return;
        };
        if let Some(retyped) = self.retyped(part).await {
            answered.typed = answered.typed.max(1);
            let before = std::mem::replace(part, retyped);
            self.show(part);
            self.warn(&before, part);
            self.if_changed.into_iter().for_each(say);
        }
    }

    /// What a key asks of the model.
    async fn other_answer(&self, key: &str) -> Option<Wish> {
        match key {
            "o" => Some(Wish::Another),
            "f" => typed_words(self.answers, "What else:")
                .await
                .map(Wish::FollowUp),
            _ => reworded(self.answers).await,
        }
    }

    /// Whether an answer is what else the person wants.
    fn takes_sentence(&self, answer: &str) -> bool {
        self.can_ask >= CanAsk::Again && is_sentence(answer)
    }

    /// Whether the person wants another answer, though their own work is on none but this.
    async fn gives_up(&self) -> bool {
        self.answers
            .confirm("What you typed or left out here will be lost. Go on?")
            .await
    }

    /// What can be answered apart from yes and no, with what it means.
    fn keys(&self, parts: &[Part], is_as_proposed: bool) -> Vec<(&'static str, &'static str)> {
        let n_hunks: usize = parts.iter().map(Part::n_units).sum();
        let mut keys = Vec::new();
        if n_hunks > 1 {
            keys.push(match self.select {
                Select::Hunks => ("s", "select: hunk by hunk"),
                Select::Files => ("s", "select: file by file, and hunk by hunk where you like"),
            });
        } else if parts.iter().any(|part| part.hunks.is_some()) {
            keys.push(("e", "edit the new text in $EDITOR"));
        }
        // The model knows of its own edits only.
        if self.can_ask >= CanAsk::AgainOrMore && is_as_proposed {
            keys.push(("m", "more: these edits are right, and one is missing"));
        }
        if self.can_ask >= CanAsk::Again {
            let meaning = "a follow-up: what else, or what otherwise (or type it here: \"use 20\")";
            keys.push(("f", meaning));
            keys.push(("o", "another answer of the model"));
            keys.push(("r", "say the task again in other words"));
        }
        keys.push(("?", "this help"));
        keys
    }

    /// Asks about each hunk. Returns what is left of the parts, how many hunks were left out, and how
    /// many were typed.
    async fn select(&self, parts: &[Part]) -> (Vec<Part>, usize, usize) {
        let n_all: usize = parts.iter().map(Part::n_units).sum();
        let mut n_before = 0;
        let mut n_left = 0;
        let mut n_typed = 0;
        let mut rest = None;
        let mut chosen = Vec::new();
        for (idx, part) in parts.iter().enumerate() {
            let place = match self.select {
                Select::Hunks => (n_before + 1, n_all),
                Select::Files => (idx + 1, parts.len()),
            };
            let Some(choices) = self.choices(part, place, &mut rest).await else {
                return (Vec::new(), 0, 0);
            };
            n_before += choices.len();

            let mut left = 0;
            let mut typed = 0;
            for choice in &choices {
                left += usize::from(*choice == Choice::Leave);
                typed += usize::from(matches!(choice, Choice::Instead(_)));
            }
            match part.taken(choices) {
                Ok(Some(part)) => {
                    n_left += left;
                    n_typed += typed;
                    chosen.push(part);
                }
                Ok(None) => n_left += part.n_units(),
                Err(message) => {
                    say(&format!("{message}; {} stays as it is", part.file.path));
                    n_left += part.n_units();
                }
            }
        }
        (chosen, n_left, n_typed)
    }

    /// What the person chooses of a part; `None` if they want none of all. `place`: which one its first
    /// question is, of how many. `rest`: the choice for all that is not asked about any more.
    async fn choices(
        &self,
        part: &Part,
        place: (usize, usize),
        rest: &mut Option<Choice>,
    ) -> Option<Vec<Choice>> {
        let printed = print(&part.file, self.style);
        let n_units = part.n_units();
        let (mut first, mut n) = place;
        if self.select == Select::Files && n_units > 1 && rest.is_none() {
            match self.ask_about_file(part, &printed, place).await {
                Step::One(choice) => return Some(vec![choice; n_units]),
                Step::Rest(choice) => *rest = Some(choice),
                Step::ByHunk => (first, n) = (1, n_units),
                Step::Quit => return None,
            }
        }

        let mut choices = Vec::new();
        for unit in 0..n_units {
            if rest.is_none() {
                match self
                    .ask_about(part, unit, &printed, (first + unit, n))
                    .await
                {
                    Step::Rest(choice) => *rest = Some(choice),
                    Step::One(choice) => {
                        choices.push(choice);
                        continue;
                    }
                    Step::ByHunk => unreachable!("it is a hunk"),
                    Step::Quit => return None,
                }
            }
            choices.extend(rest.clone());
        }
        Some(choices)
    }

    /// Asks about all hunks of a file at once.
    async fn ask_about_file(&self, part: &Part, printed: &Printed, (i, n): (usize, usize)) -> Step {
        show(&printed.whole());
        let keys = [
            ("y", "yes, all of it"),
            ("n", "no; the file stays as it is"),
            ("s", "select: hunk by hunk"),
            ("a", "yes, and all files that come"),
            ("d", "no, and none of the files that come"),
            ("q", QUIT),
            ("?", "this help"),
        ];
        let letters = letters(&keys);
        let question = format!(
            "Take this file ({i} of {n}, {})? [{letters}]",
            part.file.path
        );

        loop {
            let Some(answer) = self.answers.ask(&question).await else {
                return Step::Rest(Choice::Leave);
            };
            match answer.to_lowercase().as_str() {
                "y" | "yes" => return Step::One(Choice::Take),
                "n" | "no" => return Step::One(Choice::Leave),
                "s" => return Step::ByHunk,
                "a" => return Step::Rest(Choice::Take),
                "d" => return Step::Rest(Choice::Leave),
                "q" => return Step::Quit,
                _ => explain(&keys),
            }
        }
    }

    async fn ask_about(
        &self,
        part: &Part,
        unit: usize,
        printed: &Printed,
        (i, n): (usize, usize),
    ) -> Step {
        let ProposedFile { path, changes, .. } = &part.file;
        let (what, hunk) = match (&part.hunks, changes.as_slice()) {
            (Some(hunks), _) => ("Take this hunk", hunks.hunks().get(unit)),
            (None, [Change { after: None, .. }]) => ("Delete the file", None),
            (None, [Change { before: None, .. }]) => ("Make the file", None),
            (None, [Change { chmod: Some(_), .. }]) => ("Change the permissions of the file", None),
            (None, _) => ("Move and change the file", None),
        };
        let header = if unit == 0 {
            printed.header.as_str()
        } else {
            ""
        };
        let body = match hunk {
            Some(_) if !part.file.seams.is_empty() => part.alone(unit, self.style),
            Some(_) => printed.hunks.get(unit).cloned().unwrap_or_default(),
            None => printed.hunks.concat(),
        };
        show(&format!("{header}{body}"));

        let mut keys = vec![
            ("y", "yes"),
            ("n", "no; it stays as it is"),
            ("a", "yes, and all that come"),
            ("d", "no, and none of those that come"),
            ("q", QUIT),
        ];
        if hunk.is_some() {
            keys.insert(2, ("e", "edit the new text in $EDITOR, and take it"));
        }
        keys.push(("?", "this help"));
        let question = format!("{what} ({i} of {n}, {path})? [{}]", letters(&keys));

        loop {
            // Whoever ends the input has said yes to nothing more.
            let Some(answer) = self.answers.ask(&question).await else {
                return Step::Rest(Choice::Leave);
            };
            match (answer.to_lowercase().as_str(), hunk) {
                ("y" | "yes", _) => return Step::One(Choice::Take),
                ("n" | "no", _) => return Step::One(Choice::Leave),
                ("a", _) => return Step::Rest(Choice::Take),
                ("d", _) => return Step::Rest(Choice::Leave),
                ("q", _) => return Step::Quit,
                ("e", Some(hunk)) => {
                    let hunks = part.hunks.as_ref().expect("the hunk is one of these");
                    if let Some(text) = self.typed(&hunks.new_text(hunk), path).await {
                        return Step::One(Choice::Instead(text));
                    }
                }
                _ => explain(&keys),
            }
        }
    }

    /// The lines that the person makes of some; none if they are as they were.
    async fn typed(&self, text: &str, path: &str) -> Option<String> {
        match editor::edited(&to_type(text), path).await {
            // A file that was emptied is an edit given up, as for git.
            Ok(by_person) if by_person.trim().is_empty() && !text.trim().is_empty() => {
                say("the text is empty, so it is as it was: n leaves the hunk out");
                None
            }
            Ok(by_person) => {
                let new = typed(text, &by_person);
                if new == text {
                    say("the text is as it was");
                }
                (new != text).then_some(new)
            }
            Err(message) => {
                say(&format!("{message}; the text is as it was"));
                None
            }
        }
    }

    /// A part with one hunk, and what the person makes of it.
    async fn retyped(&self, part: &Part) -> Option<Part> {
        let hunks = part.hunks.as_ref()?;
        let [hunk] = hunks.hunks() else { return None };
        let text = self.typed(&hunks.new_text(hunk), &part.file.path).await?;
        match part.taken(vec![Choice::Instead(text)]) {
            Ok(None) => {
                say("this is the text as it was before the edit: n leaves it so");
                None
            }
            Ok(part) => part,
            Err(message) => {
                say(&format!("{message}; the text is as it was"));
                None
            }
        }
    }

    /// Whether a selection has to be looked at once more, because the code breaks only without
    /// what was left out or by what was typed. It is shown then.
    fn look_again(&self, before: &[Part], chosen: &[Part]) -> bool {
        self.if_changed.into_iter().for_each(say);
        let mut has_warned = false;
        for part in chosen {
            let Some(old) = before.iter().find(|old| old.file.path == part.file.path) else {
                continue;
            };
            if old.file != part.file && part.breaks().is_some() && old.breaks().is_none() {
                self.show(part);
                self.warn(old, part);
                has_warned = true;
            }
        }
        has_warned
    }

    fn show(&self, part: &Part) {
        show(&print(&part.file, self.style).whole());
    }

    /// Says what the person's own text has broken.
    fn warn(&self, before: &Part, after: &Part) {
        if let Some(broken) = after.breaks().filter(|_| before.breaks().is_none()) {
            say(&format!("warning: {broken}"));
        }
    }
}

impl Part {
    fn of(file: ProposedFile) -> Part {
        let is_text = matches!(file.changes.as_slice(), [Change { after: Some(_), .. }]);
        let hunks = hunks(&file).filter(|hunks| is_text && !hunks.hunks().is_empty());
        let hunks = hunks.map(|hunks| hunks.split(&file.seams));
        Part { file, hunks }
    }

    /// What can be taken or left of it.
    fn n_units(&self) -> usize {
        self.hunks.as_ref().map_or(1, |hunks| hunks.hunks().len())
    }

    /// The diff of one unit, as if it were taken alone.
    fn alone(&self, unit: usize, style: Style) -> String {
        let mut choices = vec![Choice::Leave; self.n_units()];
        choices[unit] = Choice::Take;
        let alone = self.taken(choices).ok().flatten();
        alone.map_or_else(String::new, |part| print(&part.file, style).hunks.concat())
    }

    /// The part with these choices; `None` if nothing of it is taken.
    fn taken(&self, choices: Vec<Choice>) -> Result<Option<Part>, String> {
        if choices.iter().all(|choice| *choice == Choice::Take) {
            return Ok(Some(self.clone()));
        }
        if choices.iter().all(|choice| *choice == Choice::Leave) {
            return Ok(None);
        }

        let hunks = self.hunks.as_ref().expect("only hunks can be chosen");
        let after = hunks.chosen(&choices).map_err(|error| error.to_string())?;
        let [change] = self.file.changes.as_slice() else {
            unreachable!("it has hunks")
        };
        if change.before.as_ref() == Some(&after) {
            return Ok(None);
        }

        let change = Change {
            after: Some(after),
            ..change.clone()
        };
        let before = change.before.clone().map(Text::decode);
        let before = before.transpose().map_err(|error| error.to_string())?;
        let path = self.file.path.clone();
        let mode = change
            .chmod
            .map(|chmod| chmod.to)
            .or(change.mode.filter(|_| before.is_none()));
        let is_executable = mode.map(can_be_run);
        let file_diff = FileDiff::of(&path, before.as_ref(), change.after.as_deref());
        let diff = unified(&FileDiff {
            is_executable,
            ..file_diff
        });
        let seams = Vec::new(); // they were of other lines
        Ok(Some(Part::of(ProposedFile {
            path,
            changes: vec![change],
            diff,
            seams,
        })))
    }

    /// What it breaks, in words.
    fn breaks(&self) -> Option<String> {
        let [
            Change {
                path,
                before,
                after: Some(after),
                ..
            },
        ] = self.file.changes.as_slice()
        else {
            return None;
        };
        let before = before.clone().map(Text::decode).transpose().ok()?;
        Some(review::breaks(path, before.as_ref(), after)?.message)
    }
}

/// Whether an answer is a sentence for the model: several words, not all of them keys.
pub(super) fn is_sentence(answer: &str) -> bool {
    let words: Vec<&str> = answer.split_whitespace().collect();
    let is_key = |word: &&str| word.len() == 1 || ["yes", "no"].contains(word);
    // A command of a session is typed too early.
    words.len() > 1 && !answer.starts_with('/') && !words.iter().all(is_key)
}

/// The task in other words; `None` if the person says nothing.
pub(super) async fn reworded(answers: AnswersFrom) -> Option<Wish> {
    let words = typed_words(answers, "In other words:").await;
    words.map(Wish::Reworded)
}

async fn typed_words(answers: AnswersFrom, question: &str) -> Option<String> {
    let words = answers.ask(question).await;
    words.filter(|words| !words.is_empty())
}

const QUIT: &str = "quit: write nothing at all";

/// The keys of a question, but those that only the help names.
fn letters(keys: &[(&str, &str)]) -> String {
    let mut letters: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
    letters.retain(|key| *key != "q");
    letters.join("/")
}

fn hunks_in_words(n: usize) -> String {
    match n {
        1 => "1 hunk".to_owned(),
        n => format!("{n} hunks"),
    }
}

fn show(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

fn explain(keys: &[(&str, &str)]) {
    for (key, meaning) in [("y", "yes: write it"), ("n", "no: write nothing (q too)")]
        .iter()
        .filter(|(key, _)| !keys.iter().any(|(other, _)| other == key))
        .chain(keys)
    {
        say_more(&format!("  {key}  {meaning}"));
    }
}
