//! The grammar of each language.

use super::language::Language;
use arborium::tree_sitter;
use arborium::{
    lang_bash, lang_c, lang_c_sharp, lang_cpp, lang_css, lang_go, lang_html, lang_java,
    lang_javascript, lang_json, lang_kotlin, lang_php, lang_python, lang_ruby, lang_rust,
    lang_swift, lang_toml, lang_tsx, lang_typescript, lang_yaml,
};

/// The grammar of a language.
pub fn grammar(language: Language) -> tree_sitter::Language {
    let grammar = match language {
        Language::Bash => lang_bash::language(),
        Language::C => lang_c::language(),
        Language::Cpp => lang_cpp::language(),
        Language::CSharp => lang_c_sharp::language(),
        Language::Css => lang_css::language(),
        Language::Go => lang_go::language(),
        Language::Html => lang_html::language(),
        Language::Java => lang_java::language(),
        Language::JavaScript => lang_javascript::language(),
        Language::Json | Language::Jsonc => lang_json::language(),
        Language::Kotlin => lang_kotlin::language(),
        Language::Php => lang_php::language(),
        Language::Python => lang_python::language(),
        Language::Ruby => lang_ruby::language(),
        Language::Rust => lang_rust::language(),
        Language::Swift => lang_swift::language(),
        Language::Toml => lang_toml::language(),
        Language::Tsx => lang_tsx::language(),
        Language::TypeScript => lang_typescript::language(),
        Language::Yaml => lang_yaml::language(),
    };
    grammar.into()
}

/// Which nodes of a language's tree are coloured, as its grammar's own editors have it.
pub(super) fn highlights_query(language: Language) -> &'static str {
    match language {
        Language::Bash => lang_bash::HIGHLIGHTS_QUERY,
        Language::C => lang_c::HIGHLIGHTS_QUERY,
        Language::Cpp => &lang_cpp::HIGHLIGHTS_QUERY,
        Language::CSharp => lang_c_sharp::HIGHLIGHTS_QUERY,
        Language::Css => lang_css::HIGHLIGHTS_QUERY,
        Language::Go => lang_go::HIGHLIGHTS_QUERY,
        Language::Html => lang_html::HIGHLIGHTS_QUERY,
        Language::Java => lang_java::HIGHLIGHTS_QUERY,
        Language::JavaScript => lang_javascript::HIGHLIGHTS_QUERY,
        Language::Json | Language::Jsonc => lang_json::HIGHLIGHTS_QUERY,
        Language::Kotlin => lang_kotlin::HIGHLIGHTS_QUERY,
        Language::Php => lang_php::HIGHLIGHTS_QUERY,
        Language::Python => lang_python::HIGHLIGHTS_QUERY,
        Language::Ruby => lang_ruby::HIGHLIGHTS_QUERY,
        Language::Rust => lang_rust::HIGHLIGHTS_QUERY,
        Language::Swift => lang_swift::HIGHLIGHTS_QUERY,
        Language::Toml => lang_toml::HIGHLIGHTS_QUERY,
        Language::Tsx => &lang_tsx::HIGHLIGHTS_QUERY,
        Language::TypeScript => &lang_typescript::HIGHLIGHTS_QUERY,
        Language::Yaml => lang_yaml::HIGHLIGHTS_QUERY,
    }
}
