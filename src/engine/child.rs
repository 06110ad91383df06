//! The model process. It reads commands from standard input and answers them on standard output,
//! one at a time.
//!
//! It ends when its input ends. So it never outlives its parent, however the parent ends.

use super::answer::Answer;
use super::device::DeviceChoice;
use super::draft::Sources;
use super::error::EngineError;
use super::generate::{
    Drafter, GenerateError, GenerateProgress, TokenModel, TokenRequest, generate,
};
use super::interface::Progress;
use super::llama::{Backends, KeptPrompt, LlamaDecoder, LlamaTokenizer, LoadedModel, Sequence};
use super::pace::Pace;
use super::prefix_cache::n_same;
use super::protocol::{ChildCommand, ChildEvent};
use super::request::{Part, Request, Weights};
use crate::constrain::free::FreeMatcher;
use crate::constrain::mask::{MatchError, Matcher, SlotMatcher, Spelling, TokenId, Tokenize};
use crate::constrain::{Constraint, SlotSpec, Spec};
use std::io::{BufRead, Write};
use std::sync::mpsc::{self, Receiver};
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
    let commands = read_commands();
    let load = match next_command(&commands) {
        Some(ChildCommand::Load(load)) => load,
        Some(ChildCommand::Devices) => match Backends::load(&DeviceChoice::Auto) {
            Ok(backends) => {
                emit(&ChildEvent::Devices(backends.devices()));
                exit_now()
            }
            Err(error) => fail_and_exit(EngineError::Process(error)),
        },
        _ => fail_and_exit(EngineError::Process(
            "the first command is to load a model".to_owned(),
        )),
    };
    let placing = |device: Option<&str>| emit(&ChildEvent::Placing(device.map(str::to_owned)));
    let progress = |step| emit(&ChildEvent::Progress(step));
    match LoadedModel::load(&load, placing, progress) {
        Ok(model) => {
            emit(&ChildEvent::Loaded(model.info()));
            serve(&model, &commands)
        }
        Err(error) => fail_and_exit(error),
    }
}

/// The lines of standard input. Its end ends the process, even in the middle of a computation, for
/// which nothing waits any more.
fn read_commands() -> Receiver<String> {
    let (send, commands) = mpsc::channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let _ = send.send(line);
        }
        exit_now();
    });
    commands
}

fn next_command(commands: &Receiver<String>) -> Option<ChildCommand> {
    let line = commands.recv().ok()?;
    match serde_json::from_str(&line) {
        Ok(command) => Some(command),
        Err(error) => fail_and_exit(EngineError::Process(error.to_string())),
    }
}

fn serve(model: &LoadedModel, commands: &Receiver<String>) -> ! {
    let mut kept = KeptContext {
        decoder: None,
        prompts: [KeptPrompt::default(); Sequence::ALL.len()],
        pace: Pace::default(),
    };
    while let Some(command) = next_command(commands) {
        emit(&match command {
            ChildCommand::CountTokens(texts) => ChildEvent::Counts(
                texts
                    .iter()
                    .map(|text| model.tokenizer().tokenize(text.as_bytes()).len())
                    .collect(),
            ),
            ChildCommand::Complete(request) => match complete(model, &mut kept, &request) {
                Ok(answer) => ChildEvent::Answer(answer),
                Err(error) => ChildEvent::Failed(error),
            },
            ChildCommand::Keep => {
                kept.keep_prompts();
                ChildEvent::Kept
            }
            ChildCommand::Load(_) | ChildCommand::Devices => {
                ChildEvent::Failed(EngineError::Process("a model is loaded already".to_owned()))
            }
        });
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
    ) -> Result<LlamaDecoder<'m>, EngineError> {
        let kept = self.prompts[sequence as usize];
        match self.decoder.take() {
            Some(decoder) => decoder.prepare(model, sequence, n_tokens, kept),
            // The other sequence will be about as long, so room for both is made at once.
            None => LlamaDecoder::new(model, 2 * n_tokens)
                .or_else(|_| LlamaDecoder::new(model, n_tokens))?
                .prepare(model, sequence, n_tokens, kept),
        }
    }

    /// Keeps the prompts on disk. The later stage comes first: its prompt may have all of the other
    /// one's.
    fn keep_prompts(&mut self) {
        let Some(decoder) = &mut self.decoder else {
            return;
        };
        for sequence in Sequence::ALL.into_iter().rev() {
            decoder.keep(sequence, self.prompts[sequence as usize]);
        }
    }
}

fn complete<'m>(
    model: &'m LoadedModel,
    kept: &mut KeptContext<'m>,
    request: &Request,
) -> Result<Answer, EngineError> {
    let tokenizer = model.tokenizer();
    let prompt = tokenizer.prompt(&request.prompt);
    let total = prompt.len();
    let answer_tokens = request.limits.answer_tokens;
    let max = model.max_prompt_tokens(answer_tokens);
    if prompt.is_empty() || total > max {
        return Err(EngineError::PromptTooLong {
            n_tokens: total,
            max,
        });
    }
    // Before what takes long.
    emit(&ChildEvent::Progress(Progress::Reading { done: 0, total }));

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
            let spelling = if model.profile().is_some() {
                Spelling::Exact
            } else {
                Spelling::Loose
            };
            &mut SlotMatcher::new(&constraint, model.trie()).with_spelling(spelling)
        }
    };
    let sources = match (&request.spec, &request.likely) {
        (Spec::Slots(slots), Some(likely)) => Some(Sources::new(slots, likely)),
        _ => None,
    };

    let sequence = sequence_of(request);
    kept.prompts[sequence as usize] = kept_prompt(&tokenizer, request, &prompt);
    let mut decoder = kept.decoder(model, sequence, total + answer_tokens + FORCED_TOKENS)?;
    let generated = generate(
        TokenModel {
            decoder: &mut decoder,
            tokenizer: &tokenizer,
        },
        matcher,
        TokenRequest {
            prompt: &prompt,
            limits: request.limits,
            sampling: request.sampling,
            given: request.given.as_ref(),
            branches: request.branches,
        },
        sources.as_ref().map(|sources| Drafter {
            sources,
            pace: &mut kept.pace,
        }),
        &mut progress_of(total),
    );
    kept.decoder = Some(decoder);

    let generated = generated.map_err(generate_failure)?;
    Ok(Answer {
        text: String::from_utf8_lossy(&generated.bytes).into_owned(),
        end: generated.end,
        stats: generated.stats,
        likelihood: generated.likelihood,
    })
}

fn sequence_of(request: &Request) -> Sequence {
    match &request.spec {
        _ if request.weights == Weights::Base => Sequence::Base,
        Spec::Slots(SlotSpec::Pick { .. }) => Sequence::Pick,
        _ => Sequence::Fill,
    }
}

/// What of a prompt later ones have too.
fn kept_prompt(tokenizer: &LlamaTokenizer, request: &Request, prompt: &[TokenId]) -> KeptPrompt {
    let (fixed, rest) = request.prompt.split_at(request.fixed_parts);
    // The last token may be another one where something else follows.
    let n_tokens = |parts: &[Part]| match parts {
        [] => 0,
        parts => n_same(&tokenizer.prompt(parts), prompt),
    };
    let n_fixed = n_tokens(fixed);
    let n_file = match rest.first() {
        Some(Part::Text(text)) if request.file_bytes > 0 => {
            let shown = Part::Text(text[..request.file_bytes].to_owned());
            n_tokens(&[fixed, &[shown]].concat())
        }
        _ => n_fixed,
    };
    KeptPrompt {
        n_tokens: prompt.len(),
        n_fixed,
        n_file,
    }
}

/// Reports the progress of an answer after a prompt of `total` tokens, not too often.
fn progress_of(total: usize) -> impl FnMut(GenerateProgress) {
    let mut last = Instant::now();
    move |step| {
        let progress = match step {
            GenerateProgress::Read(done) => Progress::Reading { done, total },
            GenerateProgress::Written(_) if last.elapsed() < PROGRESS_EVERY => return,
            GenerateProgress::Written(n_tokens) => Progress::Writing(n_tokens),
        };
        last = Instant::now();
        emit(&ChildEvent::Progress(progress));
    }
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

/// The processor time of all threads of this process; 0 if the system does not say.
fn processor_time() -> Duration {
    // SAFETY: the structure has only numbers, so all zeros is a valid value.
    #[allow(unsafe_code)]
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    #[allow(unsafe_code)]
    // SAFETY: the pointer is to a structure of our own, which the call fills in.
    let asked = unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    if asked == 0 {
        duration_of(usage.ru_utime) + duration_of(usage.ru_stime)
    } else {
        Duration::ZERO
    }
}

fn duration_of(time: libc::timeval) -> Duration {
    Duration::new(
        time.tv_sec.max(0) as u64,
        time.tv_usec.max(0) as u32 * 1_000,
    )
}

fn generate_failure(error: GenerateError<String>) -> EngineError {
    match error {
        GenerateError::Decode(reason) => EngineError::Compute { reason },
        GenerateError::NotANumber => EngineError::Compute {
            reason: "its weights give no numbers; the file is probably damaged".to_owned(),
        },
        GenerateError::Match(error) => schema_failure(error),
    }
}

/// Reports a failure of the constraint. Only a schema can fail.
fn schema_failure(error: MatchError) -> EngineError {
    EngineError::Schema {
        reason: error.to_string(),
    }
}

fn emit(event: &ChildEvent) {
    let mut line = serde_json::to_vec(event).expect("events are plain data");
    line.push(b'\n');
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(&line).and_then(|()| stdout.flush());
    if written.is_err() {
        exit_now(); // the parent does not read events any more
    }
}

fn fail_and_exit(error: EngineError) -> ! {
    emit(&ChildEvent::Failed(error));
    exit_now()
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
