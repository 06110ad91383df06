//! The encodings that `.editorconfig` names for files (<https://editorconfig.org>). Editors follow it,
//! so files must be written as they read them.

use crate::text::Encoding;
use cap_std::fs::Dir;
use ec4rs::{ConfigParser, Section};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The `.editorconfig` of each folder that was asked about. They are read once.
#[derive(Debug, Default)]
pub(super) struct EditorConfigs(Mutex<HashMap<PathBuf, Arc<EditorConfig>>>);

#[derive(Default)]
struct EditorConfig {
    /// Whether folders further out do not count.
    is_root: bool,
    sections: Vec<Section>,
}

impl std::fmt::Debug for EditorConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EditorConfig")
            .field("is_root", &self.is_root)
            .finish_non_exhaustive()
    }
}

impl EditorConfigs {
    /// The encoding of a file below `root`, by the nearest folder that names one. A folder above
    /// `root` is not read.
    pub fn encoding(&self, root: &Dir, path: &str) -> Option<Encoding> {
        let path = Path::new(path);
        for folder in path.ancestors().skip(1) {
            let config = self.of_folder(root, folder);
            let name = path.strip_prefix(folder).expect("it is below");
            let charset = config.sections.iter().rev().find_map(|section| {
                let charset = section.props().get_raw_for_key("charset").into_option()?;
                section.applies_to(name).then_some(charset)
            });
            if let Some(charset) = charset {
                return Encoding::named(charset);
            }
            if config.is_root {
                break;
            }
        }
        None
    }

    fn of_folder(&self, root: &Dir, folder: &Path) -> Arc<EditorConfig> {
        let mut known = self
            .0
            .lock()
            .expect("nothing panics while it holds the lock");
        known
            .entry(folder.to_owned())
            .or_insert_with(|| Arc::new(EditorConfig::read(root, folder).unwrap_or_default()))
            .clone()
    }
}

impl EditorConfig {
    /// `None` if there is none, or if it cannot be read.
    fn read(root: &Dir, folder: &Path) -> Option<EditorConfig> {
        /// A larger file is ignored.
        const MAX_BYTES: u64 = 1 << 20;
        let path = folder.join(".editorconfig");
        let metadata = root.metadata(&path).ok()?;
        if !metadata.is_file() || metadata.len() > MAX_BYTES {
            return None;
        }
        let text = root.read(path).ok()?;
        let parser = ConfigParser::new(text.as_slice()).ok()?;
        let is_root = parser.is_root;
        Some(EditorConfig {
            is_root,
            sections: parser.map_while(Result::ok).collect(),
        })
    }
}
