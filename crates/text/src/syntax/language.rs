//! Which language a file is in, by its name, or by its first line.

use std::fmt;

macro_rules! languages {
    ($($name:ident, $spelled:literal, [$($ending:literal)*], [$($whole:literal)*];)*) => {
        /// A language that files are checked for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Language {
            $(#[doc = $spelled] $name,)*
        }

        impl Language {
            /// All of them.
            pub const ALL: &[Language] = &[$(Language::$name),*];
        }

        /// In the order of the variants.
        const TABLE: &[Row] = &[$(Row {
            language: Language::$name,
            name: $spelled,
            endings: &[$($ending),*],
            whole_names: &[$($whole),*],
        }),*];
    };
}

/// A language and its files.
struct Row {
    language: Language,
    /// The name as people write it.
    name: &'static str,
    /// How the names of its files end, in lower case.
    endings: &'static [&'static str],
    /// Names of files, in lower case.
    whole_names: &'static [&'static str],
}

// Endings, and whole names, in lower case. Most are those of GitHub's Linguist (MIT). Crates that hold its
// table count zsh and tmux as shell and every yarn.lock as YAML, which the grammars cannot read.
languages! {
    Bash, "shell", ["sh" "bash" "command" "ebuild" "eclass"], [
        ".bash_aliases" ".bash_functions" ".bash_login" ".bash_logout" ".bash_profile" ".bashrc" ".envrc"
        ".profile" ".xinitrc" ".xprofile" ".xsession" "apkbuild" "bash.bashrc" "bashrc" "gradlew" "mvnw"
        "pkgbuild"
    ];
    C, "C", ["c"], [];
    // A header may be either's, and most of C is C++.
    Cpp, "C++", [
        "c++" "cc" "cpp" "cxx" "h" "h++" "hh" "hpp" "hxx" "inl" "ino" "ipp" "tcc" "tpp" "txx"
    ], [];
    CSharp, "C#", ["cs"], [];
    Css, "CSS", ["css"], [];
    Go, "Go", ["go"], [];
    Html, "HTML", ["htm" "html" "xht" "xhtml"], [];
    Java, "Java", ["java"], [];
    JavaScript, "JavaScript", ["cjs" "es6" "js" "jsm" "jsx" "mjs" "njs"], ["jakefile"];
    Json, "JSON", [
        "avsc" "geojson" "gltf" "har" "ipynb" "json" "jsonl" "jsonld" "mcmeta" "ndjson" "sarif" "tfstate"
        "topojson" "webapp" "webmanifest" "yyp"
    ], [
        ".all-contributorsrc" ".arcconfig" ".auto-changelog" ".bowerrc" ".c8rc" ".htmlhintrc" ".nycrc"
        ".tern-config" ".tern-project" ".watchmanconfig" "composer.lock" "deno.lock" "flake.lock"
        "mcmod.info" "module.bazel.lock" "package.resolved" "pipfile.lock"
    ];
    // Its readers also allow a comma after the last item.
    Jsonc, "JSON with comments", [
        "code-snippets" "code-workspace" "hujson" "jsonc" "sublime-build" "sublime-color-scheme"
        "sublime-commands" "sublime-completions" "sublime-keymap" "sublime-macro" "sublime-menu"
        "sublime-mousemap" "sublime-project" "sublime-settings" "sublime-theme" "sublime-workspace"
    ], [
        ".devcontainer.json" ".eslintrc.json" ".jscsrc" ".jshintrc" ".jslintrc" ".oxlintrc.json" ".swcrc"
        "api-extractor.json" "bun.lock" "deno.json" "devcontainer.json" "language-configuration.json"
        "tslint.json"
    ];
    Kotlin, "Kotlin", ["kt" "ktm" "kts"], [];
    Php, "PHP", ["php" "php3" "php4" "php5" "phtml"], [".php_cs" ".php_cs.dist"];
    Python, "Python", ["bzl" "gyp" "gypi" "py" "py3" "pyi" "pyw" "tac" "wsgi"], [
        ".gclient" ".pythonrc" "build.bazel" "module.bazel" "sconscript" "sconstruct" "workspace.bazel" "wscript"
    ];
    Ruby, "Ruby", [
        "builder" "gemspec" "jbuilder" "podspec" "prawn" "rabl" "rake" "rb" "rbi" "rbw" "ru" "thor"
    ], [
        ".irbrc" ".pryrc" ".simplecov" "appfile" "appraisals" "berksfile" "brewfile" "capfile" "dangerfile"
        "deliverfile" "fastfile" "gemfile" "guardfile" "matchfile" "podfile" "puppetfile" "rakefile"
        "snapfile" "steepfile" "thorfile" "vagrantfile"
    ];
    Rust, "Rust", ["rs"], [];
    Swift, "Swift", ["swift"], [];
    Toml, "TOML", ["toml"], [
        "cargo.lock" "cargo.toml.orig" "gopkg.lock" "mise.lock" "pdm.lock" "pipfile" "poetry.lock" "pylock"
        "uv.lock"
    ];
    Tsx, "TSX", ["tsx"], [];
    TypeScript, "TypeScript", ["cts" "mts" "ts"], [];
    Yaml, "YAML", ["cff" "sublime-syntax" "yaml" "yaml-tmlanguage" "yml"], [
        ".clang-format" ".clang-tidy" ".clangd" ".gemrc" ".yamllint" "buf.lock" "chart.lock" "glide.lock"
        "pixi.lock" "podfile.lock" "pubspec.lock"
    ];
}

/// Names of settings that may be JSON with comments or YAML.
const JSON_OR_YAML: [&str; 6] = [
    ".babelrc",
    ".eslintrc",
    ".lintstagedrc",
    ".prettierrc",
    ".releaserc",
    ".stylelintrc",
];

impl Language {
    /// The name as people write it.
    pub fn name(self) -> &'static str {
        TABLE[self as usize].name
    }

    /// The language of a file, by its name.
    pub fn of(path: &str) -> Option<Language> {
        let path = path.to_ascii_lowercase();
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        // VS Code's own settings, and TypeScript's under names like tsconfig.build.json.
        let has_comments = folder.rsplit('/').next() == Some(".vscode")
            || ["tsconfig.", "jsconfig."]
                .iter()
                .any(|start| name.starts_with(start));
        let row = TABLE
            .iter()
            .find(|row| row.whole_names.contains(&name))
            .or_else(|| TABLE.iter().find(|row| row.endings.contains(&ending)))?;
        if row.language == Language::Json && has_comments {
            Some(Language::Jsonc)
        } else {
            Some(row.language)
        }
    }

    /// The language of a file whose name may not tell it: by the program that its first line names.
    pub fn of_file(path: &str, text: &str) -> Option<Language> {
        let name = path.rsplit('/').next()?;
        if JSON_OR_YAML.contains(&name) {
            let is_json = text.trim_start().starts_with(['{', '/']);
            return Some(if is_json {
                Language::Jsonc
            } else {
                Language::Yaml
            });
        }
        Language::of(path).or_else(|| Language::of_interpreter(text.strip_prefix("#!")?))
    }

    /// The language of a script. `line`: begins with the program that runs it, and its arguments.
    fn of_interpreter(line: &str) -> Option<Language> {
        let mut words = line.lines().next()?.split_whitespace();
        let mut program = words.next()?.rsplit('/').next()?;
        if program == "env" {
            let argument = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
            program = argument.rsplit('/').next()?;
        }
        match program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
            "ash" | "bash" | "dash" | "sh" => Some(Language::Bash),
            "node" | "nodejs" => Some(Language::JavaScript),
            "php" => Some(Language::Php),
            "pypy" | "python" => Some(Language::Python),
            "jruby" | "ruby" => Some(Language::Ruby),
            _ => None,
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
