//! An editor that works with `slotwright acp`: it answers what the agent asks, and remembers what it
//! was told.

use super::rpc::RpcProgram;
use super::script::Script;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An editor with the agent.
pub struct Editor {
    pub agent: RpcProgram,
    /// The files that are open, by absolute path.
    pub buffers: BTreeMap<PathBuf, String>,
    /// How it reads a file that is not open; without it, it gives no other files.
    pub reads: Option<fn(&[u8]) -> String>,
    /// Whether it saves what it is given, and how.
    pub saves: Option<fn(&str) -> Vec<u8>>,
    /// The files that it was asked for, and those that it was given.
    pub asked_for: Vec<PathBuf>,
    pub given: Vec<PathBuf>,
    /// What is chosen when the agent asks, question by question; `cancelled` cancels. The last one is
    /// for all that come.
    pub choices: Vec<&'static str>,
    /// What the agent asked.
    pub questions: Vec<Value>,
    pub updates: Vec<Value>,
}

impl Editor {
    /// An editor that lets no agent at its buffers.
    pub fn new(root: &Path, script: &Script, arguments: &[&str]) -> Editor {
        Editor::with(root, script, arguments, json!({}))
    }

    pub fn with(root: &Path, script: &Script, arguments: &[&str], fs: Value) -> Editor {
        let arguments = [&["acp"], arguments].concat();
        let mut agent = RpcProgram::start(root, &arguments, |command| {
            command.envs(script.environment());
        });
        let hello = agent.ask(
            "initialize",
            json!({"protocolVersion": 1, "clientCapabilities": {"fs": fs}}),
        );
        assert_eq!(hello["protocolVersion"], 1);
        assert_eq!(hello["agentInfo"]["name"], "slotwright");
        assert_eq!(
            hello["agentCapabilities"]["promptCapabilities"]["embeddedContext"],
            true
        );
        Editor {
            agent,
            buffers: BTreeMap::new(),
            reads: None,
            saves: None,
            asked_for: Vec::new(),
            given: Vec::new(),
            choices: vec!["once"],
            questions: Vec::new(),
            updates: Vec::new(),
        }
    }

    pub fn session(&mut self, root: &Path) -> String {
        self.open(root)["sessionId"].as_str().unwrap().to_owned()
    }

    /// Begins a session. Gives all that the agent says of it.
    pub fn open(&mut self, root: &Path) -> Value {
        let session = json!({"cwd": root, "mcpServers": []});
        self.agent.ask("session/new", session)
    }

    /// The last update of a kind.
    #[track_caller]
    pub fn shown(&self, kind: &str) -> Value {
        let mut updates = self.updates.iter().rev();
        let shown = updates.find(|update| update["sessionUpdate"] == kind);
        shown
            .unwrap_or_else(|| panic!("no {kind}: {:#?}", self.updates))
            .clone()
    }

    pub fn begin(&mut self, session: &str, text: &str) -> u64 {
        let prompt = json!([{"type": "text", "text": text}]);
        self.agent.request(
            "session/prompt",
            json!({"sessionId": session, "prompt": prompt}),
        )
    }

    /// Answers the agent until the prompt has ended. Gives why it ended.
    pub fn finish(&mut self, id: u64) -> String {
        loop {
            let message = self.agent.wait_for(|_| true);
            if message["id"] == id && message.get("method").is_none() {
                assert!(message.get("error").is_none(), "{message:#}");
                return message["result"]["stopReason"].as_str().unwrap().to_owned();
            }
            // A line that is no request is answered without a number.
            if message.get("method").is_some() {
                self.react(&message);
            }
        }
    }

    /// Does what a message of the agent asks for.
    pub fn react(&mut self, message: &Value) {
        let parameters = &message["params"];
        let path = || PathBuf::from(parameters["path"].as_str().unwrap());
        let result = match message["method"].as_str().unwrap() {
            "session/update" => {
                self.updates.push(parameters["update"].clone());
                return;
            }
            "session/request_permission" => {
                let next = self.questions.len().min(self.choices.len() - 1);
                self.questions.push(parameters.clone());
                match self.choices[next] {
                    "cancelled" => json!({"outcome": {"outcome": "cancelled"}}),
                    id => json!({"outcome": {"outcome": "selected", "optionId": id}}),
                }
            }
            "fs/read_text_file" => match self.text(&path()) {
                Some(text) => json!({"content": text}),
                None => {
                    let error = json!({"code": -32002, "message": "no such file"});
                    let id = &message["id"];
                    self.agent
                        .send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
                    return;
                }
            },
            "fs/write_text_file" => {
                let text = parameters["content"].as_str().unwrap().to_owned();
                if let Some(saved) = self.saves {
                    std::fs::write(path(), saved(&text)).unwrap();
                }
                self.given.push(path());
                self.buffers.insert(path(), text);
                json!({})
            }
            other => panic!("the agent asks for {other}"),
        };
        self.agent.respond(message, result);
    }

    /// A file's text as it gives it.
    fn text(&mut self, path: &Path) -> Option<String> {
        self.asked_for.push(path.to_owned());
        let on_disk = || Some(self.reads?(&std::fs::read(path).ok()?));
        self.buffers.get(path).cloned().or_else(on_disk)
    }

    /// Answers the agent until it asks the person. Gives the question.
    pub fn question(&mut self) -> Value {
        loop {
            let message = self
                .agent
                .wait_for(|message| message.get("method").is_some());
            if message["method"] == "session/request_permission" {
                return message;
            }
            self.react(&message);
        }
    }

    /// A prompt, from its words to its end.
    pub fn prompt(&mut self, session: &str, text: &str) -> String {
        let id = self.begin(session, text);
        self.finish(id)
    }

    /// All that was said in the conversation.
    pub fn said(&self) -> String {
        let said = self
            .updates
            .iter()
            .filter(|u| u["sessionUpdate"] == "agent_message_chunk");
        said.map(|update| update["content"]["text"].as_str().unwrap())
            .collect()
    }

    /// The last diff that was shown: path, text before, text after.
    pub fn diff(&self) -> Option<(String, String, String)> {
        let contents = self
            .updates
            .iter()
            .rev()
            .filter_map(|update| update["content"].as_array());
        let diff = contents
            .flatten()
            .find(|content| content["type"] == "diff")?;
        let field = |name: &str| diff[name].as_str().unwrap_or_default().to_owned();
        Some((field("path"), field("oldText"), field("newText")))
    }
}
