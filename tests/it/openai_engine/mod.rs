//! A model on a server, with a server of our own that does what servers do: answers in each of
//! their ways, refuses, breaks off, never ends. Every failure is a clear message, and the next
//! request works.

mod forms;

use crate::support::server::{self, Asked, Server, To};
use serde_json::{Value, json};
use slotwright::constrain::{NoEdit, PickFile, SlotSpec, Spec};
use slotwright::engine::openai::{Address, ApiKey, OpenAi, Patience, ServerError};
use slotwright::engine::{Answer, End, Engine, EngineError, Limits, Part, Request, Sampling};
use slotwright::slots::Operation;
use std::io;
use std::time::Duration;

const PICK: &str = r#"{"path":"a.py","operation":"replace"}"#;
const STRICT_PICK: &str = r#"{"path":"a.py","operation":"replace","reason":""}"#;

/// Waits long enough for any machine, and tries again at once.
fn patience() -> Patience {
    Patience {
        pause: Duration::from_millis(1),
        ..Patience::with_silence(Duration::from_secs(60))
    }
}

/// Gives up soon: for servers that say nothing at all.
fn impatience() -> Patience {
    let soon = Duration::from_millis(300);
    Patience {
        first: soon,
        between: soon,
        ..patience()
    }
}

async fn connect_to(reference: &str, patience: Patience) -> Result<OpenAi, ServerError> {
    OpenAi::connect(Address::parse(reference).unwrap(), None, patience).await
}

async fn connect(server: &Server) -> OpenAi {
    connect_to(&server.model("m"), patience()).await.unwrap()
}

fn request() -> Request {
    let files = vec![PickFile {
        path: "a.py".to_owned(),
        operations: vec![Operation::Replace, Operation::Insert],
    }];
    Request {
        prompt: vec![
            Part::Control("system".to_owned()),
            Part::Text("You edit.".to_owned()),
            Part::Control("user".to_owned()),
            Part::Text("Which file?".to_owned()),
        ],
        spec: Spec::Slots(SlotSpec::Pick {
            files,
            may_create: true,
            goes_on: false,
            no_edit: NoEdit::ForAnyReason,
        }),
        limits: Limits { answer_tokens: 50 },
        sampling: Sampling::Greedy,
        fixed_parts: 0,
        file_bytes: 0,
        weights: slotwright::engine::Weights::Adapted,
        likely: None,
        given: None,
        branches: 0,
    }
}

async fn ask(engine: &mut OpenAi) -> Result<Answer, EngineError> {
    engine.complete(&request(), &mut |_| {}).await
}

/// The error says this, and with a server that answers from then on the next request works.
#[track_caller]
fn says(result: Result<Answer, EngineError>, part: &str) {
    let error = result.expect_err(part).to_string();
    assert!(error.contains(part), "{part:?} is not in {error:?}");
    assert!(error.len() < 600 && !error.contains('\n'), "{error}");
}

/// The first questions are answered like this, the others well; the error says this, and the
/// request after it works.
async fn check_failure(
    n_failing: usize,
    fail: impl Fn(&Asked, To) -> io::Result<()> + Send + Sync + 'static,
    part: &str,
) -> Server {
    let server = Server::chat("someone", move |n, asked, to| {
        if n < n_failing {
            fail(asked, to)
        } else {
            server::stream(to, STRICT_PICK)
        }
    });
    let mut engine = connect(&server).await;
    says(ask(&mut engine).await, part);
    assert_eq!(
        ask(&mut engine).await.unwrap().text,
        PICK,
        "the next request works"
    );
    assert_eq!(
        server.questions().len(),
        n_failing + 1,
        "nothing was asked in vain"
    );
    server
}

/// The first questions are answered like this, and nobody notices.
async fn check_passes(
    n_failing: usize,
    fail: impl Fn(usize, To) -> io::Result<()> + Send + Sync + 'static,
) -> Server {
    let server = Server::chat("someone", move |n, _, to| {
        if n < n_failing {
            fail(n, to)
        } else {
            server::stream(to, STRICT_PICK)
        }
    });
    let mut engine = connect(&server).await;
    assert_eq!(ask(&mut engine).await.unwrap().text, PICK);
    assert_eq!(server.questions().len(), n_failing + 1);
    server
}

#[tokio::test]
async fn a_question_is_two_messages_and_a_strict_schema() {
    let server = Server::says(&[STRICT_PICK]);
    let mut engine = connect(&server).await;
    let answer = ask(&mut engine).await.unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.end),
        (PICK, End::Complete),
        "empty keys say nothing"
    );
    assert_eq!(
        (answer.stats.prompt_tokens, answer.stats.sampled_tokens),
        (11, 7)
    );
    assert!(!engine.forces_answers());
    assert_eq!(engine.take_notes(), [""; 0]);
    let body = &server.questions()[0].body;
    let messages = json!([
        {"role": "system", "content": "You edit."}, {"role": "user", "content": "Which file?"}
    ]);
    assert_eq!(
        (&body["messages"], &body["model"]),
        (&messages, &json!("m"))
    );
    assert_eq!(
        (&body["temperature"], &body["max_tokens"], &body["stream"]),
        (&json!(0.0), &json!(50), &json!(true))
    );
    let format = &body["response_format"];
    assert_eq!(
        (&format["type"], &format["json_schema"]["strict"]),
        (&json!("json_schema"), &json!(true))
    );
    assert_eq!(
        format["json_schema"]["schema"]["properties"]["path"]["enum"],
        json!(["a.py", ""])
    );
    assert!(
        !server.asked()[0].headers.contains("uthorization"),
        "there is no key"
    );
}

#[tokio::test]
async fn an_answer_in_one_piece_is_read_too() {
    let whole = json!({
        "choices": [{"message": {"content": STRICT_PICK}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3}
    });
    let server = Server::chat("someone", move |_, _, to| {
        server::whole(
            to,
            200,
            "application/json; charset=utf-8",
            &whole.to_string(),
        )
    });
    let answer = ask(&mut connect(&server).await).await.unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.stats.prompt_tokens),
        (PICK, 3)
    );
}

#[tokio::test]
async fn an_answer_that_is_as_long_as_it_may_get_is_truncated() {
    let server = Server::chat("someone", |_, _, to| {
        server::head(to, 200, "text/event-stream", "")?;
        to.write_all((server::event(r#"{"path":"a."#) + &server::end("length")).as_bytes())
    });
    let answer = ask(&mut connect(&server).await).await.unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.end),
        (r#"{"path":"a."#, End::Budget)
    );
    assert_eq!(server.questions().len(), 1);
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_truncated() {
    // What the model writes may spell the server's mark for the end of a message.
    let server = Server::says(&[r#"{"path":"a."#]);
    let mut engine = connect(&server).await;
    assert_eq!(ask(&mut engine).await.unwrap().end, End::Budget);
    assert_eq!((server.questions().len(), engine.take_notes()), (1, vec![]));
}

#[tokio::test]
async fn a_model_that_thinks_gets_room_for_it() {
    let thinks = |to: To, answer: &str, reason: &str| {
        server::head(to, 200, "text/event-stream", "")?;
        let thought = json!({"choices": [{"delta": {"reasoning_content": "hm"}}]});
        write!(
            to,
            "data: {thought}\n\n{}{}",
            server::event(answer),
            server::end(reason)
        )
    };
    let server = Server::chat("someone", move |n, _, to| {
        if n == 0 {
            thinks(to, "", "length")
        } else {
            thinks(to, STRICT_PICK, "stop")
        }
    });
    let mut engine = connect(&server).await;
    assert_eq!(ask(&mut engine).await.unwrap().text, PICK);
    assert_eq!(
        server
            .questions()
            .iter()
            .map(|asked| asked.body["max_tokens"].as_u64().unwrap())
            .collect::<Vec<_>>(),
        [50, 4_146]
    );
    let server = Server::says(&[
        "<think>perhaps {\"path\":\"b\",\"operation\":\"insert\"}?</think>\
        \n{\"path\":\"a.py\",\"operation\":\"replace\"}",
    ]);
    assert_eq!(ask(&mut connect(&server).await).await.unwrap().text, PICK);
}

#[tokio::test]
async fn a_cut_stream_is_asked_for_once_anew() {
    fn cut(to: To) -> io::Result<()> {
        server::head(to, 200, "text/event-stream", "")?;
        to.write_all(server::event(r#"{"path":"#).as_bytes())
    }
    check_passes(1, |_, to| cut(to)).await;
    check_passes(1, |_, to| {
        server::head(to, 200, "text/event-stream", "")?;
        to.write_all(b"data: {\"choices\": [{\"del")
    })
    .await;
    check_passes(1, |_, to| {
        server::head(to, 200, "text/event-stream", "Content-Length: 5000\r\n")?;
        to.write_all(server::event("{").as_bytes())
    })
    .await;
    check_failure(
        2,
        |_, to| cut(to),
        "was cut off: it ended before it was complete",
    )
    .await;
}

#[tokio::test]
async fn a_busy_server_is_asked_again() {
    check_passes(1, |_, to| {
        server::head(to, 429, "application/json", "Retry-After: 0\r\n")?;
        to.write_all(b"{\"error\":{\"message\":\"slow down\"}}")
    })
    .await;
    check_passes(3, |n, to| {
        server::whole(
            to,
            [500, 502, 503][n],
            "text/html",
            "<html><title>Bad Gateway</title>",
        )
    })
    .await;
    // llama.cpp's server while it loads a model: longer than a failing server is waited for.
    check_passes(6, |_, to| server::refuse(to, 503, "Loading model")).await;
    let busy = |_: &Asked, to: To| server::whole(to, 429, "text/plain", "slow down");
    check_failure(4, busy, "answers 429: slow down").await;
    let later = |_: &Asked, to: To| {
        server::head(to, 429, "application/json", "Retry-After: 3600\r\n")?;
        to.write_all(b"{\"error\":{\"message\":\"slow down\"}}")
    };
    check_failure(1, later, "is busy (429) and asks to wait 3600 seconds").await;
    let quota = |_: &Asked, to: To| {
        let error =
            json!({"error": {"message": "You exceeded your quota.", "code": "insufficient_quota"}});
        server::whole(to, 429, "application/json", &error.to_string())
    };
    check_failure(1, quota, "answers 429: You exceeded your quota.").await;
}

#[tokio::test]
async fn a_retry_comes_no_sooner_than_it_is_asked_for() {
    let server = Server::chat("someone", |n, _, to| match n {
        0 => {
            server::head(to, 429, "application/json", "Retry-After: 1\r\n")?;
            to.write_all(b"{}")
        }
        _ => server::stream(to, STRICT_PICK),
    });
    let mut engine = connect(&server).await;
    let began = std::time::Instant::now();
    assert_eq!(ask(&mut engine).await.unwrap().text, PICK);
    assert!(began.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn a_server_that_fails_is_given_up() {
    let failing = |_: &Asked, to: To| server::refuse(to, 500, "CUDA out\nof \u{1b}[31mmemory");
    check_failure(4, failing, "answers 500: CUDA out of [31mmemory").await;
    let forbidden = |_: &Asked, to: To| server::refuse(to, 401, "no such key");
    check_failure(1, forbidden, "answers 401: no such key").await;
    let within = |_: &Asked, to: To| {
        server::head(to, 200, "text/event-stream", "")?;
        write!(
            to,
            "{}data: {}\n\n",
            server::event("{"),
            json!({"error": {"message": "the slot was lost", "code": 500}})
        )
    };
    check_failure(1, within, "answers 500: the slot was lost").await;
    let too_long = |_: &Asked, to: To| {
        server::refuse(
            to,
            400,
            "This model's maximum context length is 4096 tokens.",
        )
    };
    check_failure(1, too_long, "answers 400: This model's maximum context").await;
}

#[tokio::test]
async fn what_is_no_api_is_told_so() {
    let page = |_: &Asked, to: To| {
        server::whole(
            to,
            200,
            "text/html",
            "<html><head><title>Log in</title></head></html>",
        )
    };
    check_failure(
        1,
        page,
        "does not answer like an OpenAI-compatible server: text/html: a web page (\"Log in\")",
    )
    .await;
    let page = |_: &Asked, to: To| server::whole(to, 404, "text/html", "<h1>Not Found</h1>");
    check_failure(
        1,
        page,
        "does not answer like an OpenAI-compatible server: 404 and a web page",
    )
    .await;
    let plain = |_: &Asked, to: To| server::whole(to, 200, "text/plain", "hello");
    check_failure(1, plain, "text/plain: hello").await;
    let other = |_: &Asked, to: To| server::whole(to, 200, "application/json", "[1, 2]");
    check_failure(1, other, "application/json: [1, 2]").await;
    let other = |_: &Asked, to: To| {
        server::head(to, 200, "text/event-stream", "")?;
        to.write_all(b"data: tick\n\ndata: tock\n\n")
    };
    check_failure(1, other, "text/event-stream: tick").await;
    let server =
        Server::new(|_, to| server::whole(to, 200, "text/html", "<title>It works!</title>"));
    let error = connect_to(&server.model("m"), patience())
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("does not answer like") && error.contains("It works!"),
        "{error}"
    );
}

#[tokio::test]
async fn an_answer_without_end_is_ended() {
    // Text for ever; comments for ever; one event for ever; 100 MB of JSON.
    let endless = |piece: String| {
        move |_: &Asked, to: To| {
            server::head(to, 200, "text/event-stream", "")?;
            loop {
                to.write_all(piece.as_bytes())?;
            }
        }
    };
    check_failure(
        1,
        endless(server::event("again and again ")),
        "sends more than an answer can have",
    )
    .await;
    check_failure(
        1,
        endless(": still alive\n\n".to_owned()),
        "sends more than an answer can have",
    )
    .await;
    check_failure(
        1,
        endless("data: ".to_owned()),
        "sends more than an answer can have",
    )
    .await;
    let huge = |_: &Asked, to: To| {
        server::head(to, 200, "application/json", "Content-Length: 100000000\r\n")?;
        (0..100).try_for_each(|_| to.write_all(&[b' '; 1_000_000]))
    };
    check_failure(
        1,
        huge,
        "sends more than an answer can have (over 16777216 bytes)",
    )
    .await;
    let huge_refusal = |_: &Asked, to: To| {
        server::head(to, 401, "text/plain", "Content-Length: 100000000\r\n")?;
        (0..100).try_for_each(|_| to.write_all(&[b'x'; 1_000_000]))
    };
    check_failure(1, huge_refusal, "answers 401").await;
}

#[tokio::test]
async fn a_silent_server_is_given_up() {
    let hold = || std::thread::sleep(Duration::from_secs(20));
    let server = Server::chat("someone", move |_, _, _| {
        hold();
        Ok(())
    });
    let mut engine = connect_to(
        &server.model("m"),
        Patience {
            first: Duration::from_secs(5),
            ..impatience()
        },
    )
    .await
    .unwrap();
    says(
        ask(&mut engine).await,
        "has not begun to answer for 5 seconds",
    );
    let server = Server::chat("someone", move |_, _, to| {
        server::head(to, 200, "text/event-stream", "")?;
        to.write_all(server::event("{").as_bytes())?;
        to.flush()?;
        hold();
        Ok(())
    });
    let mut engine = connect_to(
        &server.model("m"),
        Patience {
            between: Duration::from_secs(5),
            ..patience()
        },
    )
    .await
    .unwrap();
    says(
        ask(&mut engine).await,
        "has not gone on with its answer for 5 seconds",
    );
    // One that says a little now and then is never silent for long.
    let server = Server::chat("someone", move |_, _, to| {
        server::head(to, 200, "text/event-stream", "")?;
        loop {
            to.write_all(b": wait\n\n")?;
            to.flush()?;
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    let mut engine = connect_to(
        &server.model("m"),
        Patience {
            whole: Duration::from_secs(3),
            ..patience()
        },
    )
    .await
    .unwrap();
    says(
        ask(&mut engine).await,
        "has not finished its answer for 3 seconds",
    );
}

#[tokio::test]
async fn nobody_is_there() {
    let error = connect_to(&server::nobody(), patience())
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("cannot reach http://127.0.0.1:") && error.contains("refused"),
        "{error}"
    );
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Server::says(&[STRICT_PICK]);
    let to_there = format!("Location: {}/chat/completions\r\n", elsewhere.address);
    let redirect = move |_: &Asked, to: To| server::head(to, 307, "text/plain", &to_there);
    check_failure(1, redirect, "redirects to http://127.0.0.1:").await;
    assert!(elsewhere.asked().is_empty(), "nothing went there");
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused() {
    let server = Server::with_tls(|_, to| server::models(to, "someone", &["m"]));
    let error = connect_to(&server.model("m"), patience())
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with(&format!(
            "the certificate of {} is not trusted: ",
            server.address
        )),
        "{error}"
    );
    assert!(server.asked().is_empty(), "nothing was sent");
}

#[tokio::test]
async fn models_are_found_by_name() {
    let one = Server::chat("someone", |_, _, to| server::stream(to, STRICT_PICK));
    assert_eq!(
        connect_to(&one.address, patience())
            .await
            .unwrap()
            .model()
            .name,
        "m"
    );
    let several = Server::new(|asked, to| match asked.path.as_str() {
        "/v1/models" => server::models(to, "someone", &["small", "large"]),
        _ => server::refuse(
            to,
            404,
            "The model `huge` does not exist or you do not have access to it.",
        ),
    });
    let error = connect_to(&several.address, patience())
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("has not exactly one model, and none was named; it has small, large"),
        "{error}"
    );
    let mut engine = connect_to(&several.model("huge"), patience())
        .await
        .unwrap();
    says(
        ask(&mut engine).await,
        "has no model \"huge\"; it has small, large",
    );
    assert_eq!(several.questions().len(), 1);
    // Some gateways list none.
    let unlisted = Server::new(|asked, to| match asked.path.as_str() {
        "/v1/models" => server::not_found(to),
        _ => server::stream(to, STRICT_PICK),
    });
    assert_eq!(
        ask(&mut connect_to(&unlisted.model("m"), patience()).await.unwrap())
            .await
            .unwrap()
            .text,
        PICK
    );
    let error = connect_to(&unlisted.address, patience())
        .await
        .unwrap_err()
        .to_string();
    assert!(error.ends_with("it has none that it lists"), "{error}");
}

#[tokio::test]
async fn tokens_and_the_context_are_as_the_server_says() {
    let list = |more: Value| {
        let mut model = json!({"id": "m", "object": "model"});
        model
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        json!({"object": "list", "data": [model]}).to_string()
    };
    for (more, context) in [
        (json!({"owned_by": "vllm", "max_model_len": 32_768}), 32_768),
        (json!({"owned_by": "me"}), 8_192),
        (
            json!({"owned_by": "x", "meta": {"n_ctx_train": 1_024}}),
            1_024,
        ),
    ] {
        let list = list(more);
        let server = Server::new(move |_, to| server::whole(to, 200, "application/json", &list));
        let mut engine = connect(&server).await;
        assert_eq!(
            engine.model().context_tokens,
            context,
            "{:?}",
            server.asked()
        );
        assert_eq!(
            engine
                .count_tokens(&["", "a", "four", &"x".repeat(3_000)])
                .await
                .unwrap(),
            [0, 1, 2, 1_000]
        );
    }
    let list = list(json!({"owned_by": "llamacpp", "meta": {"n_ctx_train": 131_072}}));
    let server = Server::new(move |asked, to| match asked.path.as_str() {
        "/v1/models" => server::whole(to, 200, "application/json", &list),
        "/props" => server::whole(
            to,
            200,
            "application/json",
            r#"{"default_generation_settings":{"n_ctx":2048}}"#,
        ),
        "/tokenize" => server::whole(to, 200, "application/json", r#"{"tokens":[1,2,3]}"#),
        _ => server::not_found(to),
    });
    let mut engine = connect(&server).await;
    assert_eq!(engine.model().context_tokens, 2_048, "what it runs with");
    assert_eq!(
        engine
            .count_tokens(&["short", &"long ".repeat(200)])
            .await
            .unwrap(),
        [2, 3]
    );
}

/// Ollama cuts off what is longer than its window, and `/v1` does not say how long that is.
#[tokio::test]
async fn a_prompt_that_ollama_would_cut_off_is_refused() {
    let ollama = |running: Value, parameters: &'static str| {
        Server::new(move |asked, to| match asked.path.as_str() {
            "/v1/models" => server::models(to, "library", &["m", "other"]),
            "/api/ps" => server::whole(to, 200, "application/json", &running.to_string()),
            "/api/show" if asked.body["model"] == "m" => {
                let shown = json!({"parameters": parameters}).to_string();
                server::whole(to, 200, "application/json", &shown)
            }
            "/v1/chat/completions" => server::stream(to, STRICT_PICK),
            _ => server::not_found(to),
        })
    };
    let runs = |name: &str| json!({"models": [{"name": name, "context_length": 16_384}]});
    for (running, parameters, context) in [
        (runs("m"), "num_ctx 8192", 16_384),
        (runs("other"), "stop \"x\"\nnum_ctx   8192", 8_192),
        (json!({"models": []}), "temperature 0", 4_096),
        (json!(null), "", 4_096),
    ] {
        let server = ollama(running, parameters);
        let mut engine = connect_to(&server.model("m"), patience()).await.unwrap();
        assert_eq!(engine.model().context_tokens, context, "{parameters}");
        let notes = engine.take_notes().concat();
        let is_told = notes.contains("4096 tokens") && notes.contains("OLLAMA_CONTEXT_LENGTH");
        assert_eq!(is_told, context == 4_096, "{notes}");
        ask(&mut engine).await.unwrap();
        let mut long = request();
        long.prompt.push(Part::Text("word ".repeat(context)));
        let error = engine.complete(&long, &mut |_| {}).await.unwrap_err();
        assert!(
            matches!(error, EngineError::PromptTooLong { .. }),
            "{error}"
        );
        assert_eq!(server.questions().len(), 1, "the long one is not sent");
    }
}

#[tokio::test]
async fn many_ask_at_once() {
    let server = Server::says(&[STRICT_PICK]);
    let engine = connect(&server).await;
    let ask = |mut engine: OpenAi| async move {
        engine.complete(&request(), &mut |_| {}).await.unwrap().text
    };
    let answers = tokio::join!(
        ask(engine.clone()),
        ask(engine.clone()),
        ask(engine.clone()),
        ask(engine.clone())
    );
    assert_eq!(
        answers,
        (
            PICK.to_owned(),
            PICK.to_owned(),
            PICK.to_owned(),
            PICK.to_owned()
        )
    );
}

#[tokio::test]
async fn the_key_is_sent_and_never_told() {
    let server = Server::new(|asked, to| {
        let key = asked
            .headers
            .lines()
            .find_map(|line| line.strip_prefix("authorization: Bearer "))
            .unwrap_or_default();
        match asked.path.as_str() {
            "/v1/models" => server::models(to, "someone", &[&format!("model-of-{key}")]),
            _ => server::refuse(to, 401, &format!("Incorrect API key provided: {key}")),
        }
    });
    let address = Address::parse(&server.model("m")).unwrap();
    let key = ApiKey::new("s3cret", "SLOTWRIGHT_API_KEY", &address).unwrap();
    let mut engine = OpenAi::connect(address, Some(key), patience())
        .await
        .unwrap();
    assert!(
        server.asked()[0].headers.contains("Bearer s3cret"),
        "{:?}",
        server.asked()
    );
    let error = ask(&mut engine).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{} answers 401: Incorrect API key provided: [key]",
            server.address
        )
    );
    assert!(!format!("{error:?} {engine:?}").contains("s3cret"));
}
