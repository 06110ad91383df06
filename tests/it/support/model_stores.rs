//! A home with the model stores of other programs, laid out as these do it.

use super::gguf::Gguf;
use super::{PROGRAM, Run, quiet};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A home of its own, in which slotwright looks for models.
pub struct Home {
    folder: tempfile::TempDir,
    variables: Vec<(&'static str, PathBuf)>,
}

impl Home {
    pub fn new() -> Home {
        Home {
            folder: tempfile::tempdir().unwrap(),
            variables: Vec::new(),
        }
    }

    /// A path below it.
    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Sets a variable to a path below it.
    pub fn with(mut self, name: &'static str, path: &str) -> Home {
        let path = self.path(path);
        self.variables.push((name, path));
        self
    }

    /// The program, which knows of no other model than those here. (But for the folder of Ollama's
    /// service, where this machine has one and no variable names another.)
    pub fn command(&self) -> Command {
        let mut command = Command::new(PROGRAM);
        quiet(&mut command)
            .env_remove("SLOTWRIGHT_MODEL")
            .env_remove("OLLAMA_MODELS")
            .env_remove("XDG_DATA_HOME")
            .env("HOME", self.folder.path())
            .env("XDG_CACHE_HOME", self.path(".cache"))
            .envs(self.variables.iter().map(|(name, path)| (name, path)));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        Run::from(self.command().args(arguments).output().unwrap())
    }

    /// The report of `slotwright models --json`.
    pub fn report(&self) -> Value {
        let run = self.run(&["models", "--json"]).says(0, "");
        serde_json::from_str(&run.stdout).unwrap()
    }

    /// Store and name of each usable model in this home, in the order of the report.
    pub fn models(&self) -> Vec<String> {
        let report = self.report();
        self.own(&report["models"])
            .map(|model| format!("{} {}", text(&model["store"]), text(&model["name"])))
            .collect()
    }

    /// Name and reason of each unusable model in this home.
    pub fn unusable(&self) -> Vec<(String, String)> {
        let report = self.report();
        self.own(&report["unusable"])
            .map(|model| {
                (
                    text(&model["name"]).to_owned(),
                    text(&model["kind"]).to_owned(),
                )
            })
            .collect()
    }

    fn own<'r>(&self, list: &'r Value) -> impl Iterator<Item = &'r Value> {
        let home = self.folder.path().to_owned();
        list.as_array().unwrap().iter().filter(move |model| {
            model["path"]
                .as_str()
                .is_some_and(|path| Path::new(path).starts_with(&home))
        })
    }

    /// Puts a model into an Ollama root below the home.
    pub fn ollama(&self, root: &str, name: &str, write: impl FnOnce(&Path)) {
        let mut layers = vec![json!({
            "mediaType": "application/vnd.ollama.image.template",
            "digest": format!("sha256:{}", "f".repeat(64)),
        })];
        let digest = digest_of(name);
        let blobs = self.path(root).join("blobs");
        fs::create_dir_all(&blobs).unwrap();
        write(&blobs.join(format!("sha256-{digest}")));
        layers.push(json!({
            "mediaType": "application/vnd.ollama.image.model",
            "digest": format!("sha256:{digest}"),
        }));
        self.ollama_manifest(root, name, &json!({"schemaVersion": 2, "layers": layers}));
    }

    /// Writes a manifest of Ollama's. `name`: `HOST/NAMESPACE/MODEL/TAG`.
    pub fn ollama_manifest(&self, root: &str, name: &str, manifest: &Value) {
        let path = self.path(root).join("manifests").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, manifest.to_string()).unwrap();
    }

    /// Puts a model into a hub cache below the home, as a link into its blobs.
    #[cfg(unix)]
    pub fn hub(&self, cache: &str, repository: &str, file: &str) {
        let folder = self
            .path(cache)
            .join(format!("models--{}", repository.replace('/', "--")));
        let commit = "0123456789abcdef0123456789abcdef01234567";
        let blob = folder.join("blobs").join(digest_of(file));
        let link = folder.join("snapshots").join(commit).join(file);
        for path in [&blob, &link, &folder.join("refs/main")] {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
        }
        model(&blob);
        fs::write(folder.join("refs/main"), commit).unwrap();
        let up = "../".repeat(2 + file.matches('/').count());
        std::os::unix::fs::symlink(format!("{up}blobs/{}", digest_of(file)), link).unwrap();
    }

    /// Puts a model at a path below the home.
    pub fn file(&self, path: &str) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        model(&path);
        path
    }
}

/// Any 64 hexadecimal digits that differ by name.
fn digest_of(name: &str) -> String {
    let hex: String = name
        .bytes()
        .rev()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{hex:0>64}")[..64].to_owned()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// What a header says of a model that writes.
pub fn header(architecture: &str) -> Gguf {
    let mut file = Gguf::default();
    file.string("general.architecture", architecture);
    file.string("general.name", "tiny");
    file.u32("general.file_type", 15);
    file.u32(&format!("{architecture}.context_length"), 4_096);
    file.u32(&format!("{architecture}.block_count"), 2);
    file.u32(&format!("{architecture}.embedding_length"), 8);
    file.string("tokenizer.ggml.model", "gpt2");
    file.strings("tokenizer.ggml.tokens", &["a".to_owned(), "b".to_owned()]);
    file.string("tokenizer.chat_template", "{{ messages }}");
    file
}

/// Writes a model of a few bytes. It says what it is, but cannot compute.
pub fn model(path: &Path) {
    let mut file = header("llama");
    file.tensor("token_embd.weight", &[8, 2], || 0.0);
    file.write(path);
}
