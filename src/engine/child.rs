//! The model process. It reads commands from standard input and answers them on standard output,
//! one at a time.
//!
//! It ends when its input ends. So it never outlives its parent, however the parent ends.

use super::answer::Answer;
use super::draft::Sources;
use super::generate::{
    Drafter, GenerateError, GenerateProgress, TokenModel, TokenRequest, generate,
};
use super::interface::Progress;
use super::llama::{KeptPrompt, LlamaDecoder, LoadedModel, Sequence};
use super::pace::Pace;
use super::protocol::{ChildCommand, ChildEvent, ChildFailure};
use super::request::{Part, Request, Weights};
use crate::constrain::free::FreeMatcher;
use crate::constrain::mask::{MatchError, Matcher, SlotMatcher, Spelling, Tokenize};
use crate::constrain::{Constraint, SlotSpec, Spec};
use std::io::{BufRead, Write};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Room in the context for forced tokens of an answer, as far as the model allows it.
const FORCED_TOKENS: usize = 512;

/// The shortest time between two progress events.
const PROGRESS_EVERY: Duration = Duration::from_millis(50);

/// The shortest time between two signs of life.
const ALIVE_EVERY: Duration = Duration::from_secs(1);

/// Serves commands until standard input ends. Does not return.
pub fn run() -> ! {
    std::thread::spawn(tell_signs_of_life);
    let (send, commands) = mpsc::channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let _ = send.send(line);
        }
        exit_now(); // even in the middle of a computation: nobody waits for it any more
    });
    let next = || -> Option<ChildCommand> {
        let line = commands.recv().ok()?;
        match serde_json::from_str(&line) {
            Ok(command) => Some(command),
            Err(error) => {
                emit(&ChildEvent::Failed(ChildFailure::Command(
                    error.to_string(),
                )));
                exit_now()
            }
        }
    };
    let Some(ChildCommand::Load(load)) = next() else {
        emit(&ChildEvent::Failed(ChildFailure::Command(
            "the first command is to load a model".to_owned(),
        )));
        exit_now()
    };
    match LoadedModel::load(&load, |progress| emit(&ChildEvent::Progress(progress))) {
        Ok(model) => {
            emit(&ChildEvent::Loaded(model.info()));
            serve(&model, next)
        }
        Err(failure) => {
            emit(&ChildEvent::Failed(failure));
            exit_now()
        }
    }
}

fn serve(model: &LoadedModel, mut next: impl FnMut() -> Option<ChildCommand>) -> ! {
    let mut kept = KeptContext {
        decoder: None,
        prompts: [KeptPrompt::default(); Sequence::ALL.len()],
        pace: Pace::default(),
    };
    while let Some(command) = next() {
        let event = match command {
            ChildCommand::CountTokens(texts) => ChildEvent::Counts(
                texts
                    .iter()
                    .map(|text| model.tokenizer().tokenize(text.as_bytes()).len())
                    .collect(),
            ),
            ChildCommand::Complete(request) => match complete(model, &mut kept, &request) {
                Ok(answer) => ChildEvent::Answer(answer),
                Err(failure) => ChildEvent::Failed(failure),
            },
            ChildCommand::Keep => {
                // The later stage first: its prompt may have all of the other one's.
                for sequence in Sequence::ALL.into_iter().rev() {
                    if let Some(decoder) = &mut kept.decoder {
                        decoder.keep(sequence, kept.prompts[sequence as usize]);
                    }
                }
                ChildEvent::Kept
            }
            ChildCommand::Load(_) => ChildEvent::Failed(ChildFailure::Command(
                "a model is loaded already".to_owned(),
            )),
        };
        emit(&event);
    }
    exit_now()
}

/// The state that one answer leaves for the next.
struct KeptContext<'m> {
    decoder: Option<LlamaDecoder<'m>>,
    /// The last prompt of each sequence.
    prompts: [KeptPrompt; Sequence::ALL.len()],
    pace: Pace,
}

impl<'m> KeptContext<'m> {
    /// A context with room for `n_tokens` in this sequence.
    fn decoder(
        &mut self,
        model: &'m LoadedModel,
        sequence: Sequence,
        n_tokens: usize,
    ) -> Result<LlamaDecoder<'m>, ChildFailure> {
        match self.decoder.take() {
            Some(decoder) => decoder.prepare(model, sequence, n_tokens),
            // The other sequence will be about as long, so room for both is made at once.
            None => LlamaDecoder::new(model, 2 * n_tokens)
                .or_else(|_| LlamaDecoder::new(model, n_tokens))?
                .prepare(model, sequence, n_tokens),
        }
    }
}

/// The tokens that the first parts of a prompt have.
fn n_fixed(model: &LoadedModel, prompt: &[Part], n_parts: usize) -> usize {
    if n_parts == 0 {
        0
    } else {
        model.tokenizer().prompt(&prompt[..n_parts]).len()
    }
}

fn complete<'m>(
    model: &'m LoadedModel,
    kept: &mut KeptContext<'m>,
    request: &Request,
) -> Result<Answer, ChildFailure> {
    let prompt = model.tokenizer().prompt(&request.prompt);
    let answer_tokens = request.limits.answer_tokens;
    let max = model.max_prompt_tokens(answer_tokens);
    if prompt.is_empty() || prompt.len() > max {
        return Err(ChildFailure::PromptTooLong {
            n_tokens: prompt.len(),
            max,
        });
    }
    let sequence = match &request.spec {
        _ if request.weights == Weights::Base => Sequence::Base,
        Spec::Slots(SlotSpec::Pick { .. }) => Sequence::Pick,
        _ => Sequence::Fill,
    };
    let total = prompt.len();
    // Before what takes long.
    emit(&ChildEvent::Progress(Progress::Reading { done: 0, total }));
    let n_tokens = prompt.len() + answer_tokens + FORCED_TOKENS;
    let mut decoder = kept.decoder(model, sequence, n_tokens)?;
    let n_fixed = n_fixed(model, &request.prompt, request.fixed_parts);
    kept.prompts[sequence as usize] = KeptPrompt {
        n_tokens: prompt.len(),
        n_fixed,
    };
    let constraint;
    let matcher: &mut dyn Matcher = match &request.spec {
        Spec::Schema(schema) => &mut model
            .schemas()
            .and_then(|schemas| schemas.compile(schema))
            .map_err(schema_failure)?,
        Spec::Free => &mut FreeMatcher::new(model.trie()),
        Spec::Slots(slots) => {
            constraint = Constraint::new(slots);
            // A model that names its prompts was trained on their answers.
            let is_trained = model.profile().is_some();
            let spelling = if is_trained {
                Spelling::Exact
            } else {
                Spelling::Loose
            };
            &mut SlotMatcher::new(&constraint, model.trie()).with_spelling(spelling)
        }
    };
    let mut told = Instant::now();
    let mut progress = |step| {
        let due = told.elapsed() >= PROGRESS_EVERY;
        if due || matches!(step, GenerateProgress::Read(_)) {
            told = Instant::now();
            emit(&ChildEvent::Progress(match step {
                GenerateProgress::Read(done) => Progress::Reading { done, total },
                GenerateProgress::Written(n) => Progress::Writing(n),
            }));
        }
    };
    let token_request = TokenRequest {
        prompt: &prompt,
        limits: request.limits,
        sampling: request.sampling,
        given: request.given.as_ref(),
        branches: request.branches,
    };
    let sources = match (&request.spec, &request.likely) {
        (Spec::Slots(slots), Some(likely)) => Some(Sources::new(slots, likely)),
        _ => None,
    };
    let drafter = sources.as_ref().map(|sources| Drafter {
        sources,
        pace: &mut kept.pace,
    });
    let token_model = TokenModel {
        decoder: &mut decoder,
        tokenizer: &model.tokenizer(),
    };
    let generated = generate(token_model, matcher, token_request, drafter, &mut progress);
    kept.decoder = Some(decoder);
    let generated = generated.map_err(|error| match error {
        GenerateError::Decode(reason) => ChildFailure::Compute(reason),
        GenerateError::NotANumber => ChildFailure::Compute(
            "its weights give no numbers; the file is probably damaged".to_owned(),
        ),
        GenerateError::Match(error) => schema_failure(error),
    })?;
    let text = String::from_utf8_lossy(&generated.bytes).into_owned();
    Ok(Answer {
        text,
        end: generated.end,
        stats: generated.stats,
        likelihood: generated.likelihood,
    })
}

/// Reports that the process is computing. One batch of a large model takes minutes on a small
/// machine. A process that is stuck uses no processor time and so gives no sign of life.
fn tell_signs_of_life() {
    let mut used = processor_time();
    loop {
        std::thread::sleep(ALIVE_EVERY);
        let now = processor_time();
        if now.saturating_sub(used) >= Duration::from_millis(5) {
            emit(&ChildEvent::Alive);
        }
        used = now;
    }
}

/// The processor time of all threads of this process.
fn processor_time() -> Duration {
    // SAFETY: the structure has only numbers, so all zeros is a valid value.
    #[allow(unsafe_code)]
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    #[allow(unsafe_code)]
    // SAFETY: the pointer is to a structure of our own, which the call fills in.
    let asked = unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    let time =
        |t: libc::timeval| Duration::new(t.tv_sec.max(0) as u64, t.tv_usec.max(0) as u32 * 1_000);
    if asked == 0 {
        time(usage.ru_utime) + time(usage.ru_stime)
    } else {
        Duration::ZERO
    }
}

/// Reports a failure of the constraint. Only a schema can fail.
fn schema_failure(error: MatchError) -> ChildFailure {
    ChildFailure::Schema(error.to_string())
}

fn emit(event: &ChildEvent) {
    let mut line = serde_json::to_vec(event).expect("events are plain data");
    line.push(b'\n');
    let mut stdout = std::io::stdout().lock();
    if stdout
        .write_all(&line)
        .and_then(|()| stdout.flush())
        .is_err()
    {
        exit_now(); // nobody reads the events any more
    }
}

/// Ends the process without any clean-up. Another thread may be computing, and llama.cpp's clean-up
/// would free the memory that it uses.
fn exit_now() -> ! {
    #[allow(unsafe_code)]
    // SAFETY: `_exit` takes a number and does not return.
    unsafe {
        libc::_exit(0)
    }
}
