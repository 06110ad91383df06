//! Which language a file is in, by its name.

use std::fmt;

macro_rules! languages {
    ($($name:ident, $spelled:literal, $($extension:literal)|+;)*) => {
        /// A language that files are checked for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Language {
            $(#[doc = $spelled] $name,)*
        }

        impl Language {
            /// All of them.
            pub const ALL: &[Language] = &[$(Language::$name),*];

            /// As people write it.
            pub fn name(self) -> &'static str {
                match self { $(Language::$name => $spelled,)* }
            }

            fn of_extension(extension: &str) -> Option<Language> {
                match extension { $($($extension)|+ => Some(Language::$name),)* _ => None }
            }
        }
    };
}

languages! {
    Bash, "shell", "sh" | "bash";
    C, "C", "c";
    // A header may be either's, and most of C is C++.
    Cpp, "C++", "cc" | "cpp" | "cxx" | "h" | "hh" | "hpp" | "hxx";
    CSharp, "C#", "cs";
    Css, "CSS", "css";
    Go, "Go", "go";
    Html, "HTML", "htm" | "html";
    Java, "Java", "java";
    JavaScript, "JavaScript", "cjs" | "js" | "jsx" | "mjs";
    Json, "JSON", "json";
    Kotlin, "Kotlin", "kt" | "kts";
    Php, "PHP", "php";
    Python, "Python", "py" | "pyi";
    Ruby, "Ruby", "rb";
    Rust, "Rust", "rs";
    Swift, "Swift", "swift";
    Toml, "TOML", "toml";
    Tsx, "TSX", "tsx";
    TypeScript, "TypeScript", "cts" | "mts" | "ts";
    Yaml, "YAML", "yaml" | "yml";
}

impl Language {
    /// The language of a file, by the ending of its name.
    pub fn of(path: &str) -> Option<Language> {
        let name = path.rsplit('/').next()?;
        let (_, extension) = name.rsplit_once('.')?;
        Language::of_extension(&extension.to_ascii_lowercase())
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
