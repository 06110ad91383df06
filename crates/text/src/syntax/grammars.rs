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
    grammar_and_query(language).0
}

/// Which nodes of a language's tree are coloured, as its grammar's own editors have it.
pub(super) fn highlights_query(language: Language) -> &'static str {
    grammar_and_query(language).1
}

fn grammar_and_query(language: Language) -> (tree_sitter::Language, &'static str) {
    match language {
        Language::Bash => (lang_bash::language().into(), lang_bash::HIGHLIGHTS_QUERY),
        Language::C => (lang_c::language().into(), lang_c::HIGHLIGHTS_QUERY),
        Language::Cpp => (lang_cpp::language().into(), &lang_cpp::HIGHLIGHTS_QUERY),
        Language::CSharp => (
            lang_c_sharp::language().into(),
            lang_c_sharp::HIGHLIGHTS_QUERY,
        ),
        Language::Css => (lang_css::language().into(), lang_css::HIGHLIGHTS_QUERY),
        Language::Go => (lang_go::language().into(), lang_go::HIGHLIGHTS_QUERY),
        Language::Html => (lang_html::language().into(), lang_html::HIGHLIGHTS_QUERY),
        Language::Java => (lang_java::language().into(), lang_java::HIGHLIGHTS_QUERY),
        Language::JavaScript => (
            lang_javascript::language().into(),
            lang_javascript::HIGHLIGHTS_QUERY,
        ),
        Language::Json | Language::Jsonc => {
            (lang_json::language().into(), lang_json::HIGHLIGHTS_QUERY)
        }
        Language::Kotlin => (
            lang_kotlin::language().into(),
            lang_kotlin::HIGHLIGHTS_QUERY,
        ),
        Language::Php => (lang_php::language().into(), lang_php::HIGHLIGHTS_QUERY),
        Language::Python => (
            lang_python::language().into(),
            lang_python::HIGHLIGHTS_QUERY,
        ),
        Language::Ruby => (lang_ruby::language().into(), lang_ruby::HIGHLIGHTS_QUERY),
        Language::Rust => (lang_rust::language().into(), lang_rust::HIGHLIGHTS_QUERY),
        Language::Swift => (lang_swift::language().into(), lang_swift::HIGHLIGHTS_QUERY),
        Language::Toml => (lang_toml::language().into(), lang_toml::HIGHLIGHTS_QUERY),
        Language::Tsx => (lang_tsx::language().into(), &lang_tsx::HIGHLIGHTS_QUERY),
        Language::TypeScript => (
            lang_typescript::language().into(),
            &lang_typescript::HIGHLIGHTS_QUERY,
        ),
        Language::Yaml => (lang_yaml::language().into(), lang_yaml::HIGHLIGHTS_QUERY),
    }
}
