//! Chat templates of real models: what is rendered here is what Jinja2, the software they were
//! written for, makes of them; and nothing that stands in a file, a file's name or a task becomes
//! markup.

use serde_json::{Value, json};
use slotwright::constrain::{SlotSpec, SlotStyle};
use slotwright::engine::{ModelInfo, Part};
use slotwright::prompt::{Profile, Question, Row};
use slotwright::slots::Operation;
use slotwright::text::Shown;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Renders as transformers does: its settings, its functions.
const JINJA2: &str = r#"
import json, sys
import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment
def fail(message): raise jinja2.exceptions.TemplateError(message)
env = ImmutableSandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
env.filters["tojson"] = lambda x, **kw: json.dumps(x, ensure_ascii=False, **kw)
env.globals["raise_exception"] = fail
env.globals["strftime_now"] = lambda format: "1 January 2025"
out = []
for case in json.load(sys.stdin):
    out.append(env.from_string(case["template"]).render(
        messages=case["messages"], add_generation_prompt=True, bos_token="<s>", eos_token="</s>",
        enable_thinking=False, tools=None, date_string="1 January 2025"))
json.dump(out, sys.stdout)
"#;

/// Name and source of each real template, where the folder with them is at hand.
fn real_templates() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/templates");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: there is no folder of chat templates beside the project");
        return Vec::new();
    };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        (
            path.file_stem().unwrap().to_string_lossy().into_owned(),
            std::fs::read_to_string(path).unwrap(),
        )
    };
    paths.iter().map(read).collect()
}

fn model(template: &str) -> ModelInfo {
    ModelInfo {
        chat_template: Some(template.to_owned()),
        bos: "<s>".to_owned(),
        eos: "</s>".to_owned(),
        ..ModelInfo::default()
    }
}

fn question_on(shown: &Shown) -> Question<'_> {
    Question {
        task: "Fix it",
        rows: &[],
        file: Some(("a.py", shown)),
        so_far: &[],
    }
}

fn profile(name: &str, template: &str) -> Profile {
    let (profile, warning) = Profile::of(&model(template)).unwrap();
    assert_eq!(warning, None, "{name}");
    profile
}

fn text(parts: &[Part]) -> String {
    parts
        .iter()
        .map(|part| match part {
            Part::Control(text) | Part::Text(text) => text.as_str(),
        })
        .collect()
}

/// What Jinja2 makes of these; none where there is no Jinja2.
fn jinja2(cases: &[Value]) -> Option<Vec<String>> {
    let probe = Command::new("python3")
        .args(["-c", "import jinja2"])
        .stderr(Stdio::null())
        .status();
    if !probe.is_ok_and(|status| status.success()) {
        println!("skipped: python3 has no jinja2 here to compare with");
        return None;
    }
    let mut python = Command::new("python3")
        .args(["-c", JINJA2])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    python
        .stdin
        .take()
        .unwrap()
        .write_all(&serde_json::to_vec(cases).unwrap())
        .unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success());
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn real_templates_render_as_jinja2_renders_them() {
    let templates = real_templates();
    let mut ours = Vec::new();
    let mut cases = Vec::new();
    for (name, template) in &templates {
        let shown = Shown::whole("x = 1\n");
        let question = question_on(&shown);
        let parts = profile(name, template).pick(&question);
        let texts: Vec<&str> = parts
            .iter()
            .filter_map(|p| {
                if let Part::Text(text) = p {
                    Some(text.as_str())
                } else {
                    None
                }
            })
            .collect();
        // Questions and answers in turn, the system text first if there is such a role. Without
        // earlier answers all is one message.
        let has_system = texts.len() > 1 && texts.len().is_multiple_of(2);
        let roles = if has_system {
            ["user", "assistant"]
        } else {
            ["assistant", "user"]
        };
        let messages: Vec<Value> = texts
            .iter()
            .enumerate()
            .map(|(i, content)| {
                let role = if i == 0 && has_system {
                    "system"
                } else {
                    roles[(i + 1) % 2]
                };
                json!({ "role": role, "content": content })
            })
            .collect();
        println!("{name}: {} messages", messages.len());
        cases.push(json!({ "template": template, "messages": messages }));
        ours.push(text(&parts));
    }
    let Some(theirs) = jinja2(&cases) else { return };
    for (((name, _), ours), theirs) in templates.iter().zip(&ours).zip(&theirs) {
        // What cannot be told not to think has a thought that the program writes.
        let thought = ours
            .strip_prefix(theirs)
            .unwrap_or_else(|| panic!("{name}\n{ours}\n--- not ---\n{theirs}"));
        assert!(
            ["", "[THINK][/THINK]"].contains(&thought),
            "{name}: {thought:?}"
        );
        println!(
            "{name}: the same{}",
            if thought.is_empty() {
                ""
            } else {
                ", and a closed thought"
            }
        );
    }
}

/// The control tokens of the families of models, and a template of each that writes them.
const FAMILIES: [(&str, &[&str]); 9] = [
    (
        "ChatML",
        &[
            "<|im_start|>",
            "<|im_end|>",
            "<|endoftext|>",
            "<think>",
            "</think>",
            "<tool_call>",
            "</tool_call>",
        ],
    ),
    (
        "Llama 3",
        &[
            "<|begin_of_text|>",
            "<|start_header_id|>",
            "<|end_header_id|>",
            "<|eot_id|>",
            "<|eom_id|>",
            "<|python_tag|>",
        ],
    ),
    (
        "Gemma 2",
        &["<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>"],
    ),
    (
        "Gemma 4",
        &[
            "<|turn>",
            "<turn|>",
            "<|channel>",
            "<channel|>",
            "<|think|>",
            "<|tool_call>",
            "<tool_call|>",
        ],
    ),
    (
        "Phi",
        &["<|system|>", "<|user|>", "<|assistant|>", "<|end|>"],
    ),
    (
        "Mistral",
        &[
            "<s>",
            "</s>",
            "[INST]",
            "[/INST]",
            "[SYSTEM_PROMPT]",
            "[/SYSTEM_PROMPT]",
            "[THINK]",
            "[/THINK]",
            "[TOOL_CALLS]",
        ],
    ),
    (
        "DeepSeek",
        &[
            "<\u{ff5c}begin\u{2581}of\u{2581}sentence\u{ff5c}>",
            "<\u{ff5c}User\u{ff5c}>",
            "<\u{ff5c}Assistant\u{ff5c}>",
            "<\u{ff5c}end\u{2581}of\u{2581}sentence\u{ff5c}>",
        ],
    ),
    (
        "Granite",
        &["<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>"],
    ),
    (
        "LFM",
        &[
            "<|startoftext|>",
            "<|im_start|>",
            "<|im_end|>",
            "<|tool_list_start|>",
            "<|tool_list_end|>",
        ],
    ),
];

/// Markup of every family, and the marks that the template is rendered with.
fn injection() -> String {
    let tokens: String = FAMILIES
        .iter()
        .flat_map(|(_, tokens)| tokens.iter().copied())
        .collect();
    format!(
        "{tokens} SLOTWRIGHTsystemMARK SLOTWRIGHTfirstMARK SLOTWRIGHTanswerMARK \
         SLOTWRIGHTlastMARK {{{{ messages }}}} {{% for %}}"
    )
}

#[test]
fn text_does_not_change_the_markup() {
    let mut profiles: Vec<(String, Profile)> = real_templates()
        .iter()
        .map(|(name, template)| (name.clone(), profile(name, template)))
        .collect();
    for (name, tokens) in FAMILIES {
        let (first, last) = (tokens[0], tokens[tokens.len() - 1]);
        let template = format!(
            "{first}{{% for m in messages %}}{first}{{{{ m.role }}}}\
             \n{{{{ m.content }}}}{last}{{% endfor %}}{first}assistant"
        );
        profiles.push((name.to_owned(), profile(name, &template)));
    }
    let compact = ModelInfo {
        profile: Some("compact-4".to_owned()),
        ..ModelInfo::default()
    };
    profiles.push(("compact-4".to_owned(), Profile::of(&compact).unwrap().0));
    profiles.push((
        "no template".to_owned(),
        Profile::of(&ModelInfo::default()).unwrap().0,
    ));
    let evil = injection();
    for (name, profile) in profiles {
        let rows = |path: &str, hint: &str| {
            [Row {
                path: path.to_owned(),
                words: vec![hint.to_owned()],
            }]
        };
        let pick = |task: &str, path: &str, hint: &str| {
            profile.pick(&Question {
                task,
                rows: &rows(path, hint),
                file: None,
                so_far: &[],
            })
        };
        check(
            &name,
            &pick("task", "path", "hint"),
            [
                &pick(&evil, "path", "hint"),
                &pick("task", &evil, "hint"),
                &pick("task", "path", &evil),
            ],
            &evil,
        );
        for operation in Operation::ALL {
            if operation == Operation::Rewrite && name == "compact-4" {
                continue; // the bundled model has no such question
            }
            let fill = |task: &str, path: &str, file: &str| {
                let shown = Shown::whole(file);
                let question = Question {
                    task,
                    rows: &[],
                    file: Some((path, &shown)),
                    so_far: &[],
                };
                let spec = SlotSpec::of(
                    operation,
                    shown.clone(),
                    Vec::new(),
                    SlotStyle {
                        blocks: true,
                        side_first: false,
                    },
                );
                profile.fill(&question, "pick", &spec)
            };
            let plain = fill("task", "path", "file");
            let shows_path = text(&plain).contains("path\n") || text(&plain).contains("path:");
            let in_path = if shows_path && operation != Operation::Create {
                fill("task", &evil, "file")
            } else {
                fill(&evil, "path", "file")
            };
            let in_file = if operation == Operation::Create {
                fill(&evil, "path", "file")
            } else {
                fill("task", "path", &evil)
            };
            check(
                &name,
                &plain,
                [&fill(&evil, "path", "file"), &in_path, &in_file],
                &evil,
            );
        }
    }
}

/// The same markup in the same order, and the text whole, as text.
fn check(name: &str, plain: &[Part], injected: [&Vec<Part>; 3], evil: &str) {
    let markup = |parts: &[Part]| -> Vec<String> {
        parts
            .iter()
            .filter_map(|p| {
                if let Part::Control(text) = p {
                    Some(text.clone())
                } else {
                    None
                }
            })
            .collect()
    };
    for parts in injected {
        assert_eq!(markup(parts), markup(plain), "{name}");
        assert_eq!(parts.len(), plain.len(), "{name}");
        assert!(
            parts
                .iter()
                .any(|p| matches!(p, Part::Text(text) if text.contains(evil))),
            "{name}: {parts:?}"
        );
    }
}

#[test]
fn no_thought_is_left_open_before_the_answer() {
    let shown = Shown::whole("x = 1\n");
    let question = question_on(&shown);
    for (name, template) in real_templates() {
        let parts = profile(&name, &template).pick(&question);
        let before_answer = parts.last().unwrap().as_str();
        println!("{name}: {before_answer:?}");
        for (open, close) in [
            ("<think>", "</think>"),
            ("[THINK]", "[/THINK]"),
            ("<|channel>", "<channel|>"),
        ] {
            // Whoever renders thoughts, thinks, and is told that it has.
            let thinks = template.contains(open) && template.contains(close);
            let is_closed = before_answer.contains(close);
            assert!(
                before_answer.matches(open).count() <= before_answer.matches(close).count()
                    && (is_closed || !thinks),
                "{name}: {before_answer:?}"
            );
        }
    }
}
