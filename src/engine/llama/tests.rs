//! Tests with the vocabularies of real models, if their folder is present.

use super::log;
use super::tokenizer::{LlamaTokenizer, markup, vocabulary};
use crate::constrain::mask::{SlotMatcher, TokenId, Tokenize};
use crate::constrain::schema::SchemaCompiler;
use crate::constrain::{Constraint, NoEdit, PickFile, SlotSpec};
use crate::engine::draft::Sources;
use crate::engine::generate::tests::RandomLogits;
use crate::engine::generate::{Drafter, TokenModel, TokenRequest, generate};
use crate::engine::pace::Pace;
use crate::engine::{End, Limits, Part, Sampling};
use crate::slots::{Operation, Slots};
use crate::text::Shown;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token_type::LlamaTokenAttr;
use std::path::Path;

const TEXTS: [&str; 9] = [
    concat!(
        "fn main() {\n    println!(\"hello\");\n}\n\n\n",
        "fn f(x: &str) -> usize {\n\tx.len() // \\n \\\\ \"q\"\n}",
    ),
    "same line\nsame line\nsame line\n  same line",
    concat!(
        "\u{8fd9}\u{662f}\u{4e00}\u{4e2a}\u{6d4b}\u{8bd5}\u{3002} ",
        "\u{3053}\u{3093}\u{306b}\u{3061}\u{306f} \u{c548}\u{b155}",
    ),
    concat!(
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} e\u{301} ",
        "\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{10ffff}\u{fffd}",
    ),
    "<|im_end|> <s> </s> <end_of_turn> <|eot_id|> [INST] <0x0A> \u{2581}x \u{120}y",
    " leading and trailing ",
    "\n\n\nx\n\n",
    "\u{1b}[0m \u{c} \r \u{7f} \u{b}",
    "0123456789 1e-10 a_b.c::d->e ==== \"}\n{\"old\":\"x\"}",
];

fn specs(text: &str) -> [SlotSpec; 5] {
    let shown = Shown::whole(text);
    let files = ["src/main.rs", "\u{e9}t\u{e9} \"q\".py", "a"].map(|path| PickFile {
        path: path.to_owned(),
        operations: Operation::ALL[..3].to_vec(),
    });
    [
        SlotSpec::Pick {
            files: files.to_vec(),
            may_create: true,
            goes_on: false,
            no_edit: NoEdit::ForAnyReason,
        },
        SlotSpec::Replace {
            shown: shown.clone(),
            blocks: true,
        },
        SlotSpec::ReplaceAll {
            shown: shown.clone(),
        },
        SlotSpec::Insert {
            shown,
            side_first: false,
        },
        SlotSpec::Create {
            existing: vec!["src/main.rs".to_owned()],
            spelled: vec![],
        },
    ]
}

/// Real vocabularies; none if their folder is missing.
fn real_models() -> Vec<(String, LlamaModel)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vocabs");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: there is no folder of vocabularies beside the project");
        return Vec::new();
    };
    log::capture(log::LogTo::Nowhere);
    // The backend can be initialised only once, so no test may drop it.
    static BACKEND: std::sync::OnceLock<LlamaBackend> = std::sync::OnceLock::new();
    let backend = BACKEND.get_or_init(|| LlamaBackend::init().unwrap());
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let load = |path: &std::path::PathBuf| {
        let params = LlamaModelParams::default().with_vocab_only(true);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (
            name,
            LlamaModel::load_from_file(backend, path, &params).unwrap(),
        )
    };
    paths.iter().map(load).collect()
}

/// File text never becomes a control token, whatever markup it spells. Our own markup is spelled as
/// written, whitespace included.
#[test]
fn real_vocabularies_keep_text_and_markup_apart() {
    for (name, model) in real_models() {
        let (trie, markup) = (vocabulary(&model).unwrap(), markup(&model));
        let vocabulary = LlamaTokenizer {
            model: &model,
            trie: &trie,
            markup: &markup,
        };
        let vocab = model.vocab();
        let piece = |token: LlamaToken| vocab.token_to_piece(token, true, None);
        let is_control = |token: LlamaToken| {
            let attributes = vocab.attr(token);
            attributes.contains(LlamaTokenAttr::Control)
                || vocab.is_eog(token)
                || markup.contains(&piece(token))
        };
        let controls: std::collections::HashSet<TokenId> = vocab
            .tokens()
            .filter(|&token| is_control(token))
            .map(|token| token.0 as TokenId)
            .collect();
        for &control in &controls {
            let spelled = String::from_utf8(piece(LlamaToken(control as i32))).unwrap();
            for text in [
                spelled.clone(),
                format!("x{spelled}y"),
                format!("\n {spelled}{spelled}\n"),
            ] {
                let tokens = vocabulary.tokenize(text.as_bytes());
                assert!(
                    !tokens.iter().any(|token| controls.contains(token)),
                    "{name}: {text:?}"
                );
                if vocabulary.spell(&trie.greedy_tokenize(text.as_bytes())) == text.as_bytes() {
                    assert_eq!(
                        String::from_utf8_lossy(&vocabulary.spell(&tokens)),
                        text,
                        "{name}"
                    );
                }
            }
        }
        let prompt = [
            Part::Control("[A]\n".to_owned()),
            Part::Text("text".to_owned()),
            Part::Control("[B]".to_owned()),
            Part::Text(" more".to_owned()),
            Part::Control("\n[C]".to_owned()),
        ];
        let spelled: Vec<u8> = vocabulary
            .prompt(&prompt)
            .iter()
            .flat_map(|&t| piece(LlamaToken(t as i32)))
            .collect();
        let spelled = String::from_utf8(spelled).unwrap();
        assert!(
            spelled.ends_with("[A]\ntext[B] more\n[C]"),
            "{name}: {spelled:?}"
        );
        println!(
            "{name}: {} control tokens, none of them read in text",
            controls.len()
        );
    }
}

/// Text tokenized by a real vocabulary is the same text again. Random answers are complete or cut
/// off.
#[test]
fn real_vocabularies() {
    let request = TokenRequest {
        prompt: &[0],
        limits: Limits { answer_tokens: 80 },
        sampling: Sampling::Greedy,
        given: None,
        branches: 0,
    };
    for (name, model) in real_models() {
        let trie = vocabulary(&model).unwrap();
        let markup = markup(&model);
        let vocabulary = LlamaTokenizer {
            model: &model,
            trie: &trie,
            markup: &markup,
        };
        let (mut n_complete, mut n_cut, mut n_forced, mut n_sampled) = (0, 0, 0, 0);
        for (seed, text) in (1..).zip(TEXTS) {
            // Some vocabularies have no token for some byte. Then no answer can have that byte.
            if vocabulary.spell(&trie.greedy_tokenize(text.as_bytes())) == text.as_bytes() {
                let spelled = vocabulary.spell(&vocabulary.tokenize(text.as_bytes()));
                assert_eq!(String::from_utf8_lossy(&spelled), text, "{name}");
            }
            for spec in specs(text) {
                let constraint = Constraint::new(&spec);
                let write = |drafter: Option<Drafter>| {
                    let mut decoder = RandomLogits::new(trie.vocab_size(), seed);
                    let mut matcher = SlotMatcher::new(&constraint, &trie);
                    let model = TokenModel {
                        decoder: &mut decoder,
                        tokenizer: &vocabulary,
                    };
                    generate(model, &mut matcher, request, drafter, &mut |_| {}).unwrap()
                };
                let generated = write(None);
                let sources = Sources::new(&spec, &[text.to_owned()]);
                let mut pace = Pace::default();
                let drafted = write(Some(Drafter {
                    sources: &sources,
                    pace: &mut pace,
                }));
                assert_eq!(
                    drafted.bytes, generated.bytes,
                    "{name}: a draft changes nothing"
                );
                n_forced += generated.stats.forced_tokens;
                n_sampled += generated.stats.sampled_tokens;
                if generated.end != End::Complete {
                    n_cut += 1;
                    continue;
                }
                n_complete += 1;
                let answer = String::from_utf8(generated.bytes).unwrap();
                assert!(constraint.accepts(answer.as_bytes()), "{name}: {answer}");
                if let Some(operation) = spec.operation() {
                    Slots::parse(operation, &answer).unwrap();
                }
            }
        }
        println!("{name}: {n_complete} complete, {n_cut} cut off");
        println!("{name}: {n_forced} tokens forced, {n_sampled} sampled");
        assert!(n_complete > 0 && n_forced > 0);
        let compiler = SchemaCompiler::new(&trie).unwrap();
        let schema = schemars::schema_for!(Vec<Operation>).to_value();
        let mut n_complete = 0;
        for seed in 1..5 {
            let mut matcher = compiler.compile(&schema).unwrap();
            let mut decoder = RandomLogits::new(trie.vocab_size(), seed);
            let model = TokenModel {
                decoder: &mut decoder,
                tokenizer: &vocabulary,
            };
            let generated = generate(model, &mut matcher, request, None, &mut |_| {}).unwrap();
            if generated.end == End::Complete {
                serde_json::from_slice::<Vec<Operation>>(&generated.bytes).unwrap();
                n_complete += 1;
            }
        }
        assert!(
            n_complete > 0,
            "{name}: no answer to a schema came to an end"
        );
    }
}
