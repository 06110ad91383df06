//! JSON Schemas as constraints: tables of what is accepted, rejected and refused, in the shape of
//! the public JSON-Schema-Test-Suite (the cases are our own), byte by byte and with random choices.
//! What "valid" means is said by a validator, not by us.

use serde::Deserialize;
use serde_json::{Value, json};
use slotwright::constrain::mask::{MatchError, Matcher, TokenId, Tokenize};
use slotwright::constrain::schema::SchemaCompiler;
use toktrie::{TokRxInfo, TokTrie};

/// A table of what is accepted and rejected.
const CASES: &str = include_str!("../json_schema/cases.json");

/// A table of schemas that are refused, each with a word of the reason.
const REFUSED: &str = include_str!("../json_schema/refused.json");

#[derive(Deserialize)]
struct Case {
    description: String,
    schema: Value,
    tests: Vec<Example>,
}

#[derive(Deserialize)]
struct Example {
    description: String,
    data: Value,
    valid: bool,
}

#[derive(Deserialize)]
struct Refused {
    description: String,
    schema: Value,
    reason: String,
}

fn validator(schema: &Value) -> jsonschema::Validator {
    jsonschema::options()
        .should_validate_formats(true)
        .build(schema)
        .unwrap()
}

fn cases() -> Vec<Case> {
    serde_json::from_str(CASES).unwrap()
}

/// A vocabulary of every byte, more pieces, and a last token that ends an answer.
struct Vocabulary {
    trie: TokTrie,
    end: TokenId,
}

impl Vocabulary {
    fn of_bytes_and(pieces: &[&str]) -> Vocabulary {
        let mut words: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
        words.extend(pieces.iter().map(|piece| piece.as_bytes().to_vec()));
        let end = words.len() as TokenId;
        words.push(Vec::new());
        Vocabulary {
            trie: TokTrie::from(&TokRxInfo::new(words.len() as u32, end), &words),
            end,
        }
    }

    fn compiler(&self) -> SchemaCompiler {
        SchemaCompiler::new(&self.trie).unwrap()
    }
}

impl Tokenize for Vocabulary {
    fn tokenize(&self, text: &[u8]) -> Vec<TokenId> {
        self.trie.greedy_tokenize(text)
    }
}

/// Whether these bytes are a whole answer, and the bytes before the first that may not stand there.
fn accepts(
    matcher: &mut impl Matcher,
    vocabulary: &Vocabulary,
    text: &[u8],
) -> Result<(bool, usize), MatchError> {
    for (i, &byte) in text.iter().enumerate() {
        if matcher.is_complete() || !matcher.mask()?.is_allowed(TokenId::from(byte)) {
            return Ok((false, i));
        }
        matcher.consume(TokenId::from(byte))?;
        assert_eq!(matcher.answer(), &text[..=i]);
    }
    Ok((
        matcher.is_complete() || matcher.mask()?.is_allowed(vocabulary.end),
        text.len(),
    ))
}

#[test]
fn what_is_valid_is_accepted_and_nothing_else() {
    let vocabulary = Vocabulary::of_bytes_and(&[]);
    let compiler = vocabulary.compiler();
    let mut wrong = Vec::new();
    let mut n_examples = 0;
    for case in cases() {
        let validator = validator(&case.schema);
        for example in &case.tests {
            n_examples += 1;
            let name = format!("{}: {}", case.description, example.description);
            assert_eq!(
                validator.is_valid(&example.data),
                example.valid,
                "the table is wrong: {name}"
            );
            let text = serde_json::to_string(&example.data).unwrap();
            let mut matcher = compiler
                .compile(&case.schema)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            match accepts(&mut matcher, &vocabulary, text.as_bytes()) {
                Ok((accepted, _)) if accepted == example.valid => {}
                Ok((_, n_bytes)) => {
                    wrong.push(format!(
                        "{name}: {} | {}",
                        &text[..n_bytes],
                        &text[n_bytes..]
                    ));
                }
                Err(error) => wrong.push(format!("{name}: {error}")),
            }
        }
    }
    println!("{n_examples} examples");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_cannot_be_forced_is_refused_with_its_reason() {
    let compiler = Vocabulary::of_bytes_and(&[]).compiler();
    let refused: Vec<Refused> = serde_json::from_str(REFUSED).unwrap();
    let mut wrong = Vec::new();
    for case in &refused {
        match compiler.compile(&case.schema) {
            Err(error)
                if error.to_string().contains(&case.reason)
                    && !error.to_string().contains('\n') => {}
            Err(error) => wrong.push(format!("{}: {error}", case.description)),
            Ok(_) => wrong.push(format!("{}: not refused", case.description)),
        }
    }
    println!("{} schemas refused", refused.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn an_answer_is_written_in_one_way() {
    let vocabulary = Vocabulary::of_bytes_and(&[]);
    let compiler = vocabulary.compiler();
    let check = |schema: &Value, text: &str, expected: bool| {
        let mut matcher = compiler.compile(schema).unwrap();
        assert_eq!(
            accepts(&mut matcher, &vocabulary, text.as_bytes())
                .unwrap()
                .0,
            expected,
            "{schema}: {text:?}"
        );
    };
    let object = json!({
        "type": "object", "properties": {"b": {"type": "integer"}, "a": {"type": "integer"}}
    });
    check(&object, r#"{"b":1,"a":2}"#, true);
    check(&object, r#"{"a":2,"b":1}"#, false); // valid, but keys stand in the schema's order
    check(&object, r#"{"b":1,"a":2,"c":3}"#, true);
    check(&object, r#"{"c":3,"b":1}"#, false);
    for blanks in [
        r#" {"b":1}"#,
        r#"{ "b":1}"#,
        r#"{"b": 1}"#,
        r#"{"b":1 }"#,
        "{\"b\":1}\n",
        r#"{"b":1, "a":2}"#,
    ] {
        check(&object, blanks, false);
    }
    // A person's schema has no say in how it is compiled.
    let flexible =
        json!({"type": "object", "x-guidance": {"whitespace_flexible": true, "lenient": true}});
    check(&flexible, "{}", true);
    check(&flexible, "{ }", false);
    let lenient = json!({"type": "array", "uniqueItems": true, "x-guidance": {"lenient": true}});
    assert!(compiler.compile(&lenient).is_err());
}

/// FIXME: llguidance has no memory of the keys that it let through.
#[test]
fn an_additional_key_may_come_twice() {
    let vocabulary = Vocabulary::of_bytes_and(&[]);
    let schema =
        json!({"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 2});
    let mut matcher = vocabulary.compiler().compile(&schema).unwrap();
    assert!(
        accepts(&mut matcher, &vocabulary, br#"{"a":1,"a":2}"#)
            .unwrap()
            .0
    );
}

#[test]
fn a_token_that_may_not_stand_there_is_an_error() {
    let vocabulary = Vocabulary::of_bytes_and(&[]);
    let mut matcher = vocabulary
        .compiler()
        .compile(&json!({"type": "object"}))
        .unwrap();
    matcher.consume(TokenId::from(b'{')).unwrap();
    assert!(matcher.consume(TokenId::from(b'x')).is_err());
    assert!(matcher.consume(vocabulary.end).is_err());
    assert_eq!(matcher.answer(), b"{");
}

#[test]
fn a_number_ends_when_the_model_ends_it() {
    let vocabulary = Vocabulary::of_bytes_and(&[]);
    let compiler = vocabulary.compiler();
    let mut matcher = compiler.compile(&json!({"type": "integer"})).unwrap();
    assert!(!matcher.mask().unwrap().is_allowed(vocabulary.end));
    matcher.consume(TokenId::from(b'4')).unwrap();
    assert!(!matcher.is_complete());
    assert!(matcher.mask().unwrap().is_allowed(TokenId::from(b'2')));
    matcher.consume(vocabulary.end).unwrap();
    assert!(matcher.is_complete());
    assert_eq!(matcher.answer(), b"4");
    // Where nothing more may follow, nobody is asked.
    let mut matcher = compiler.compile(&json!({"const": 42})).unwrap();
    let forced = matcher.take_forced(None, &vocabulary).unwrap();
    assert_eq!((forced.tokens.len(), matcher.is_complete()), (2, true));
}

#[test]
fn the_limits_are_high_enough_for_every_path_of_a_large_project() {
    let vocabulary = Vocabulary::of_bytes_and(&[]);
    let compiler = vocabulary.compiler();
    let paths: Vec<String> = (0..20_000)
        .map(|i| format!("src/module_{}/part_{}/file_{i}.rs", i % 97, i % 13))
        .collect();
    let schema = json!({
        "type": "object", "properties": {"path": {"enum": paths}},
        "required": ["path"], "additionalProperties": false
    });
    let text = format!(r#"{{"path":"{}"}}"#, paths[12_345]);
    assert!(
        accepts(
            &mut compiler.compile(&schema).unwrap(),
            &vocabulary,
            text.as_bytes()
        )
        .unwrap()
        .0
    );
    assert!(
        !accepts(
            &mut compiler.compile(&schema).unwrap(),
            &vocabulary,
            br#"{"path":"src/other.rs"}"#
        )
        .unwrap()
        .0
    );
}

/// Chooses at random among the tokens allowed, rather the end of something than more of it.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn choose(&mut self, allowed: &[TokenId], vocabulary: &Vocabulary) -> TokenId {
        let ends = |token: &&TokenId| {
            **token == vocabulary.end
                || matches!(vocabulary.trie.token(**token), b"\"" | b"}" | b"]")
        };
        match allowed.iter().find(ends) {
            Some(&end) if self.below(4) == 0 => end,
            _ => allowed[self.below(allowed.len())],
        }
    }
}

/// Writes an answer at random, and says whether it came to an end.
fn write(
    matcher: &mut impl Matcher,
    vocabulary: &Vocabulary,
    random: &mut Random,
) -> Result<bool, MatchError> {
    let mut last = None;
    for _ in 0..400 {
        let before = matcher.answer().to_vec();
        let forced = matcher.take_forced(last, vocabulary)?;
        // Forced tokens spell what was added to the answer, with the token that they replace.
        let spelled: Vec<u8> = forced
            .tokens
            .iter()
            .flat_map(|&t| vocabulary.trie.token(t).to_vec())
            .collect();
        let n_replaced = if forced.replaces_last {
            vocabulary.trie.token(last.unwrap()).len()
        } else {
            0
        };
        assert_eq!(
            matcher.answer(),
            [&before[..before.len() - n_replaced], &spelled].concat()
        );
        if matcher.is_complete() {
            return Ok(true);
        }
        let allowed = matcher.mask()?.to_list();
        assert!(
            !allowed.is_empty(),
            "a dead end after {}",
            String::from_utf8_lossy(matcher.answer())
        );
        let token = random.choose(&allowed, vocabulary);
        matcher.consume(token)?;
        last = Some(token);
    }
    Ok(matcher.is_complete())
}

#[test]
fn whatever_is_written_is_valid() {
    let vocabularies = [
        Vocabulary::of_bytes_and(&[]),
        Vocabulary::of_bytes_and(&[
            "\":", "\",\"", "{\"", "\"}", "\"]", "ab", "name", "\":\"", "12", "\\n", "\\\"", "é",
            "tru", "rue", "null,",
        ]),
    ];
    let mut random = Random(1);
    let (mut n_complete, mut n_cut, mut n_beyond, mut n_repeated) = (0, 0, 0, 0);
    for vocabulary in &vocabularies {
        let compiler = vocabulary.compiler();
        for case in cases() {
            let validator = validator(&case.schema);
            let mut n_here = 0;
            for _ in 0..12 {
                let mut matcher = compiler.compile(&case.schema).unwrap();
                let ended = write(&mut matcher, vocabulary, &mut random)
                    .unwrap_or_else(|error| panic!("{}: {error}", case.description));
                let answer = String::from_utf8_lossy(matcher.answer()).into_owned();
                if !ended {
                    n_cut += 1;
                    continue;
                }
                let value: Value = match serde_json::from_str(&answer) {
                    Ok(value) => value,
                    // JSON, but no reader of doubles takes it.
                    Err(error) if error.to_string().starts_with("number out of range") => {
                        n_beyond += 1;
                        continue;
                    }
                    Err(error) => panic!("{}: {error}: {answer}", case.description),
                };
                // See `an_additional_key_may_come_twice`.
                if case.schema.get("minProperties").is_some()
                    && value.to_string().len() < answer.len()
                {
                    n_repeated += 1;
                    continue;
                }
                assert!(validator.is_valid(&value), "{}: {answer}", case.description);
                n_here += 1;
            }
            assert!(
                n_here > 0,
                "{}: none of its answers came to an end",
                case.description
            );
            n_complete += n_here;
        }
    }
    println!(
        "{n_complete} answers valid, {n_cut} cut off, {n_beyond} with a number beyond doubles, \
         {n_repeated} with a key twice"
    );
}

/// Our own slots as plain schemas, which know no file: what other programs would use.
#[test]
fn our_own_slots_as_plain_schemas() {
    use slotwright::slots::{Operation, Pick, Slots};
    let vocabulary =
        Vocabulary::of_bytes_and(&["\":\"", "\",\"", "{\"", "\"}", "old", "new", "text"]);
    let compiler = vocabulary.compiler();
    let mut random = Random(7);
    let operations = [
        None,
        Some(Operation::Replace),
        Some(Operation::ReplaceAll),
        Some(Operation::Insert),
        Some(Operation::Create),
    ];
    for (name, operation) in ["pick", "replace", "replace_all", "insert", "create"]
        .into_iter()
        .zip(operations)
    {
        let path =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schemas/{name}.json"));
        let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let mut n_complete = 0;
        for _ in 0..20 {
            let mut matcher = compiler
                .compile(&schema)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            if write(&mut matcher, &vocabulary, &mut random).unwrap() {
                let answer = String::from_utf8(matcher.answer().to_vec()).unwrap();
                match operation {
                    None => drop(
                        serde_json::from_str::<Pick>(&answer)
                            .unwrap_or_else(|error| panic!("{error}: {answer}")),
                    ),
                    Some(operation) => drop(
                        Slots::parse(operation, &answer)
                            .unwrap_or_else(|error| panic!("{error}: {answer}")),
                    ),
                }
                n_complete += 1;
            }
        }
        println!("{name}: {n_complete} of 20 complete");
        assert!(n_complete > 0, "{name}");
    }
}
