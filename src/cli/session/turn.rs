//! One line of a session, from its words to the question to the person.

use super::words::{self, Said};
use crate::app::earlier::{self, Earlier};
use crate::app::editor::{Editor, Wish};
use crate::app::model_reference::named;
use crate::app::offer::Offer;
use crate::app::patch::{FailedEdits, PatchRequest, PlannedPatch};
use crate::app::project::{Buffers, Project};
use crate::app::report::{ApplyReport, Output, Report};
use crate::app::request::EditRequest;
use crate::cli::reviewer::{self, Review, Reviewed, say_warning};
use crate::cli::task::{self, First, ModelIn, TaskOptions};
use crate::cli::work::Work;
use crate::cli::{models, undo};
use crate::console::{say, say_more};
use crate::failure::{Failure, FailureKind};
use crate::review::gate::Policy;
use crate::text::visible;
use crate::workspace::Workspace;
use std::sync::Arc;

/// How every task of a session is shown and asked about.
const OPTIONS: TaskOptions = TaskOptions {
    policy: Policy::Ask,
    output: Output::Text,
    stats: false,
    model: ModelIn::Session,
};

/// What is kept from line to line.
pub(super) struct Session<'a> {
    work: Work<'a>,
    workspace: Arc<Workspace>,
    /// The only files of later tasks; all if it is empty.
    files: Vec<String>,
    /// What was shown last and not written.
    open: Option<Box<Offer>>,
    /// What was written last.
    last: Option<Earlier>,
}

/// What a task came to.
enum End {
    /// Why is said.
    NoEdit,
    /// `None` if the person made something else of it.
    Written(Option<Earlier>),
    /// The person said no.
    Open(Box<Offer>),
}

impl Session<'_> {
    pub fn new<'a>(work: Work<'a>, workspace: Arc<Workspace>) -> Session<'a> {
        Session {
            work,
            workspace,
            files: Vec::new(),
            open: None,
            last: None,
        }
    }

    /// The prompt, which names the only files of a task.
    pub fn prompt(&self) -> String {
        match self.files.as_slice() {
            [] => "> ".to_owned(),
            [file] => format!("{}> ", visible(file)),
            files => format!("{} files> ", files.len()),
        }
    }

    /// Makes the edit that a sentence asks for.
    pub async fn task(&mut self, sentence: &str) -> Result<(), Failure> {
        let said = Said::of(sentence, &self.workspace);
        said.check_files()?;
        said.remark().iter().for_each(|remark| say(remark));
        let files = if said.files.is_empty() {
            self.files.clone()
        } else {
            said.files
        };
        let request = EditRequest {
            sentence: said.sentence,
            files,
            at: said.at,
            earlier: self.last.clone(),
            ..EditRequest::default()
        };

        self.open = None;
        let end = self.work.run(async move |editor, project| {
            project.recover();
            let report = &mut Report::default();
            match task::first(editor, project, request, OPTIONS, report).await? {
                First::Offer(offer) => decided(editor, offer, report).await,
                First::NoEdit(_) => Ok(End::NoEdit),
            }
        });
        let end = end.await?;
        self.keep(end);
        Ok(())
    }

    /// Has the model change what was shown last, or add to it.
    async fn again(&mut self, wish: Wish) -> Result<(), Failure> {
        let open = self.open.take();
        let Some(mut offer) = open.filter(|it| wish != Wish::More || it.can_go_on()) else {
            let message = "there is no edit to go on with";
            return Err(Failure::new(FailureKind::NothingOpen, message)
                .hint("/also and /more are for an edit that was just shown and not written"));
        };
        let end = self.work.run(async move |editor, _| {
            let report = &mut Report::default();
            if !task::again(editor, &mut offer, wish, OPTIONS, report).await? {
                say("this is the edit from before");
            }
            decided(editor, offer, report).await
        });
        let end = end.await?;
        self.keep(end);
        Ok(())
    }

    /// Remembers what the next line may go on from.
    fn keep(&mut self, end: End) {
        match end {
            End::NoEdit => {}
            End::Written(written) => self.last = written,
            End::Open(offer) => {
                say("nothing was written. /also changes this edit: /also only in one place");
                self.open = Some(offer);
            }
        }
    }

    /// Does what a command says.
    pub async fn command(&mut self, name: &str, rest: &str) -> Result<(), Failure> {
        match name {
            "also" if rest.is_empty() => {
                let message = "say what else, as in /also only in one place";
                Err(Failure::new(FailureKind::EmptyTask, message))
            }
            "also" => self.again(Wish::FollowUp(rest.to_owned())).await,
            "more" => self.again(Wish::More).await,
            "undo" => self.undo(rest).await,
            "file" => self.limit_to(rest),
            "model" => self.model(rest).await,
            _ => {
                say_more(&words::help());
                say_more("  @PATH or @PATH:LINE in a sentence: this file, this line");
                Ok(())
            }
        }
    }

    async fn undo(&mut self, rest: &str) -> Result<(), Failure> {
        if rest == "list" {
            return undo::list(&self.workspace);
        }
        let number = match rest {
            "" => None,
            number => Some(number.parse().map_err(|_| {
                let message = format!("{number:?} is no number of an edit");
                Failure::new(FailureKind::NoSuchEdit, message).hint("/undo list shows them")
            })?),
        };
        undo::last(&self.workspace, number)?;
        self.last = None;
        self.open = None;
        Ok(())
    }

    /// Limits later tasks to files.
    fn limit_to(&mut self, rest: &str) -> Result<(), Failure> {
        if rest == "." {
            self.files.clear();
        } else if !rest.is_empty() {
            let mut files = Vec::new();
            for named in self.named_files(rest) {
                files.push(self.workspace.resolve_named(&named)?);
            }
            self.files = files;
        }
        match self.files.as_slice() {
            [] => say("any file of the folder may be edited"),
            files => say(&format!("only {}; /file . ends that", files.join(", "))),
        }
        Ok(())
    }

    /// The paths that follow `/file`: one with spaces, or several.
    fn named_files(&self, rest: &str) -> Vec<String> {
        if self.workspace.resolve_named(rest).is_ok() {
            return vec![rest.to_owned()];
        }
        let words = rest.split_whitespace();
        words
            .map(|word| word.trim_start_matches('@').to_owned())
            .collect()
    }

    /// Shows the models, or uses another one from now on.
    async fn model(&mut self, rest: &str) -> Result<(), Failure> {
        if rest.is_empty() {
            let used = self.work.run(async |editor, _| editor.model_name()).await?;
            models::show().await?;
            say(&format!(
                "this session uses {used}; /model NAME uses another one"
            ));
            return Ok(());
        }
        let name = rest.to_owned();
        let chosen = self
            .work
            .run(async move |editor, project| {
                let target = named(&name, &project.config.model_folders)?;
                target.check_file()?;
                editor.choose(Some(&name));
                Ok(())
            })
            .await;
        chosen?;
        // Its answers would have been another model's.
        self.open = None;
        self.work.load();
        say(&format!("{rest} from now on"));
        Ok(())
    }

    /// Applies a patch that was pasted.
    pub async fn apply(&mut self, patch: String) -> Result<(), Failure> {
        let request = PatchRequest {
            text: patch,
            file: None,
            failed: FailedEdits::Refuse,
            accept: Vec::new(),
            buffers: Buffers::new(),
        };
        let done = self
            .work
            .run(async move |_, project| applied(&project, &request).await);
        done.await?;
        self.last = None;
        self.open = None;
        Ok(())
    }
}

/// Brings an offer to the gate.
async fn decided(
    editor: &mut Editor,
    mut offer: Box<Offer>,
    report: &mut Report,
) -> Result<End, Failure> {
    match task::decide(editor, &mut offer, OPTIONS, report).await {
        Ok(Reviewed::Written(written)) => {
            let is_as_proposed = written.difference.is_none();
            let earlier = is_as_proposed.then(|| earlier::written(&offer.proposed(report)));
            Ok(End::Written(earlier))
        }
        Ok(_) => unreachable!("the person is asked until something is written"),
        Err(failure) if failure.kind == FailureKind::NotConfirmed => Ok(End::Open(offer)),
        Err(failure) => Err(failure),
    }
}

/// Brings a patch to the gate.
async fn applied(project: &Project, request: &PatchRequest) -> Result<(), Failure> {
    let report = &mut ApplyReport::default();
    let planned = PlannedPatch::in_project(project, request, report);
    let (planned, proposed) = planned.map_err(|(failure, lines)| {
        lines.iter().for_each(|line| say(line));
        failure
    })?;
    let Some(proposed) = proposed else {
        planned.warnings.iter().for_each(say_warning);
        say("nothing to do: the files have all of this already");
        return Ok(());
    };

    let review = Review::new(Policy::Ask, Output::Text, project.config.color);
    let reviewed = reviewer::pass(&proposed.proposal(), &project.workspace, review).await?;
    if let Reviewed::Written(written) = reviewed {
        let mut done = planned.done(&written.files);
        done.extend(written.difference);
        say(&done.join(", "));
    }
    Ok(())
}
