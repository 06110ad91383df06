//! How an answer is forced on a server: by what it takes, and by less where it refuses.

use super::*;

/// What forces the answer, question by question.
fn forms(server: &Server) -> Vec<String> {
    let form = |asked: &Asked| {
        let form = asked.body["response_format"]["type"].as_str();
        form.unwrap_or("text").to_owned()
    };
    server.questions().iter().map(form).collect()
}

#[tokio::test]
async fn a_server_that_refuses_schemas_is_asked_without() {
    let openai = "Invalid parameter: 'response_format' of type 'json_schema' \
                  is not supported with this model.";
    let fastapi = "[{'type': 'literal_error', 'loc': ['body', 'response_format', 'type']}]";
    let llama_cpp_python =
        "1 validation error: {'type': 'literal_error', 'loc': ('body', 'response_format', 'type')}";
    for (owned_by, status, words) in [
        ("openai", 400, openai),
        ("x", 422, fastapi),
        ("x", 400, "Unknown field"),
        ("me", 500, llama_cpp_python),
        ("llamacpp", 400, "json_schema: unsupported"),
        ("vllm", 400, "Grammar error: unimplemented keys"),
    ] {
        let server = Server::chat(owned_by, move |_, asked, to| {
            if asked.body["response_format"].is_null() {
                server::stream(to, STRICT_PICK)
            } else {
                server::refuse(to, status, words)
            }
        });
        let mut engine = connect(&server).await;
        assert_eq!(ask(&mut engine).await.unwrap().text, PICK, "{words}");
        assert_eq!(forms(&server), ["json_schema", "text"], "{words}");
        assert_eq!(
            engine.take_notes(),
            ["the server does not take a JSON Schema (response_format); \
                 it is asked with the words of the prompt alone instead"]
        );
        // It is remembered, by clones too, and said once.
        assert_eq!(ask(&mut engine.clone()).await.unwrap().text, PICK);
        assert_eq!(server.questions().len(), 3, "{words}");
        assert_eq!(engine.take_notes(), [""; 0]);
    }
}

#[tokio::test]
async fn a_refusal_that_nothing_helps_against_is_reported_and_forgotten() {
    let server = Server::chat("someone", |n, _, to| {
        if n < 2 {
            server::refuse(to, 400, "the moon is full")
        } else {
            server::stream(to, STRICT_PICK)
        }
    });
    let mut engine = connect(&server).await;
    says(ask(&mut engine).await, "answers 400: the moon is full");
    assert_eq!(forms(&server), ["json_schema", "text"]);
    assert_eq!(ask(&mut engine).await.unwrap().text, PICK);
    assert_eq!(forms(&server)[2], "json_schema", "it was not the form");
    assert_eq!(engine.take_notes(), [""; 0]);
}

#[tokio::test]
async fn a_server_that_does_not_heed_schemas_is_noticed() {
    // What it writes can be read all the same; the next question is asked with less.
    let server = Server::says(&[&format!("Sure!\n```json\n{PICK}\n```\n")]);
    let mut engine = connect(&server).await;
    for _ in 0..3 {
        assert_eq!(ask(&mut engine).await.unwrap().text, PICK);
    }
    assert_eq!(forms(&server), ["json_schema", "text", "text"]);
    let notes = engine.take_notes();
    assert_eq!(notes.len(), 1, "{notes:?}");
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
    assert_eq!(forms(&server), ["json_schema", "text"]);
    // What cannot be read is asked for again, and in the end given as it is.
    let server = Server::says(&["I would edit a.py."]);
    let answer = ask(&mut connect(&server).await).await.unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.end),
        ("I would edit a.py.", End::Complete)
    );
    assert_eq!(forms(&server), ["json_schema", "text"]);
}

#[tokio::test]
async fn parameters_that_a_server_does_not_take_are_left_out() {
    let server = Server::chat("someone", |_, asked, to| {
        let body = &asked.body;
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
            _ => server::stream(to, STRICT_PICK),
        }
    });
    let mut engine = connect(&server).await;
    assert_eq!(ask(&mut engine).await.unwrap().text, PICK);
    assert_eq!(ask(&mut engine).await.unwrap().text, PICK);
    assert_eq!(server.questions().len(), 5);
    assert_eq!(
        forms(&server),
        ["json_schema"; 5],
        "the form was not at fault"
    );
}
