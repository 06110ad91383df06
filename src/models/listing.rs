//! All models on this machine, the usable ones with what is known of them.

use super::catalogue::{self, Entry};
use super::file_name;
use super::header::{Extent, Header};
use super::model_folders::{ModelFolders, Store};
use super::stores::{self, Found, Unread};
use super::unusable::Unusable;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Tokens of a long question and its answer. The memory for them is counted.
const CONTEXT: u64 = 6_144;

/// Tokens that are read at once.
const BATCH: u64 = 512;

/// A model that can be used.
#[derive(Debug)]
pub struct Model {
    /// As people who use the store call it.
    pub name: String,
    /// Who keeps it.
    pub store: Store,
    /// The same file in other stores and under other names: a link, another tag.
    pub others: Vec<(Store, String)>,
    /// The file, or the first of its parts.
    pub path: PathBuf,
    /// Of all parts.
    pub bytes: u64,
    /// What its header says.
    pub header: Header,
    /// The entry of the catalogue that it is.
    pub entry: Option<&'static Entry>,
}

/// A model that cannot be used.
#[derive(Debug)]
pub struct Flawed {
    /// As people who use the store call it.
    pub name: String,
    /// Who keeps it.
    pub store: Store,
    /// What is there of it.
    pub path: PathBuf,
    /// Of what is there.
    pub bytes: u64,
    /// Why it cannot be used.
    pub reason: Unusable,
}

/// All that was found.
#[derive(Debug, Default)]
pub struct Listing {
    /// In the order of the stores, then of their names.
    pub models: Vec<Model>,
    /// In the same order.
    pub flawed: Vec<Flawed>,
    /// What could not be looked through.
    pub unread: Vec<Unread>,
}

/// Looks for models.
pub fn look(folders: &ModelFolders) -> Listing {
    let stock = stores::read(folders);
    let mut listing = Listing {
        unread: stock.unread,
        ..Listing::default()
    };
    let mut seen: HashMap<FileId, usize> = HashMap::new();
    for mut found in stock.found {
        let id = FileId::of(&found.path);
        if let Some(&same) = id.as_ref().and_then(|id| seen.get(id))
            && found.flaw.is_none()
        {
            listing.models[same].others.push((found.store, found.name));
            continue;
        }

        match header(&mut found) {
            Ok(header) => {
                if let Some(id) = id {
                    seen.insert(id, listing.models.len());
                }
                listing.models.push(Model::of(found, header));
            }
            Err(reason) => listing.flawed.push(Flawed {
                name: found.name,
                store: found.store,
                path: found.path,
                bytes: found.bytes,
                reason,
            }),
        }
    }
    listing
}

/// The header of a model that can be used.
fn header(found: &mut Found) -> Result<Header, Unusable> {
    if let Some(flaw) = found.flaw.take() {
        return Err(flaw);
    }
    let header = Header::read(&found.path, Extent::UpToVocabulary)?;
    header.check()?;
    Ok(header)
}

impl Model {
    fn of(found: Found, mut header: Header) -> Model {
        header.sizes.weights = found.bytes;
        let file_name = file_name::of(&found.path);
        Model {
            entry: catalogue::entry_of(found.sha256.as_deref(), file_name, found.bytes),
            name: found.name,
            store: found.store,
            others: Vec::new(),
            path: found.path,
            bytes: found.bytes,
            header,
        }
    }

    /// All its names in stores.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let others = self.others.iter().map(|(_, name)| name.as_str());
        std::iter::once(self.name.as_str()).chain(others)
    }

    /// Bytes of memory for a long question: the weights, and what is kept of each token.
    pub fn needs(&self) -> u64 {
        self.header.sizes.needed(CONTEXT, BATCH)
    }

    /// How the weights are quantized: as the header says, else as the file's name does.
    pub fn quantization(&self) -> Option<String> {
        match self.header.quantization {
            Some(quantization) => Some(quantization.to_owned()),
            None => file_name::quantization(self.stem()?),
        }
    }

    /// The file's name without extension and part. `None` if a store chose it.
    pub(super) fn stem(&self) -> Option<&str> {
        let name = file_name::of(&self.path).filter(|_| self.store != Store::Ollama)?;
        file_name::stem(name).map(file_name::whole)
    }
}

/// What tells whether two paths lead to one file, through links of either kind.
#[derive(PartialEq, Eq, Hash)]
struct FileId(#[cfg(unix)] (u64, u64), #[cfg(not(unix))] PathBuf);

impl FileId {
    #[cfg(unix)]
    fn of(path: &Path) -> Option<FileId> {
        use std::os::unix::fs::MetadataExt;
        let metadata = fs::metadata(path).ok()?;
        Some(FileId((metadata.dev(), metadata.ino())))
    }

    #[cfg(not(unix))]
    fn of(path: &Path) -> Option<FileId> {
        fs::canonicalize(path).ok().map(FileId)
    }
}
