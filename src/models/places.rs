//! Where programs keep their models: folders and environment variables.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Who keeps a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Store {
    /// slotwright itself.
    Own,
    /// A folder that the person named in the configuration.
    Folder,
    /// Ollama.
    Ollama,
    /// LM Studio.
    LmStudio,
    /// The hub cache of Hugging Face, which llama.cpp uses too.
    Hub,
    /// The cache of older versions of llama.cpp.
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

/// The folders that are looked through. One that does not exist is passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The store of `slotwright models pull`: `PUBLISHER/REPOSITORY/FILE.gguf`, or files.
    pub own: Option<PathBuf>,
    /// Folders that the person named.
    pub folders: Vec<PathBuf>,
    /// Roots of Ollama, with `manifests` and `blobs`.
    pub ollama: Vec<PathBuf>,
    /// Homes of LM Studio.
    pub lm_studio: Vec<PathBuf>,
    /// Hub caches of Hugging Face.
    pub hubs: Vec<PathBuf>,
    /// Flat caches of llama.cpp.
    pub llama_cpp: Vec<PathBuf>,
    /// Folders of Jan.
    pub jan: Vec<PathBuf>,
    /// Folders of GPT4All.
    pub gpt4all: Vec<PathBuf>,
}

/// Where Ollama runs as a service of Linux, under a user of its own.
const OLLAMA_SERVICE: &str = "/usr/share/ollama/.ollama/models";

impl Places {
    /// The places that the environment names, and else those that each program uses by itself.
    /// `variable` gives a variable of the environment, `data` is the XDG data folder.
    pub fn of_environment(
        variable: impl Fn(&str) -> Option<OsString>,
        data: Option<&Path>,
        folders: Vec<PathBuf>,
    ) -> Places {
        // An empty variable is one that is not set.
        let folder = |name: &str| {
            variable(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let home = folder("HOME");
        let at_home = |path: &str| home.as_ref().map(|home| home.join(path));
        let ollama = match folder("OLLAMA_MODELS") {
            Some(root) => vec![root],
            None => at_home(".ollama/models")
                .into_iter()
                .chain([PathBuf::from(OLLAMA_SERVICE)])
                .collect(),
        };
        let cache = folder("XDG_CACHE_HOME").or_else(|| at_home(".cache"));
        let in_cache = |path: &str| cache.as_ref().map(|cache| cache.join(path));
        let llama_cache = folder("LLAMA_CACHE");
        // What Hugging Face's own library asks for, in its order.
        let hub = folder("HF_HUB_CACHE")
            .or_else(|| folder("HUGGINGFACE_HUB_CACHE"))
            .or_else(|| folder("HF_HOME").map(|folder| folder.join("hub")))
            .or_else(|| in_cache("huggingface/hub"));
        // llama.cpp's variable once meant the flat cache, and now the hub cache.
        let hubs = llama_cache.iter().cloned().chain(hub).collect();
        let mac = at_home("Library/Caches/llama.cpp").filter(|_| cfg!(target_os = "macos"));
        let llama_cpp = llama_cache
            .into_iter()
            .chain(in_cache("llama.cpp"))
            .chain(mac)
            .collect();
        let in_data = |path: &str| data.map(|data| data.join(path));
        Places {
            own: in_data("slotwright/models"),
            folders,
            ollama,
            lm_studio: home.as_deref().map(lm_studio_home).into_iter().collect(),
            hubs,
            llama_cpp,
            // Newer versions have a folder for each of their engines.
            jan: at_home("jan/models")
                .into_iter()
                .chain(in_data("Jan/data/models"))
                .chain(in_data("Jan/data/llamacpp/models"))
                .collect(),
            gpt4all: in_data("nomic.ai/GPT4All").into_iter().collect(),
        }
    }
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

    fn places(variables: &[(&str, &str)]) -> Places {
        let variable = |name: &str| {
            variables
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| OsString::from(value))
        };
        Places::of_environment(variable, Some(Path::new("/d")), Vec::new())
    }

    fn paths(paths: &[&str]) -> Vec<PathBuf> {
        paths.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn without_variables_the_usual_folders_are_looked_through() {
        let places = places(&[("HOME", "/h"), ("OLLAMA_MODELS", "")]);
        assert_eq!(places.ollama, paths(&["/h/.ollama/models", OLLAMA_SERVICE]));
        assert_eq!(places.hubs, paths(&["/h/.cache/huggingface/hub"]));
        assert_eq!(places.llama_cpp[0], PathBuf::from("/h/.cache/llama.cpp"));
        assert_eq!(places.lm_studio, paths(&["/h/.lmstudio"]));
        assert_eq!(places.jan[0], PathBuf::from("/h/jan/models"));
        assert_eq!(places.own, Some(PathBuf::from("/d/slotwright/models")));
    }

    #[test]
    fn each_variable_names_its_folder() {
        let home = ("HOME", "/h");
        assert_eq!(
            places(&[home, ("OLLAMA_MODELS", "/o")]).ollama,
            paths(&["/o"])
        );
        for (variables, hub) in [
            (&[("XDG_CACHE_HOME", "/x")][..], "/x/huggingface/hub"),
            (&[("XDG_CACHE_HOME", "/x"), ("HF_HOME", "/f")], "/f/hub"),
            (&[("HF_HOME", "/f"), ("HUGGINGFACE_HUB_CACHE", "/g")], "/g"),
            (
                &[("HUGGINGFACE_HUB_CACHE", "/g"), ("HF_HUB_CACHE", "/c")],
                "/c",
            ),
        ] {
            assert_eq!(places(&[&[home], variables].concat()).hubs, paths(&[hub]));
        }
        let both = places(&[home, ("LLAMA_CACHE", "/l"), ("HF_HUB_CACHE", "/c")]);
        assert_eq!(both.hubs, paths(&["/l", "/c"]));
        assert_eq!(both.llama_cpp[..2], paths(&["/l", "/h/.cache/llama.cpp"]));
    }

    #[test]
    fn a_program_without_a_home_looks_only_where_it_is_told() {
        let places = places(&[("HF_HUB_CACHE", "/c")]);
        assert_eq!(places.hubs, paths(&["/c"]));
        assert!(places.lm_studio.is_empty() && places.llama_cpp.is_empty());
    }
}
