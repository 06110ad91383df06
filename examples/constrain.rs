//! The token mask loop. A model of random numbers fills the slots of an edit, and every answer
//! fits the file all the same: `cargo run --example constrain`.
//!
//! A real engine does the same with the logits of a language model. It computes forced tokens in
//! one batch, without choosing anything.

use slotwright::constrain::mask::{MatchError, Matcher, SlotMatcher, TokenId, Tokenize};
use slotwright::constrain::{Constraint, SlotSpec};
use slotwright::engine::Sampling;
use slotwright::engine::choose::Chooser;
use slotwright::slots::{Operation, Slots};
use slotwright::text::Shown;
use toktrie::{INVALID_TOKEN, TokRxInfo, TokTrie};

const FILE: &str = "\
def load(path):
    timeout = 30
    return open(path), timeout
";

/// Every byte is a token, and so are some words.
struct Vocabulary {
    trie: TokTrie,
}

impl Vocabulary {
    fn new() -> Vocabulary {
        let bytes = (0..=255).map(|byte| vec![byte]);
        let words = [
            "def ", "load", "path", "timeout", " = ", "30", "60", "return ", "    ",
        ];
        let pieces: Vec<Vec<u8>> = bytes.chain(words.map(Vec::from)).collect();
        let info = TokRxInfo::new(pieces.len() as TokenId, INVALID_TOKEN);
        Vocabulary {
            trie: TokTrie::from(&info, &pieces),
        }
    }
}

/// The longest token that fits, again and again. A model brings its own tokenizer.
impl Tokenize for Vocabulary {
    fn tokenize(&self, text: &[u8]) -> Vec<TokenId> {
        self.trie.greedy_tokenize(text)
    }
}

/// A model that has learned nothing, except that a string should end some day.
struct RandomModel {
    n_tokens: usize,
    state: u64,
}

impl RandomModel {
    fn logits(&mut self) -> Vec<f32> {
        let mut logits: Vec<f32> = (0..self.n_tokens).map(|_| self.number()).collect();
        logits[usize::from(b'"')] += 3.5;
        logits
    }

    /// From 0 to 4 (splitmix64).
    fn number(&mut self) -> f32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1 << 22) as f32
    }
}

/// An answer, and how many of its tokens were chosen and how many there are.
struct Written {
    text: String,
    n_chosen: usize,
    n_tokens: usize,
}

fn write(
    constraint: &Constraint,
    vocabulary: &Vocabulary,
    model: &mut RandomModel,
) -> Result<Written, MatchError> {
    let mut matcher = SlotMatcher::new(constraint, &vocabulary.trie);
    let mut chooser = Chooser::new(Sampling::Greedy);
    let mut tokens: Vec<TokenId> = Vec::new();
    let mut n_chosen = 0;
    loop {
        // What leaves no choice is taken first. The token chosen last may be spelled anew with it.
        let last = tokens.last().copied().filter(|_| n_chosen > 0);
        let forced = matcher.take_forced(last, vocabulary)?;
        if forced.replaces_last {
            tokens.pop();
        }
        tokens.extend(forced.tokens);
        if matcher.is_complete() {
            let text = String::from_utf8_lossy(matcher.answer()).into_owned();
            return Ok(Written {
                text,
                n_chosen,
                n_tokens: tokens.len(),
            });
        }
        let logits = model.logits();
        let choice = chooser
            .choose(&logits, matcher.mask()?)
            .expect("some token is allowed");
        matcher.consume(choice.token)?;
        tokens.push(choice.token);
        n_chosen += 1;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let spec = SlotSpec::Replace {
        shown: Shown::whole(FILE),
        blocks: true,
    };
    let constraint = Constraint::new(&spec);
    let vocabulary = Vocabulary::new();
    let n_tokens = vocabulary.trie.vocab_size();
    for state in 0..8 {
        let mut model = RandomModel { n_tokens, state };
        let Written {
            text,
            n_chosen,
            n_tokens,
        } = write(&constraint, &vocabulary, &mut model)?;
        println!("{text}\n    {n_chosen} of {n_tokens} tokens chosen");
        let Slots::Replace(slots) = Slots::parse(Operation::Replace, &text)? else {
            unreachable!("these are the slots that were asked for")
        };
        assert!(
            FILE.contains(&slots.old),
            "the text to replace is in the file"
        );
    }
    Ok(())
}
