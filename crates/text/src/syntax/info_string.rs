//! The word after a code fence: the language of a file.

use super::language::Language;

/// Words for commands and what they print, in which no file is written but their own.
const SHELLS: [&str; 8] = [
    "bash",
    "console",
    "powershell",
    "sh",
    "shell",
    "terminal",
    "zsh",
    "output",
];

/// Whether a word names the language of a file; `None` if it says nothing about that.
pub fn names_language(word: &str, path: &str) -> Option<bool> {
    let word = word.to_lowercase();
    let name = file_name(path).to_lowercase();
    let extension = extension(&name);
    if word.is_empty() {
        return None;
    }

    let is_page = matches!(word.as_str(), "markdown" | "md")
        && matches!(extension, "md" | "mdx" | "markdown");
    let is_text = matches!(word.as_str(), "text" | "plaintext") && extension == "txt";
    if word == extension || word == name || is_page || is_text {
        return Some(true);
    }
    match (of_word(&word), Language::of(path)) {
        (Some(named), Some(own)) => Some(family(named) == family(own)),
        (Some(_), None) => Some(false),
        (None, _) if SHELLS.contains(&word.as_str()) => Some(false),
        (None, _) => None,
    }
}

/// The word that models write after the fence of a file; empty if its language is not known.
pub fn info_string(path: &str, text: &str) -> String {
    match Language::of_file(path, text) {
        Some(Language::Bash) => "bash".to_owned(),
        Some(Language::CSharp) => "csharp".to_owned(),
        Some(Language::Cpp) => "cpp".to_owned(),
        Some(Language::Jsonc) => "jsonc".to_owned(),
        Some(language) => language.name().to_lowercase(),
        None => extension(file_name(path)).to_lowercase(),
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

fn of_word(word: &str) -> Option<Language> {
    let short = match word {
        "golang" => "go",
        "csharp" => "cs",
        "cplusplus" => "cpp",
        "zsh" | "shell" => "sh",
        word => word,
    };
    Language::ALL
        .iter()
        .find(|language| language.name().eq_ignore_ascii_case(short))
        .copied()
        .or_else(|| Language::of(&format!("x.{short}")))
}

/// Languages whose files are called by each other's names.
fn family(language: Language) -> Language {
    match language {
        Language::Cpp => Language::C,
        Language::Tsx | Language::TypeScript => Language::JavaScript,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_files() {
        for (word, path, expected) in [
            ("python", "tests/test_a.py", Some(true)),
            ("py", "a.py", Some(true)),
            ("c", "a.h", Some(true)),
            ("ts", "a.tsx", Some(true)),
            ("lua", "a.lua", Some(true)),
            ("markdown", "a.md", Some(true)),
            ("text", "a.txt", Some(true)),
            ("makefile", "Makefile", Some(true)),
            ("bash", "a.py", Some(false)),
            ("console", "a.py", Some(false)),
            ("bash", "run.sh", Some(true)),
            ("python", "notes.txt", Some(false)),
            ("", "a.py", None),
            ("text", "a.py", None),
        ] {
            assert_eq!(names_language(word, path), expected, "{word} {path}");
        }
    }
}
