//! How an answer is forced on a server: by what it takes, and by less where it refuses.

use super::*;

/// What forces the answer, question by question.
fn forms(server: &Server) -> Vec<String> {
    let form = |asked: &Asked| match &asked.body {
        body if body["response_format"].is_object() => {
            body["response_format"]["type"].as_str().unwrap().to_owned()
        }
        body => ["grammar", "structured_outputs", "guided_json"]
            .into_iter()
            .find(|key| !body[*key].is_null())
            .unwrap_or("text")
            .to_owned(),
    };
    server.questions().iter().map(form).collect()
}

/// A server that takes this form and refuses every other in these words.
async fn check_ladder(
    owned_by: &'static str,
    takes: &'static str,
    status: u16,
    words: &'static str,
    expected: &[&str],
) {
    let server = Server::chat(owned_by, move |_, asked, to| {
        let body = &asked.body;
        let is_taken = match takes {
            "text" => [
                "response_format",
                "grammar",
                "structured_outputs",
                "guided_json",
            ]
            .iter()
            .all(|key| body[*key].is_null()),
            "json_object" => body["response_format"]["type"] == "json_object",
            key => !body[key].is_null(),
        };
        if is_taken {
            server::stream(to, STRICT_PICK)
        } else {
            server::refuse(to, status, words)
        }
    });
    let mut engine = connect(&server).await;
    assert_eq!(ask(&mut engine).await.unwrap().text, PICK, "{words}");
    assert_eq!(forms(&server), expected, "{words}");
    let notes = engine.take_notes();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].starts_with(
            "the server does not take a JSON Schema (response_format); it is asked with "
        ),
        "{notes:?}"
    );
    // It is remembered, by clones too, and said once.
    assert_eq!(ask(&mut engine.clone()).await.unwrap().text, PICK);
    assert_eq!(server.questions().len(), expected.len() + 1, "{words}");
    assert_eq!(engine.take_notes(), [""; 0]);
}

#[tokio::test]
async fn a_server_that_refuses_schemas_is_asked_with_less() {
    let openai = "Invalid parameter: 'response_format' of type 'json_schema' \
                  is not supported with this model.";
    check_ladder(
        "openai",
        "json_object",
        400,
        openai,
        &["json_schema", "json_object"],
    )
    .await;
    let fastapi = "[{'type': 'literal_error', 'loc': ['body', 'response_format', 'type']}]";
    check_ladder(
        "x",
        "json_object",
        422,
        fastapi,
        &["json_schema", "json_object"],
    )
    .await;
    check_ladder(
        "x",
        "text",
        400,
        "Unknown field",
        &["json_schema", "json_object", "text"],
    )
    .await;
    let llama_cpp_python =
        "1 validation error: {'type': 'literal_error', 'loc': ('body', 'response_format', 'type')}";
    check_ladder(
        "me",
        "grammar",
        500,
        llama_cpp_python,
        &["json_schema", "grammar"],
    )
    .await;
    check_ladder(
        "llamacpp",
        "grammar",
        400,
        "json_schema: unsupported",
        &["json_schema", "grammar"],
    )
    .await;
    let vllm = "Grammar error: unimplemented keys";
    check_ladder(
        "vllm",
        "structured_outputs",
        400,
        vllm,
        &["json_schema", "structured_outputs"],
    )
    .await;
    check_ladder(
        "vllm",
        "guided_json",
        400,
        vllm,
        &["json_schema", "structured_outputs", "guided_json"],
    )
    .await;
    let all = [
        "json_schema",
        "structured_outputs",
        "guided_json",
        "json_object",
        "text",
    ];
    check_ladder("vllm", "text", 400, vllm, &all).await;
}

#[tokio::test]
async fn a_refusal_that_nothing_helps_against_is_reported_and_forgotten() {
    let server = Server::chat("someone", |n, _, to| {
        if n < 3 {
            server::refuse(to, 400, "the moon is full")
        } else {
            server::stream(to, STRICT_PICK)
        }
    });
    let mut engine = connect(&server).await;
    says(ask(&mut engine).await, "answers 400: the moon is full");
    assert_eq!(forms(&server), ["json_schema", "json_object", "text"]);
    assert_eq!(ask(&mut engine).await.unwrap().text, PICK);
    assert_eq!(forms(&server)[3], "json_schema", "it was not the form");
    assert_eq!(engine.take_notes(), [""; 0]);
}

#[tokio::test]
async fn a_server_that_does_not_heed_schemas_is_noticed() {
    // What it writes can be read all the same; the next question is asked with less.
    let server = Server::says(&[&format!("Sure!\n```json\n{PICK}\n```\n")]);
    let mut engine = connect(&server).await;
    for _ in 0..4 {
        assert_eq!(ask(&mut engine).await.unwrap().text, PICK);
    }
    assert_eq!(
        forms(&server),
        ["json_schema", "json_object", "text", "text"]
    );
    let notes = engine.take_notes();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(
        notes[0].starts_with("the server does not heed a JSON Schema"),
        "{notes:?}"
    );
    // A path that is none of the choices is a sign of it.
    let server = Server::says(&[r#"{"path":"b.py","operation":"replace","reason":""}"#, PICK]);
    let mut engine = connect(&server).await;
    assert!(
        ask(&mut engine).await.unwrap().text.contains("b.py"),
        "whoever asked says what is wrong with it"
    );
    assert_eq!(ask(&mut engine).await.unwrap().text, PICK);
    assert_eq!(forms(&server), ["json_schema", "json_object"]);
    // Which keys an object has no server forces without a schema.
    let server = Server::says(&[r#"{"file":"a.py"}"#]);
    let mut engine = connect(&server).await;
    assert_eq!(ask(&mut engine).await.unwrap().text, r#"{"file":"a.py"}"#);
    assert_eq!(forms(&server), ["json_schema", "json_object"]);
    // What cannot be read is asked for again, and in the end given as it is.
    let server = Server::says(&["I would edit a.py."]);
    let answer = ask(&mut connect(&server).await).await.unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.end),
        ("I would edit a.py.", End::Complete)
    );
    assert_eq!(forms(&server), ["json_schema", "json_object", "text"]);
}

#[tokio::test]
async fn parameters_that_a_server_does_not_take_are_left_out() {
    let server = Server::chat("someone", |_, asked, to| {
        let body = &asked.body;
        let system = body["messages"][0]["role"] == "system";
        match () {
            _ if !body["max_tokens"].is_null() => server::refuse(
                to,
                400,
                "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            ),
            _ if !body["temperature"].is_null() => {
                server::refuse(to, 400, "'temperature' does not support 0 with this model.")
            }
            _ if !body["stream_options"].is_null() => {
                server::refuse(to, 422, "stream_options: extra fields not permitted")
            }
            _ if system => server::refuse(to, 400, "System role not supported"),
            _ => server::stream(to, STRICT_PICK),
        }
    });
    let mut engine = connect(&server).await;
    assert_eq!(ask(&mut engine).await.unwrap().text, PICK);
    assert_eq!(ask(&mut engine).await.unwrap().text, PICK);
    assert_eq!(server.questions().len(), 6);
    assert_eq!(
        forms(&server),
        ["json_schema"; 6],
        "the form was not at fault"
    );
}
