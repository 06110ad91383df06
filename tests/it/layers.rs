//! The map in `src/lib.rs` is true: a module imports only modules below it, and no files import
//! each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Path below `src` and text, without comments and tests.
type Sources = BTreeMap<String, String>;

fn sources() -> Sources {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Sources::new();
    read_sources(&root.join("src"), "", &mut sources);
    for name in ["text", "patch"] {
        let own = root.join("crates").join(name).join("src");
        read_sources(&own, "", &mut sources);
    }
    sources.remove("lib.rs");
    sources.remove("main.rs");

    // This crate is one module of the program.
    let own = root.join("crates/constrain/src");
    let mut constrain = Sources::new();
    read_sources(&own, "constrain/", &mut constrain);
    let lib = constrain.remove("constrain/lib.rs").unwrap();
    constrain.insert("constrain/mod.rs".to_owned(), lib);
    for (name, code) in constrain {
        let code = code.replace("crate::", "crate::constrain::");
        let code = ["edit", "slots", "text"].iter().fold(code, |code, name| {
            code.replace(
                &format!("crate::constrain::{name}::"),
                &format!("crate::{name}::"),
            )
        });
        sources.insert(name, code);
    }
    sources
}

/// Adds the files below `folder`, by their path in it behind `prefix`.
fn read_sources(folder: &Path, prefix: &str, sources: &mut Sources) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            read_sources(&path, &format!("{name}/"), sources);
            continue;
        }
        // Tests may look at everything.
        if !name.ends_with(".rs") || name.ends_with("tests.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod").next().unwrap();
        let lines = code.lines().map(|line| line.split("//").next().unwrap());
        // Where a thing may be seen from is no import.
        let code = lines
            .collect::<Vec<_>>()
            .join("\n")
            .replace("(in crate::", "(in ");
        sources.insert(name, code);
    }
}

/// The module of a file: `flow/mod.rs` is `flow`, `flow/pick.rs` is `flow::pick`.
fn module(file: &str) -> String {
    let path = file.trim_end_matches(".rs").trim_end_matches("/mod");
    path.replace('/', "::")
}

/// The paths that a file imports or names, from the root of the crate: `flow::pick::Target`.
fn paths(file: &str, code: &str) -> Vec<String> {
    let own = module(file);
    let mut found = Vec::new();
    let mut expand_at = |at: usize, base: &str| {
        let rest = &code[at..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "_:{},* \n".contains(c)));
        expand(base, &rest[..end.unwrap_or(rest.len())], &mut found);
    };
    const CRATE: &str = "crate::";
    code.match_indices(CRATE)
        .for_each(|(at, _)| expand_at(at + CRATE.len(), ""));
    const SUPER: &str = "super::";
    for (at, _) in code
        .match_indices(SUPER)
        .filter(|(at, _)| !code[..*at].ends_with(SUPER))
    {
        let (mut base, mut at) = (own.as_str(), at);
        while code[at..].starts_with(SUPER) {
            base = base.rsplit_once("::").map_or("", |(parent, _)| parent);
            at += SUPER.len();
        }
        expand_at(at, base);
    }
    found
}

/// Takes the braces of `a::{b, c::d}` apart.
fn expand(base: &str, path: &str, found: &mut Vec<String>) {
    let join = |name: &str| match (base, name) {
        ("", name) => name.to_owned(),
        (base, "") => base.to_owned(),
        (base, name) => format!("{base}::{name}"),
    };
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let head = &path[..path.find(|c| !is_part(c)).unwrap_or(path.len())];
    let rest = &path[head.len()..];
    match rest.strip_prefix('{') {
        None => found.push(join(head)),
        Some(inner) => {
            let (mut depth, mut from) = (1, 0);
            for (at, c) in inner.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                if depth == 0 || (depth == 1 && c == ',') {
                    let base = join(head.trim_end_matches("::"));
                    expand(&base, inner[from..at].trim(), found);
                    from = at + 1;
                }
                if depth == 0 {
                    break;
                }
            }
        }
    }
}

#[test]
fn a_module_imports_only_modules_below_it() {
    let sources = sources();
    let map = include_str!("../../src/lib.rs");
    let rows = map.lines().filter_map(|line| line.strip_prefix("//! | [`"));
    let order: Vec<&str> = rows
        .map(|row| row.trim_start_matches("mod@").split('`').next().unwrap())
        .collect();
    assert!(order.len() > 15, "{order:?}");
    let level = |name: &str| order.iter().position(|other| *other == name);
    let mut wrong = Vec::new();
    for (file, code) in &sources {
        let own = module(file);
        let own = own.split("::").next().unwrap();
        if ["main", "lib", "launcher"].contains(&own) {
            continue;
        }
        let own_level = level(own).unwrap_or_else(|| panic!("{own} is not on the map"));
        for path in paths(file, code) {
            let name = path.split("::").next().unwrap();
            if level(name).is_some_and(|level| level < own_level) {
                wrong.push(format!("{file} imports {name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A terminal, an editor and an agent have everything in common by `app`.
#[test]
fn no_face_imports_another() {
    const FACES: [&str; 3] = ["cli", "acp", "mcp"];
    let mut wrong = Vec::new();
    for (file, code) in &sources() {
        let own = module(file);
        let own = own.split("::").next().unwrap();
        for path in paths(file, code) {
            let name = path.split("::").next().unwrap();
            if FACES.contains(&own) && FACES.contains(&name) && name != own {
                wrong.push(format!("{file} imports {name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_import_graph_of_the_design_page_is_current() {
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let sources = sources();
    let top = |module: &str| module.split("::").next().unwrap().to_owned();
    let modules: BTreeSet<String> = sources.keys().map(|file| top(&module(file))).collect();
    for (file, code) in &sources {
        let own = top(&module(file));
        let targets = paths(file, code).into_iter().map(|path| top(&path));
        let others = targets.filter(|target| *target != own && modules.contains(target));
        imports.entry(own.clone()).or_default().extend(others);
    }
    let page = include_str!("../../docs/design.md");
    let graph = page.split("## Import graph").nth(1).unwrap();
    let mut n_rows = 0;
    for (names, targets) in graph.lines().filter_map(|line| line.split_once('→')) {
        let targets = targets.trim();
        if targets.starts_with("all ") {
            continue; // the command line may use everything
        }
        let expected: BTreeSet<String> = targets
            .split(' ')
            .filter(|name| *name != "nothing")
            .map(str::to_owned)
            .collect();
        for name in names.split(',').map(str::trim) {
            assert_eq!(
                imports[name], expected,
                "what {name} imports: docs/design.md"
            );
            n_rows += 1;
        }
    }
    assert!(n_rows > 15, "{n_rows} rows");
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let sources = sources();
    let modules: BTreeSet<String> = sources.keys().map(|file| module(file)).collect();
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (file, code) in &sources {
        let own = module(file);
        for path in paths(file, code) {
            // The longest beginning of the path that is a file.
            let parts: Vec<&str> = path.split("::").collect();
            let target = (1..=parts.len()).rev().map(|n| parts[..n].join("::"));
            if let Some(target) = target.into_iter().find(|path| modules.contains(path))
                && target != own
            {
                imports.entry(own.clone()).or_default().insert(target);
            }
        }
        // A module that re-exports or calls what its children have imports them.
        for child in modules
            .iter()
            .filter(|m| m.rsplit_once("::").is_some_and(|p| p.0 == own))
        {
            let name = child.rsplit("::").next().unwrap();
            let is_named = code.match_indices(&format!("{name}::")).any(|(at, _)| {
                !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
            });
            if is_named {
                imports
                    .entry(own.clone())
                    .or_default()
                    .insert(child.clone());
            }
        }
    }
    assert!(imports.len() > 100, "{} files import others", imports.len());
    // What imports nothing that is left is in no circle.
    loop {
        let done: Vec<String> = imports
            .iter()
            .filter(|(_, targets)| targets.iter().all(|target| !imports.contains_key(target)))
            .map(|(file, _)| file.clone())
            .collect();
        if done.is_empty() {
            break;
        }
        done.iter().for_each(|file| drop(imports.remove(file)));
    }
    // Files that only lead to a circle are taken off from the other side.
    loop {
        let used: BTreeSet<String> = imports.values().flatten().cloned().collect();
        let n = imports.len();
        imports.retain(|file, _| used.contains(file));
        if imports.len() == n {
            break;
        }
    }
    assert!(imports.is_empty(), "in a circle: {imports:#?}");
}
