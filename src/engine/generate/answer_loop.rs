//! The loop that writes an answer.

use super::interface::{
    Decoder, Drafter, GenerateError, GenerateProgress, Generated, TokenModel, TokenRequest,
};
use super::writing::{Chosen, Drafted, Writing};
use crate::constrain::mask::{DraftStep, Matcher};
use crate::engine::answer::End;
use std::time::Instant;

/// The most tokens of a draft, forced ones included. They must fit into one batch.
const MOST_DRAFTED: usize = 256;

/// Reads a prompt of at least one token, and writes an answer with `matcher`, which must be at its
/// start. Without a drafter nothing is drafted.
pub fn generate<D: Decoder>(
    TokenModel { decoder, tokenizer }: TokenModel<D>,
    matcher: &mut dyn Matcher,
    request: TokenRequest,
    mut drafter: Option<Drafter>,
    progress: &mut dyn FnMut(GenerateProgress),
) -> Result<Generated, GenerateError<D::Error>> {
    let started = Instant::now();
    let prompt = request.prompt;
    let n_reused = decoder.begin(prompt);
    progress(GenerateProgress::Read(n_reused));
    let mut writing = Writing::begin(matcher, tokenizer, request, n_reused);
    // Tokens that are certain but not computed yet. `last` is the last of them if it was chosen.
    let mut waiting = prompt[n_reused..].to_vec();
    let mut last = None;
    let mut is_read = false;
    let end = loop {
        let written = writing.take_forced(last).map_err(GenerateError::Match)?;
        waiting.truncate(waiting.len() - usize::from(last.is_some()));
        waiting.extend(written);
        if let Some(end) = end_before(&mut writing, waiting.len(), decoder.room()) {
            break end;
        }

        let most = writing
            .n_left()
            .min(decoder.room() - waiting.len())
            .min(MOST_DRAFTED);
        let Drafted { reason, steps } = match &drafter {
            Some(drafter) if decoder.can_forget() => writing.draft(drafter, waiting.len(), most),
            _ => Drafted::default(),
        };
        let mut wanted = vec![waiting.len() - 1];
        for step in &steps {
            waiting.extend(&step.written);
            wanted.push(waiting.len() - 1);
        }

        let computing = Instant::now();
        decoder
            .decode(&waiting, &wanted, &mut |n| {
                if !is_read {
                    progress(GenerateProgress::Read((n_reused + n).min(prompt.len())));
                }
            })
            .map_err(GenerateError::Decode)?;
        if let Some(drafter) = &mut drafter {
            drafter.pace.computed(waiting.len(), computing.elapsed());
        }
        if is_read {
            writing.stats.evaluations += 1;
        } else {
            writing.stats.ms.prompt = started.elapsed().as_secs_f64() * 1e3;
            is_read = true;
        }

        let (n_right, next) = choose(&mut writing, decoder, &steps, progress)?;
        if let (Some(drafter), Some(reason)) = (&mut drafter, reason) {
            let n_tried = (n_right + 1).min(steps.len());
            drafter.pace.drafted(reason, n_tried, n_right);
        }
        let token = match next {
            Chosen::End(end) => break end,
            Chosen::Token(token) => token,
        };
        // The draft's tokens after the last right one.
        let n_wrong = waiting.len() - 1 - wanted[n_right];
        if n_wrong > 0 {
            decoder.forget(n_wrong).map_err(GenerateError::Decode)?;
        }
        waiting.clear();
        waiting.push(token);
        last = Some(token);
    };
    Ok(writing.finish(end, started))
}

/// Why the answer ends before `n_waiting` more tokens are computed, if it does.
fn end_before(writing: &mut Writing, n_waiting: usize, room: usize) -> Option<End> {
    if writing.is_complete() {
        Some(End::Complete)
    } else if writing.n_left() == 0 || n_waiting > room {
        Some(End::Budget)
    } else if writing.repeats_itself() {
        Some(End::Repeats)
    } else {
        None
    }
}

/// Chooses tokens as long as they agree with the draft. Returns how many agreed, and the last
/// choice.
fn choose<D: Decoder>(
    writing: &mut Writing,
    decoder: &D,
    steps: &[DraftStep],
    progress: &mut dyn FnMut(GenerateProgress),
) -> Result<(usize, Chosen), GenerateError<D::Error>> {
    let mut n_right = 0;
    loop {
        let chosen = writing.choose(decoder.logits(n_right))?;
        let Chosen::Token(token) = chosen else {
            return Ok((n_right, chosen));
        };
        let n_written = writing.stats.sampled_tokens + writing.stats.forced_tokens;
        progress(GenerateProgress::Written(n_written));
        let Some(step) = steps.get(n_right).filter(|step| step.choice == token) else {
            return Ok((n_right, chosen));
        };

        n_right += 1;
        writing.stats.accepted_tokens += 1;
        let written = writing
            .take_forced(Some(token))
            .map_err(GenerateError::Match)?;
        debug_assert_eq!(written, step.written, "a draft is spelled as the answer is");
        if writing.is_complete() {
            return Ok((n_right, Chosen::End(End::Complete)));
        }
        if writing.n_left() == 0 {
            return Ok((n_right, Chosen::End(End::Budget)));
        }
    }
}
