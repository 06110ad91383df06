//! Models of this machine into the own store and out of it, and which one is the default.

use super::*;

#[test]
fn a_model_is_imported_once_and_removed_after_a_question() {
    let (home, server) = (Home::new(), sound());
    let run = |arguments: &[&str]| Run::from(command(&home, &server, arguments).output().unwrap());
    let file = home.path("mine-Q8_0.gguf");
    model(&file);
    let path = file.to_str().unwrap();
    run(&["models", "import", path]).says(0, "slotwright: imported; --model mine-Q8_0 uses it");
    assert_eq!(home.models(), ["slotwright mine-Q8_0"]);
    run(&["models", "import", path]).says(0, "it is in the store already, as mine-Q8_0");
    let stored = home.path(".local/share/slotwright/models/mine-Q8_0.gguf");
    run(&["models", "import", stored.to_str().unwrap()]).says(0, "in the store already");
    assert_eq!(fs::read(&stored).unwrap(), fs::read(&file).unwrap());

    // Another file of the same name, and one that is no model.
    let other = home.path("other/mine-Q8_0.gguf");
    fs::create_dir(other.parent().unwrap()).unwrap();
    let mut changed = fs::read(&file).unwrap();
    *changed.last_mut().unwrap() ^= 1;
    fs::write(&other, &changed).unwrap();
    run(&["models", "import", other.to_str().unwrap()]).says(1, "is there already, and is another");
    fs::write(&other, "text").unwrap();
    run(&["models", "import", other.to_str().unwrap()]).says(1, "mine-Q8_0.gguf is of no use: ");
    run(&["models", "import", "nowhere.gguf"]).says(4, "cannot read nowhere.gguf");

    run(&["models", "remove", "mine"])
        .says(3, "there is no terminal to ask at; nothing was removed");
    assert!(stored.exists());
    run(&["models", "remove", "--yes", "mine"]).says(0, "slotwright: removed mine-Q8_0 (");
    assert!(!stored.exists() && file.exists());
    run(&["models", "remove", "--yes", "mine"]).says(2, "no model on this machine is called");
}

#[test]
fn a_split_model_is_imported_and_removed_whole() {
    let (home, server) = (Home::new(), sound());
    let run = |arguments: &[&str]| Run::from(command(&home, &server, arguments).output().unwrap());
    let parts = [
        "big-Q8_0-00001-of-00002.gguf",
        "big-Q8_0-00002-of-00002.gguf",
    ];
    model(&home.path(parts[0]));
    let first = home.path(parts[0]);
    let incomplete = run(&["models", "import", first.to_str().unwrap()]);
    incomplete.says(4, "cannot read");
    model(&home.path(parts[1]));
    run(&["models", "import", first.to_str().unwrap()]).says(0, "imported");
    let store = home.path(".local/share/slotwright/models");
    let mut stored = names(&store);
    stored.sort();
    assert_eq!(stored, parts);
    run(&["models", "remove", "--yes", "big-Q8_0"]).says(0, "removed");
    assert!(names(&store).is_empty());
}

#[test]
fn models_of_other_programs_are_not_removed() {
    let (home, server) = (Home::new().with("OLLAMA_MODELS", "o"), sound());
    home.ollama("o", "registry.ollama.ai/library/small/1b", model);
    home.hub(".cache/huggingface/hub", REPOSITORY, FILE);
    let run = |arguments: &[&str]| Run::from(command(&home, &server, arguments).output().unwrap());
    let ollama = run(&["models", "remove", "--yes", "small:1b"]).says(1, "is not slotwright's: /");
    assert!(
        ollama
            .stderr
            .contains("hint: Ollama removes it: ollama rm small:1b"),
        "{ollama:#?}"
    );
    run(&["models", "remove", "--yes", "tiny"]).says(1, "hint: it is kept by: hf");
    assert_eq!(home.models().len(), 2);
}

#[test]
fn a_file_that_cannot_be_used_is_removed_from_the_store() {
    let (home, server) = (Home::new(), sound());
    let broken = home.path(".local/share/slotwright/models/a/b-GGUF/b-Q8_0.gguf");
    fs::create_dir_all(broken.parent().unwrap()).unwrap();
    fs::write(&broken, "text").unwrap();
    let arguments = ["models", "remove", "--yes", "a/b-GGUF:Q8_0"];
    let run = Run::from(command(&home, &server, &arguments).output().unwrap());
    run.says(0, "removed a/b-GGUF:Q8_0");
    assert!(
        !home.path(".local/share/slotwright/models/a").exists(),
        "nor its empty folders"
    );
}

#[test]
fn the_default_is_kept_in_the_persons_configuration() {
    let (home, server) = (Home::new().with("OLLAMA_MODELS", "o"), sound());
    home.ollama("o", "registry.ollama.ai/library/small/1b", model);
    let run = |arguments: &[&str]| Run::from(command(&home, &server, arguments).output().unwrap());
    run(&["models", "default"]).says(0, "there is no model to use");
    let config = home.path(".config/slotwright/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, "# mine\nthreads = 9\n").unwrap();
    run(&["models", "default", "small"]).says(0, "slotwright: the default is small:1b now (/");
    assert_eq!(
        fs::read_to_string(&config).unwrap(),
        "# mine\nthreads = 9\nmodel = \"small:1b\"\n"
    );
    run(&["models", "default"]).says(0, "the default is small:1b (/");
    // It is weaker than the bundled one, and used all the same.
    let list = run(&["models"]).says(0, "* is used without --model, as it is set (/");
    assert!(
        list.stdout
            .lines()
            .any(|line| line.starts_with("*  small:1b ")),
        "{list:#?}"
    );
    assert_eq!(list.stdout.matches('*').count(), 1);
    run(&["models", "default", "smal"]).says(0, "small:1b now");
    run(&["models", "default", "zzz"]).says(2, "no model on this machine is called \"zzz\"");
    let json = run(&["models", "default", "--json"]);
    let report: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        (&report["name"], &report["status"]),
        (&json!("small:1b"), &json!("already_done"))
    );
    run(&["models", "default", "--best"]).says(0, "the default is the best model on this machine");
    assert_eq!(
        fs::read_to_string(&config).unwrap(),
        "# mine\nthreads = 9\n"
    );

    let mut other = command(&home, &server, &["models", "default", "bundled"]);
    let run = Run::from(other.env("SLOTWRIGHT_MODEL", "small").output().unwrap());
    run.says(0, "but SLOTWRIGHT_MODEL is set, and counts before it");
    let list = |reference: &str| {
        let mut command = command(&home, &server, &["models"]);
        Run::from(command.env("SLOTWRIGHT_MODEL", reference).output().unwrap())
    };
    let bundled = list("bundled").says(0, "as it is set (environment: SLOTWRIGHT_MODEL)");
    assert!(
        bundled
            .stdout
            .lines()
            .any(|line| line.starts_with("*  bundled ")),
        "{bundled:#?}"
    );
    let on_server = list("http://127.0.0.1:9/v1#m");
    on_server.says(
        0,
        "without --model http://127.0.0.1:9/v1#m is used, as it is set",
    );
    let lost = list("zzz").says(
        0,
        "(environment: SLOTWRIGHT_MODEL): no model on this machine",
    );
    assert!(!lost.stdout.contains('*'), "{lost:#?}");
}
