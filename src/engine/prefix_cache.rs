//! Keeps a model's state after a prompt on disk. The next process that is asked about the same file
//! loads the state instead of reading the file again.
//!
//! An entry has the tokens that were read, and the state of one sequence after them, as llama.cpp
//! writes it. It serves every prompt that begins with some of these tokens. An entry reveals the
//! text of the files it was made from. So only the owner can read the folder, entries expire, and
//! if there are too many the one used longest ago is removed.
//!
//! llama.cpp accepts any bytes as a state. So an entry is used only if its checksum fits, and only
//! by the model, version and processor that made it.

use crate::constrain::mask::TokenId;
use crate::workspace::private_folder::make_private_folder;
use crate::workspace::temporary::Temporary;
use cap_std::fs::{Dir, File};
use sha2::{Digest, Sha256};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::iter;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// How long an unused entry is kept.
const EXPIRES: Duration = Duration::from_secs(14 * 24 * 3600);

/// The most entries, and the most bytes of all entries.
const MAX_ENTRIES: usize = 64;
const MAX_BYTES: u64 = 2 << 30;

/// The fewest tokens worth keeping. Fewer are read as fast as loaded.
const WORTH_KEEPING: usize = 64;

const MAGIC: &[u8; 8] = b"swprefix";
const SUFFIX: &str = ".prefix";

/// Identifies what made a state. A state is of no use to anything else.
pub(super) type StateOrigin = [u8; 32];

/// The entries of one model, in a folder shared with other models.
pub(super) struct PrefixCache {
    folder: Dir,
    origin: StateOrigin,
    /// What of an entry is of use.
    serves: Serves,
}

/// What of an entry is of use to a prompt that begins otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Serves {
    /// Any beginning: the model can forget the tokens after it.
    AnyBeginning,
    /// The whole entry, or nothing.
    WholeOnly,
}

/// An entry whose state has not been read yet.
pub(super) struct CachedPrefix {
    name: String,
    file: File,
    pub tokens: Vec<TokenId>,
}

impl CachedPrefix {
    /// The number of tokens of a prompt that the entry has beyond the `n_read` already read.
    fn n_new(&self, prompt: &[TokenId], n_read: usize, serves: Serves) -> usize {
        match n_same(&self.tokens, prompt) {
            n_same if n_same < self.tokens.len() && serves == Serves::WholeOnly => 0,
            n_same => n_same.saturating_sub(n_read),
        }
    }
}

impl PrefixCache {
    /// Opens the folder, and makes it if it does not exist.
    pub fn open(folder: &Path, origin: StateOrigin, serves: Serves) -> io::Result<PrefixCache> {
        make_private_folder(folder)?;
        Ok(PrefixCache {
            folder: Dir::open_ambient_dir(folder, cap_std::ambient_authority())?,
            origin,
            serves,
        })
    }

    /// The entry with the longest beginning of a prompt. `None` unless that is longer than the
    /// `n_read` tokens already read, and worth loading.
    pub fn best(&self, prompt: &[TokenId], n_read: usize) -> Option<CachedPrefix> {
        let best = self
            .entries()
            .into_iter()
            .max_by_key(|entry| entry.n_new(prompt, n_read, self.serves))?;
        (best.n_new(prompt, n_read, self.serves) >= WORTH_KEEPING).then_some(best)
    }

    /// The state of an entry. If it is damaged, the entry is removed and `None` is returned.
    pub fn load(&self, mut entry: CachedPrefix) -> Option<Vec<u8>> {
        let state = read_state(&mut entry.file, &self.header(&entry.tokens))
            .ok()
            .flatten();
        match state {
            // Marks the entry as just used.
            Some(_) => drop(entry.file.into_std().set_modified(SystemTime::now())),
            None => drop(self.folder.remove_file(&entry.name)),
        }
        state
    }

    /// Whether these tokens are worth keeping and are not kept yet.
    pub fn wants(&self, tokens: &[TokenId]) -> bool {
        let serves = |entry: &CachedPrefix| match self.serves {
            Serves::AnyBeginning => entry.tokens.starts_with(tokens),
            Serves::WholeOnly => entry.tokens == tokens,
        };
        tokens.len() >= WORTH_KEEPING && !self.entries().iter().any(serves)
    }

    /// Keeps a state. It replaces older entries with mostly the same tokens after the first
    /// `n_fixed`, which are the same in every prompt: those are of the same file before an edit.
    pub fn keep(&self, tokens: &[TokenId], n_fixed: usize, state: &[u8]) -> io::Result<()> {
        if state.len() as u64 > MAX_BYTES / 4 {
            return Ok(());
        }
        for entry in self.entries() {
            let n_same = n_same(&entry.tokens, tokens).saturating_sub(n_fixed);
            if 2 * n_same > entry.tokens.len().saturating_sub(n_fixed) {
                let _ = self.folder.remove_file(&entry.name); // another process removed it first
            }
        }
        self.make_room(state.len() as u64);

        let header = self.header(tokens);
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&header);
        checksum.update(state);
        let mut temporary = Temporary::new(&self.folder)?;
        let file = temporary.file();
        for part in [
            header.as_slice(),
            &(state.len() as u64).to_le_bytes(),
            state,
            &checksum.finalize().to_le_bytes(),
        ] {
            file.write_all(part)?;
        }
        temporary.replace(Path::new(&entry_name(&header)))
    }

    /// The bytes of an entry before its state.
    fn header(&self, tokens: &[TokenId]) -> Vec<u8> {
        let n_tokens = tokens.len() as u32;
        let tokens = tokens.iter().flat_map(|token| token.to_le_bytes());
        MAGIC
            .iter()
            .copied()
            .chain(self.origin)
            .chain(n_tokens.to_le_bytes())
            .chain(tokens)
            .collect()
    }

    /// This model's entries.
    fn entries(&self) -> Vec<CachedPrefix> {
        let named = self.files().into_iter().map(|(name, ..)| name);
        named
            .filter_map(|name| self.entry(name).ok().flatten())
            .collect()
    }

    fn entry(&self, name: String) -> io::Result<Option<CachedPrefix>> {
        let mut file = self.folder.open(&name)?;
        let mut start = [0; MAGIC.len() + size_of::<StateOrigin>() + 4];
        let (magic, rest) = match file.read_exact(&mut start) {
            Ok(()) => start.split_at(MAGIC.len()),
            Err(_) => (&start[..0], &start[..]),
        };
        if magic != MAGIC {
            self.folder.remove_file(&name)?; // no version can use it
            return Ok(None);
        }
        let (origin, n_tokens) = rest.split_at(size_of::<StateOrigin>());
        let n_tokens = u64::from(u32::from_le_bytes(n_tokens.try_into().expect("four bytes")));
        if origin != self.origin || 4 * n_tokens > file.metadata()?.len() {
            return Ok(None);
        }
        let mut bytes = vec![0; 4 * n_tokens as usize];
        file.read_exact(&mut bytes)?;
        let tokens = bytes
            .chunks_exact(4)
            .map(|four| TokenId::from_le_bytes(four.try_into().expect("four bytes")))
            .collect();
        Ok(Some(CachedPrefix { name, file, tokens }))
    }

    /// The name, time of last use and size of every model's entries.
    fn files(&self) -> Vec<(String, SystemTime, u64)> {
        let entries = self.folder.entries().into_iter().flatten().flatten();
        entries
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let metadata = entry.metadata().ok()?;
                let used = metadata.modified().ok()?.into_std();
                let is_entry = name.ends_with(SUFFIX) && metadata.is_file();
                is_entry.then_some((name, used, metadata.len()))
            })
            .collect()
    }

    /// Removes expired entries, and then those used longest ago until `n_bytes` more fit.
    fn make_room(&self, n_bytes: u64) {
        let mut files = self.files();
        files.sort_by_key(|(_, used, _)| std::cmp::Reverse(*used));
        let mut n_files = 1;
        let mut total = n_bytes;
        for (name, used, size) in files {
            let is_old = used.elapsed().is_ok_and(|age| age > EXPIRES);
            if is_old || n_files == MAX_ENTRIES || total + size > MAX_BYTES {
                let _ = self.folder.remove_file(&name); // another process removed it first
            } else {
                n_files += 1;
                total += size;
            }
        }
    }
}

fn entry_name(header: &[u8]) -> String {
    let mut name = String::new();
    for byte in &Sha256::digest(header)[..12] {
        name += &format!("{byte:02x}");
    }
    name + SUFFIX
}

/// Reads the state after a header. `None` if the checksum at the end does not fit both.
fn read_state(file: &mut File, header: &[u8]) -> io::Result<Option<Vec<u8>>> {
    let len = file.metadata()?.len();
    file.seek(SeekFrom::Start(header.len() as u64))?;
    let mut size = [0; 8];
    file.read_exact(&mut size)?;
    let size = u64::from_le_bytes(size);
    if size > MAX_BYTES || len != header.len() as u64 + 8 + size + 4 {
        return Ok(None);
    }
    let mut state = vec![0; size as usize];
    file.read_exact(&mut state)?;
    let mut sum = [0; 4];
    file.read_exact(&mut sum)?;
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(header);
    checksum.update(&state);
    Ok((checksum.finalize() == u32::from_le_bytes(sum)).then_some(state))
}

/// The number of tokens that two sequences have in common at their beginning.
pub(super) fn n_same(a: &[TokenId], b: &[TokenId]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Identifies a model by the length and samples of its file and of its adapter's, and by whatever
/// else a state depends on. Reading gigabytes would cost more than the cache saves.
pub(super) fn origin(
    model: &Path,
    adapter: Option<&Path>,
    computes_on: &str,
) -> io::Result<StateOrigin> {
    let mut hash = Sha256::new();
    hash.update(env!("CARGO_PKG_VERSION"));
    hash.update([0]);
    hash.update(computes_on);
    hash.update([0]);
    for path in iter::once(model).chain(adapter) {
        sample(path, &mut hash)?;
    }
    Ok(hash.finalize().into())
}

/// Hashes the length of a file and samples of it.
fn sample(path: &Path, hash: &mut Sha256) -> io::Result<()> {
    const SAMPLES: u64 = 32;
    const SAMPLE_BYTES: u64 = 64 << 10;
    let mut file = std::fs::File::open(path)?;
    let len = file.metadata()?.len();
    hash.update(len.to_le_bytes());
    let step = (len / SAMPLES).max(SAMPLE_BYTES);
    let mut sample = Vec::new();
    for i in 0..SAMPLES {
        // The last sample is the end of the file.
        let at = if i + 1 == SAMPLES {
            len.saturating_sub(SAMPLE_BYTES)
        } else {
            i * step
        };
        file.seek(SeekFrom::Start(at))?;
        sample.clear();
        Read::by_ref(&mut file)
            .take(SAMPLE_BYTES)
            .read_to_end(&mut sample)?;
        hash.update(&sample);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(n: u32) -> Vec<TokenId> {
        (0..n).collect()
    }

    fn open(folder: &Path, origin: u8) -> PrefixCache {
        PrefixCache::open(folder, [origin; 32], Serves::AnyBeginning).unwrap()
    }

    fn n_files(folder: &Path) -> usize {
        std::fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn the_entry_with_the_most_of_a_prompt_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let cache = open(dir.path(), 1);
        assert!(cache.wants(&tokens(64)) && !cache.wants(&tokens(63)) && !cache.wants(&[]));
        cache.keep(&tokens(100), 0, b"a hundred").unwrap();
        let other: Vec<TokenId> = tokens(90).into_iter().chain(500..600).collect();
        cache.keep(&other, 0, b"ninety and others").unwrap();
        let state = |prompt: &[TokenId], n_read| {
            cache
                .best(prompt, n_read)
                .and_then(|entry| cache.load(entry))
        };
        assert_eq!(n_files(dir.path()), 1, "replaced: mostly the same tokens");
        assert_eq!(state(&other, 0).unwrap(), b"ninety and others");
        assert_eq!(
            state(&tokens(200), 0).unwrap(),
            b"ninety and others",
            "good for a beginning too"
        );
        assert_eq!(state(&tokens(200), 40), None, "not worth it");
        assert!(
            open(dir.path(), 2).best(&other, 0).is_none(),
            "another model's"
        );
    }

    #[test]
    fn entries_beside_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let cache = open(dir.path(), 1);
        let file = |name: TokenId| -> Vec<TokenId> {
            (0..30).chain((0..100).map(|i| name * 1000 + i)).collect()
        };
        for name in 1..4 {
            assert!(cache.wants(&file(name)));
            cache.keep(&file(name), 0, &[name as u8]).unwrap();
            assert!(
                !cache.wants(&file(name)) && !cache.wants(&file(name)[..100]),
                "there it is"
            );
        }
        for name in 1..4 {
            let entry = cache.best(&file(name), 0).unwrap();
            assert_eq!(cache.load(entry).unwrap(), [name as u8]);
        }
        assert_eq!(n_files(dir.path()), 3);
    }

    #[test]
    fn what_every_prompt_has_does_not_make_two_files_one() {
        let dir = tempfile::tempdir().unwrap();
        let cache = open(dir.path(), 1);
        let prompt =
            |file: std::ops::Range<u32>| -> Vec<TokenId> { (0..100).chain(file).collect() };
        let keep = |tokens: Vec<TokenId>| cache.keep(&tokens, 100, b"state").unwrap();
        keep(prompt(0..0));
        keep(prompt(1_000..1_080));
        keep(prompt(2_000..2_080));
        assert_eq!(n_files(dir.path()), 3);
        keep(
            prompt(1_000..1_060)
                .into_iter()
                .chain(5_000..5_020)
                .collect(),
        );
        assert_eq!(n_files(dir.path()), 3, "the first file after an edit");
        assert!(
            !cache.wants(&prompt(2_000..2_080)),
            "the second one is still there"
        );
    }

    #[test]
    fn damaged_entries_are_ignored_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let cache = open(dir.path(), 1);
        let state: Vec<u8> = (0..=255).collect();
        cache.keep(&tokens(70), 0, &state).unwrap();
        let path = std::fs::read_dir(dir.path())
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let whole = std::fs::read(&path).unwrap();
        let try_load = || cache.best(&tokens(70), 0).map(|entry| cache.load(entry));
        assert_eq!(try_load(), Some(Some(state.clone())));
        for n in 0..whole.len() {
            // Cut off at any byte.
            std::fs::write(&path, &whole[..n]).unwrap();
            assert_eq!(try_load().flatten(), None, "{n} bytes");
            // One bit changed.
            let mut damaged = whole.clone();
            damaged[n] ^= 1 << (n % 8);
            std::fs::write(&path, &damaged).unwrap();
            assert_eq!(try_load().flatten(), None, "byte {n}");
        }
        std::fs::write(&path, [&whole[..], b"more"].concat()).unwrap();
        assert_eq!(try_load(), Some(None));
        assert!(!path.exists(), "what is damaged is gone");
        cache.keep(&tokens(70), 0, &state).unwrap();
        assert_eq!(try_load(), Some(Some(state)), "and can be made again");
    }

    #[test]
    fn entries_expire_and_the_one_used_longest_ago_goes_first() {
        let dir = tempfile::tempdir().unwrap();
        let cache = open(dir.path(), 1);
        let file = |name: usize| -> Vec<TokenId> {
            (0..100).map(|i| (name * 1000 + i) as TokenId).collect()
        };
        let now = SystemTime::now();
        let age = |name: usize, seconds: u64| {
            let entry = cache.best(&file(name), 0).unwrap();
            entry
                .file
                .into_std()
                .set_modified(now - Duration::from_secs(seconds))
                .unwrap();
        };
        for name in 0..MAX_ENTRIES {
            cache.keep(&file(name), 0, b"state").unwrap();
            age(name, 1000 - name as u64);
        }
        let entry = cache.best(&file(0), 0).unwrap();
        cache.load(entry).unwrap(); // counts as used now
        cache.keep(&file(500), 0, b"one more").unwrap();
        assert_eq!(n_files(dir.path()), MAX_ENTRIES);
        assert!(cache.best(&file(0), 0).is_some() && cache.best(&file(1), 0).is_none());
        age(7, EXPIRES.as_secs() + 60);
        cache.keep(&file(501), 0, b"another").unwrap();
        assert!(cache.best(&file(7), 0).is_none());
    }

    #[cfg(unix)]
    #[test]
    fn only_their_owner_can_read_them() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("prefixes");
        open(&folder, 1).keep(&tokens(70), 0, b"state").unwrap();
        assert_eq!(
            std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777,
            0o700
        );
    }

    #[test]
    fn models_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("model");
        let mut made = std::collections::HashSet::new();
        let mut bytes = vec![7; 5 << 20];
        for change in [0, 5 << 19, (5 << 20) - 1] {
            bytes[change] += 1;
            std::fs::write(&path, &bytes).unwrap();
            made.insert(origin(&path, None, "CPU").unwrap());
        }
        bytes.push(7);
        std::fs::write(&path, &bytes).unwrap();
        made.insert(origin(&path, None, "CPU").unwrap());
        made.insert(origin(&path, None, "CUDA").unwrap());
        made.insert(origin(&path, Some(&path), "CPU").unwrap());
        assert_eq!(made.len(), 6);
        std::fs::write(&path, b"short").unwrap();
        assert_eq!(
            origin(&path, None, "CPU").unwrap(),
            origin(&path, None, "CPU").unwrap()
        );
    }
}
