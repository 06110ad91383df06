//! Where programs keep their models.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Who keeps a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Store {
    /// slotwright itself: `PUBLISHER/REPOSITORY/FILE.gguf`, or files.
    Own,
    /// A folder that the person named in the configuration.
    Folder,
    /// Ollama: roots with `manifests` and `blobs`.
    Ollama,
    /// LM Studio: its home.
    LmStudio,
    /// The hub cache of Hugging Face, which llama.cpp uses too.
    Hub,
    /// The cache of older versions of llama.cpp: a folder of files.
    LlamaCpp,
    /// Jan.
    Jan,
    /// GPT4All.
    Gpt4All,
}

impl Store {
    /// Its name, in lists and for programs.
    pub fn name(self) -> &'static str {
        match self {
            Store::Own => "slotwright",
            Store::Folder => "folder",
            Store::Ollama => "ollama",
            Store::LmStudio => "lmstudio",
            Store::Hub => "hf",
            Store::LlamaCpp => "llama.cpp",
            Store::Jan => "jan",
            Store::Gpt4All => "gpt4all",
        }
    }
}

/// The folders that are looked through, in order. One that does not exist is passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelFolders(pub Vec<(Store, PathBuf)>);

/// Where Ollama runs as a service of Linux, under a user of its own.
const OLLAMA_SERVICE: &str = "/usr/share/ollama/.ollama/models";

impl ModelFolders {
    /// The folders that the environment names, and else those that each program uses by itself.
    /// `variable` gives a variable of the environment, `data` is the XDG data folder, and
    /// `configured` are the folders that the person named.
    pub fn of_environment(
        variable: impl Fn(&str) -> Option<OsString>,
        data: Option<&Path>,
        configured: Vec<PathBuf>,
    ) -> ModelFolders {
        // An empty variable is one that is not set.
        let [
            home,
            ollama,
            cache,
            llama,
            hf_hub,
            hugging_face_hub,
            hf_home,
        ] = [
            "HOME",
            "OLLAMA_MODELS",
            "XDG_CACHE_HOME",
            "LLAMA_CACHE",
            "HF_HUB_CACHE",
            "HUGGINGFACE_HUB_CACHE",
            "HF_HOME",
        ]
        .map(|name| {
            let value = variable(name).filter(|value| !value.is_empty())?;
            Some(PathBuf::from(value))
        });
        let cache = cache.or_else(|| below(&home, ".cache"));
        let data = data.map(Path::to_owned);
        let mut folders = ModelFolders::default();

        folders.add(Store::Own, below(&data, "slotwright/models"));
        folders.add(Store::Folder, configured);
        if ollama.is_some() {
            folders.add(Store::Ollama, ollama);
        } else {
            folders.add(Store::Ollama, below(&home, ".ollama/models"));
            folders.add(Store::Ollama, [PathBuf::from(OLLAMA_SERVICE)]);
        }
        folders.add(Store::LmStudio, home.as_deref().map(lm_studio_home));

        // llama.cpp's variable once meant the flat cache, and now the hub cache.
        folders.add(Store::Hub, llama.clone());
        // What Hugging Face's own library asks for, in its order.
        let hub = hf_hub
            .or(hugging_face_hub)
            .or_else(|| below(&hf_home, "hub"))
            .or_else(|| below(&cache, "huggingface/hub"));
        folders.add(Store::Hub, hub);
        folders.add(Store::LlamaCpp, llama);
        folders.add(Store::LlamaCpp, below(&cache, "llama.cpp"));
        if cfg!(target_os = "macos") {
            folders.add(Store::LlamaCpp, below(&home, "Library/Caches/llama.cpp"));
        }

        folders.add(Store::Jan, below(&home, "jan/models"));
        folders.add(Store::Jan, below(&data, "Jan/data/models"));
        // Newer versions have a folder for each of their engines.
        folders.add(Store::Jan, below(&data, "Jan/data/llamacpp/models"));
        folders.add(Store::Gpt4All, below(&data, "nomic.ai/GPT4All"));
        folders
    }

    fn add(&mut self, store: Store, folders: impl IntoIterator<Item = PathBuf>) {
        self.0
            .extend(folders.into_iter().map(|folder| (store, folder)));
    }
}

fn below(folder: &Option<PathBuf>, path: &str) -> Option<PathBuf> {
    folder.as_ref().map(|folder| folder.join(path))
}

/// The folder that LM Studio's pointer names, or else the first usual one that is there.
fn lm_studio_home(home: &Path) -> PathBuf {
    let pointer = std::fs::read_to_string(home.join(".lmstudio-home-pointer"));
    let pointed = pointer.ok().map(|path| PathBuf::from(path.trim()));
    if let Some(pointed) = pointed.filter(|path| path.is_absolute()) {
        return pointed;
    }

    let older = home.join(".cache/lm-studio");
    let newer = home.join(".lmstudio");
    if !newer.exists() && older.exists() {
        older
    } else {
        newer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(variables: &[(&str, &str)], store: Store, expected: &[&str]) {
        let ModelFolders(folders) = ModelFolders::of_environment(
            |name| {
                let (_, value) = variables.iter().find(|(key, _)| *key == name)?;
                Some(OsString::from(value))
            },
            None,
            Vec::new(),
        );
        let of_store = folders.iter().filter(|(other, _)| *other == store);
        let paths: Vec<&Path> = of_store.map(|(_, path)| path.as_path()).collect();
        let expected: Vec<&Path> = expected.iter().map(Path::new).collect();
        assert_eq!(paths, expected);
    }

    #[test]
    fn variables_are_taken_in_their_order_and_empty_ones_are_not_set() {
        let home = ("HOME", "/h");
        let usual = ["/h/.ollama/models", OLLAMA_SERVICE];
        check(&[home, ("OLLAMA_MODELS", "")], Store::Ollama, &usual);
        let group = ("HUGGINGFACE_HUB_CACHE", "/g");
        check(&[home, ("HF_HOME", "/f"), group], Store::Hub, &["/g"]);
        let hub = ("HF_HUB_CACHE", "/c");
        check(&[home, group, hub], Store::Hub, &["/c"]);
        let both = [home, ("LLAMA_CACHE", "/l"), hub];
        check(&both, Store::Hub, &["/l", "/c"]);
        check(&both, Store::LlamaCpp, &["/l", "/h/.cache/llama.cpp"]);
        // A program without a home folder.
        check(&[hub], Store::Hub, &["/c"]);
        check(&[hub], Store::LmStudio, &[]);
    }
}
