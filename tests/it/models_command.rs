//! `slotwright models`, and the names that `--model` takes: in a home with the stores of other
//! programs, laid out as these do it.

use crate::support::gguf::Gguf;
use crate::support::model_stores::{Home, header, model};
use crate::support::{PROGRAM, Run, folder, quiet, random::Random};
use serde_json::json;
use slotwright::models::header::{Extent, Header};
use slotwright::models::{ModelFolders, Store, look};
use std::fs;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

const OLLAMA: &str = ".ollama/models";

fn bundled(path: &Path) {
    fs::copy(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("models/bundled.gguf"),
        path,
    )
    .unwrap();
}

/// Sorted, since models that are equally good come by their names.
#[track_caller]
fn check(home: &Home, expected: &[&str]) {
    let mut models = home.models();
    models.sort();
    assert_eq!(models, expected);
}

#[test]
fn the_models_of_every_store_are_found() {
    let home = Home::new();
    home.ollama(
        OLLAMA,
        "registry.ollama.ai/library/qwen2.5-coder/1.5b",
        model,
    );
    home.ollama(OLLAMA, "registry.ollama.ai/someone/llama/latest", model);
    home.ollama(OLLAMA, "hf.co/bartowski/Phi-GGUF/Q4_K_M", model);
    home.file(".lmstudio/models/Qwen/Coder-GGUF/coder-q4_k_m.gguf");
    home.file(".lmstudio/models/Qwen/Coder-GGUF/coder-q8_0.gguf");
    home.hub(
        ".cache/huggingface/hub",
        "unsloth/Gemma-GGUF",
        "gemma-Q4_K_M.gguf",
    );
    home.hub(
        ".cache/huggingface/hub",
        "unsloth/Other-GGUF",
        "Q8_0/other-Q8_0.gguf",
    );
    home.file(".cache/llama.cpp/ggml-org_Smol-GGUF_smol-q8_0.gguf");
    home.file("jan/models/tiny/model.gguf");
    home.file(".local/share/Jan/data/models/huggingface.co/cortex/small-Q4_0.gguf");
    home.file(".local/share/nomic.ai/GPT4All/Mistral.Q4_0.gguf");
    home.file(".local/share/slotwright/models/mine.gguf");
    let all = [
        "gpt4all Mistral.Q4_0",
        "hf unsloth/Gemma-GGUF:Q4_K_M",
        "hf unsloth/Other-GGUF:Q8_0",
        "jan huggingface.co/cortex:Q4_0",
        "jan tiny",
        "llama.cpp ggml-org_Smol-GGUF_smol-q8_0",
        "lmstudio Qwen/Coder-GGUF:Q4_K_M",
        "lmstudio Qwen/Coder-GGUF:Q8_0",
        "ollama hf.co/bartowski/Phi-GGUF:Q4_K_M",
        "ollama qwen2.5-coder:1.5b",
        "ollama someone/llama:latest",
        "slotwright mine",
    ];
    check(&home, &all);
    assert_eq!(home.report()["unread"], json!([]));
    let table = home.run(&["models"]).says(0, "without --model").stdout;
    for name in all {
        let name = name.split_once(' ').unwrap().1;
        assert!(table.contains(name), "{name} is not in\n{table}");
    }
}

#[test]
fn each_variable_names_another_folder() {
    let home = Home::new().with("OLLAMA_MODELS", "o");
    home.ollama("o", "registry.ollama.ai/library/a/latest", model);
    home.ollama(OLLAMA, "registry.ollama.ai/library/unseen/latest", model);
    check(&home, &["ollama a:latest"]);

    for (variable, folder, cache) in [
        ("LLAMA_CACHE", "h", "h"),
        ("HF_HUB_CACHE", "h", "h"),
        ("HUGGINGFACE_HUB_CACHE", "h", "h"),
        ("HF_HOME", "h", "h/hub"),
        ("XDG_CACHE_HOME", "h", "h/huggingface/hub"),
    ] {
        let home = Home::new().with(variable, folder);
        home.hub(cache, "org/A-GGUF", "a-Q8_0.gguf");
        check(&home, &["hf org/A-GGUF:Q8_0"]);
    }
    let home = Home::new().with("LLAMA_CACHE", "flat");
    home.file("flat/org_A-GGUF_a-q8_0.gguf");
    check(&home, &["llama.cpp org_A-GGUF_a-q8_0"]);
    let home = Home::new().with("XDG_CACHE_HOME", "x");
    home.file("x/llama.cpp/org_A-GGUF_a-q8_0.gguf");
    check(&home, &["llama.cpp org_A-GGUF_a-q8_0"]);
    let home = Home::new().with("XDG_DATA_HOME", "data");
    home.file("data/slotwright/models/a.gguf");
    home.file("data/Jan/data/models/b.gguf");
    check(&home, &["jan b", "slotwright a"]);

    // LM Studio has files instead.
    let home = Home::new();
    fs::write(
        home.path(".lmstudio-home-pointer"),
        home.path("lm").to_str().unwrap(),
    )
    .unwrap();
    home.file("lm/models/org/A-GGUF/a-Q8_0.gguf");
    check(&home, &["lmstudio org/A-GGUF:Q8_0"]);
    let settings = json!({"downloadsFolder": home.path("elsewhere"), "language": "en"});
    fs::write(home.path("lm/settings.json"), settings.to_string()).unwrap();
    home.file("elsewhere/org/B-GGUF/b-Q8_0.gguf");
    check(&home, &["lmstudio org/B-GGUF:Q8_0"]);
    let home = Home::new();
    home.file(".cache/lm-studio/models/org/A-GGUF/a-Q8_0.gguf");
    check(&home, &["lmstudio org/A-GGUF:Q8_0"]);
}

#[test]
fn links_are_followed_and_a_file_with_two_names_is_listed_once() {
    let home = Home::new();
    home.ollama(OLLAMA, "registry.ollama.ai/library/a/latest", model);
    let blob = fs::read_dir(home.path(".ollama/models/blobs"))
        .unwrap()
        .next()
        .unwrap();
    let repository = home.path(".lmstudio/models/org/A-GGUF");
    fs::create_dir_all(&repository).unwrap();
    symlink(blob.unwrap().path(), repository.join("a-Q8_0.gguf")).unwrap();
    // A folder elsewhere, and one that leads back to itself.
    home.file("disk/B-GGUF/b-Q8_0.gguf");
    symlink(home.path("disk"), home.path(".lmstudio/models/linked")).unwrap();
    symlink(
        home.path(".lmstudio/models"),
        home.path(".lmstudio/models/again"),
    )
    .unwrap();
    check(&home, &["lmstudio linked/B-GGUF:Q8_0", "ollama a:latest"]);
    let report = home.report();
    let models = report["models"].as_array().unwrap();
    let a = models
        .iter()
        .find(|model| model["name"] == "a:latest")
        .unwrap();
    assert_eq!(a["also_in"], json!(["lmstudio"]));
}

/// Two tags of a model, and a copy of it.
#[test]
fn every_name_that_ollama_has_for_a_file_is_one() {
    let home = Home::new()
        .with("OLLAMA_MODELS", "o")
        .with("XDG_CONFIG_HOME", "config");
    home.ollama(
        "o",
        "registry.ollama.ai/library/qwen2.5-coder/latest",
        bundled,
    );
    let manifests = home.path("o/manifests/registry.ollama.ai");
    let copy = |name: &str| {
        let to = manifests.join(name);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(manifests.join("library/qwen2.5-coder/latest"), to).unwrap();
    };
    copy("library/qwen2.5-coder/7b");
    copy("me/coder/v1");
    home.run(&["models", "default", "qwen2.5-coder:7b"])
        .says(0, "qwen2.5-coder:7b now");
    // It comes earlier in the alphabet.
    copy("library/a-coder/latest");
    check(&home, &["ollama a-coder:latest"]);
    let others = ["me/coder:v1", "qwen2.5-coder:7b", "qwen2.5-coder:latest"];
    let report = home.report();
    let mut also: Vec<&str> = report["models"][0]["also_called"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    also.sort_unstable();
    assert_eq!(also, others);
    let table = home
        .run(&["models"])
        .says(0, "is used without --model, as it is set")
        .stdout;
    assert_eq!(table.matches("a-coder:latest").count(), 1, "{table}");
    for name in others {
        assert!(table.contains(name), "{table}");
    }
    let dir = folder(&[("config.py", b"MAX_RETRIES = 3\n")]);
    let root = dir.path().to_str().unwrap();
    let task = "Change MAX_RETRIES from 3 to 5";
    for name in others
        .iter()
        .chain(&["a-coder", "qwen2.5-coder", "me/coder:v1", "qwen2.5"])
    {
        let run = home.run(&["edit", "--root", root, "--dry-run", "--model", name, task]);
        assert!(
            run.says(0, "").stdout.contains("+MAX_RETRIES = 5"),
            "{name}"
        );
    }
    let run = home.run(&["models", "remove", "--yes", "qwen2.5-coder:7b"]);
    run.says(1, "Ollama removes it: ollama rm qwen2.5-coder:7b");
}

#[test]
fn a_model_that_runs_at_ollama_says_so() {
    let home = Home::new().with("OLLAMA_MODELS", "o");
    let config = json!({"digest": format!("sha256:{}", "a".repeat(64)), "size": 400});
    for (name, layers) in [
        ("gpt-oss/120b-cloud", json!(null)),
        ("deepseek/671b-cloud", json!([])),
        (
            "kimi/latest",
            json!([{"mediaType": "application/vnd.ollama.image.license"}]),
        ),
    ] {
        let manifest = json!({"schemaVersion": 2, "config": config, "layers": layers});
        home.ollama_manifest(
            "o",
            &format!("registry.ollama.ai/library/{name}"),
            &manifest,
        );
    }
    let table = home.run(&["models"]).stdout;
    let reason = "it runs on Ollama's servers, not on this machine";
    assert_eq!(table.matches(reason).count(), 3, "{table}");
    let dir = folder(&[("a.py", b"x = 1\n")]);
    let root = dir.path().to_str().unwrap();
    for name in ["gpt-oss:120b-cloud", "deepseek:671b-cloud", "kimi"] {
        let run = home.run(&["edit", "--root", root, "--model", name, "Change x to 2"]);
        run.says(2, reason);
    }
}

#[test]
fn what_cannot_be_used_is_listed_last_with_the_reason() {
    let home = Home::new();
    let repository = ".lmstudio/models/org/A-GGUF";
    home.file(&format!("{repository}/a-Q4_0.gguf"));
    home.file(&format!("{repository}/mmproj-a-f16.gguf"));
    for part in [1, 3] {
        home.file(&format!("{repository}/split-Q8_0-0000{part}-of-00003.gguf"));
        home.file(&format!("{repository}/whole-F16-0000{part}-of-00003.gguf"));
    }
    home.file(&format!("{repository}/whole-F16-00002-of-00003.gguf"));
    let put = |name: &str, file: Gguf| {
        let folder = home.path(".local/share/slotwright/models");
        fs::create_dir_all(&folder).unwrap();
        file.write(&folder.join(name));
    };
    let with_weights = |mut file: Gguf| {
        file.tensor("token_embd.weight", &[8, 2], || 0.0);
        file
    };
    put("embeds.gguf", with_weights(header("bert")));
    put("draft.gguf", with_weights(header("gemma4-assistant")));
    for (name, pooling) in [("pools.gguf", 3), ("ranks.gguf", 4)] {
        let mut file = with_weights(header("qwen3"));
        file.u32("qwen3.pooling_type", pooling);
        put(name, file);
    }
    let mut second = Gguf::default();
    second.u32("split.no", 1);
    put("second.gguf", with_weights(second));
    put("new.gguf", with_weights(header("mllama")));
    put("words.gguf", header("llama"));
    let mut adapter = with_weights(header("llama"));
    adapter.string("general.type", "adapter");
    put("lora.gguf", adapter);
    fs::write(
        home.path(".local/share/slotwright/models/torn.gguf"),
        b"GGUF\x03\0\0\0",
    )
    .unwrap();
    let layers = |kind: &str, digest: &str| {
        let media_type = format!("application/vnd.ollama.image.{kind}");
        json!({"layers": [{"mediaType": media_type, "digest": digest}]})
    };
    let gone = format!("sha256:{}", "0".repeat(64));
    let manifest = |model: &str, manifest| {
        let name = format!("registry.ollama.ai/library/{model}/latest");
        home.ollama_manifest(OLLAMA, &name, &manifest);
    };
    manifest("tensors", layers("tensor", &gone));
    manifest("gone", layers("model", &gone));
    manifest("cloud", json!({"layers": []}));
    manifest("hostile", layers("model", "sha256:../../../../etc/passwd"));
    home.ollama_manifest(OLLAMA, "registry.ollama.ai/library/odd/latest", &json!("{"));
    let safetensors = home.path(".cache/huggingface/hub/models--org--S/snapshots/0a");
    fs::create_dir_all(&safetensors).unwrap();
    fs::write(safetensors.join("model.safetensors"), b"").unwrap();

    check(
        &home,
        &["lmstudio org/A-GGUF:F16", "lmstudio org/A-GGUF:Q4_0"],
    );
    let mut unusable = home.unusable();
    unusable.sort();
    let expected = [
        ("cloud:latest", "remote"),
        ("draft", "draft_head"),
        ("embeds", "embedding"),
        ("gone:latest", "file_missing"),
        ("hostile:latest", "manifest"),
        ("lora", "adapter"),
        ("new", "unknown_architecture"),
        ("odd:latest", "manifest"),
        ("org/A-GGUF:Q8_0", "part_missing"),
        ("org/A-GGUF:mmproj-a-f16", "vision_projector"),
        ("org/S", "safetensors"),
        ("pools", "embedding"),
        ("ranks", "reranker"),
        ("second", "later_part"),
        ("tensors:latest", "safetensors"),
        ("torn", "broken"),
        ("words", "incomplete"),
    ];
    let expected = expected.map(|(name, kind)| (name.to_owned(), kind.to_owned()));
    assert_eq!(unusable, expected);
    let table = home.run(&["models"]).stdout;
    let (usable, rest) = table.split_once("not usable").unwrap();
    assert!(
        usable.contains("org/A-GGUF:F16") && usable.contains("bundled"),
        "{table}"
    );
    assert!(rest.contains("part 2 of 3 is missing"), "{table}");

    // Whoever names such a file is told the same.
    let dir = folder(&[("a.py", b"x = 1\n")]);
    let root = dir.path().to_str().unwrap();
    for (name, reason) in [
        ("ranks", "it ranks texts"),
        (
            "second",
            "it is part 2 of a split file: name the first part",
        ),
        ("draft", "it is a draft head"),
        ("new", "does not know its architecture, \"mllama\""),
    ] {
        let file = home.path(&format!(".local/share/slotwright/models/{name}.gguf"));
        let file = file.to_str().unwrap();
        let run = home.run(&["edit", "--root", root, "--model", file, "Change x to 2"]);
        run.says(4, reason);
    }
}

#[test]
fn a_store_that_cannot_be_read_is_one_line_and_no_failure() {
    let home = Home::new();
    home.file(".local/share/slotwright/models/a.gguf");
    fs::create_dir_all(home.path(".cache/huggingface")).unwrap();
    // A link to itself cannot be read by anybody, root included.
    symlink("hub", home.path(".cache/huggingface/hub")).unwrap();
    fs::create_dir_all(home.path(".lmstudio")).unwrap();
    fs::write(home.path(".lmstudio/settings.json"), b"{").unwrap();
    let run = home
        .run(&["models"])
        .says(0, "slotwright: hf: cannot look for models in ");
    assert_eq!(
        run.stderr.matches("cannot look for models in").count(),
        2,
        "{run:#?}"
    );
    assert!(
        run.stderr.contains("slotwright: lmstudio: cannot look"),
        "{run:#?}"
    );
    check(&home, &["slotwright a"]);
}

#[test]
fn a_list_reads_no_vocabulary() {
    let dir = tempfile::tempdir().unwrap();
    let mut file = Gguf::default();
    file.string("general.architecture", "llama");
    file.u32("llama.context_length", 4_096);
    file.u32("llama.block_count", 2);
    file.string("tokenizer.ggml.model", "gpt2");
    file.strings(
        "tokenizer.ggml.tokens",
        &vec!["a token".to_owned(); 150_000],
    );
    file.string("tokenizer.chat_template", "{{ messages }}");
    file.tensor("token_embd.weight", &[8, 2], || 0.0);
    let path = dir.path().join("long.gguf");
    file.write(&path);
    let folders = ModelFolders(vec![(Store::Folder, dir.path().to_owned())]);
    let listing = look(&folders);
    assert_eq!(listing.models.len(), 1, "{listing:#?}");
    assert_eq!(listing.models[0].header.sizes.vocabulary, 150_000);
    assert_eq!(listing.models[0].header.has_chat_template, None);
    let mut counted = Counted(fs::File::open(&path).unwrap(), 0);
    Header::read_from(&mut counted, Extent::UpToVocabulary).unwrap();
    assert!(counted.1 <= 8 << 10, "{} bytes", counted.1);
    // Only who wants to know of the template reads on.
    let whole = Header::read_from(&mut counted, Extent::Whole).unwrap();
    assert_eq!(whole.has_chat_template, Some(true));
    assert!(counted.1 > 2_000_000, "{} bytes", counted.1);
}

/// A file, and how many bytes of it were read.
struct Counted(fs::File, usize);

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.0.read(buffer)?;
        self.1 += n;
        Ok(n)
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

/// Headers are of strangers, and a list reads them all.
#[test]
fn a_damaged_header_is_an_error_or_a_header() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/bundled.gguf");
    let whole = fs::read(path).unwrap()[..64 << 10].to_vec();
    let mut random = Random(7);
    let mut n_read = 0;
    for _ in 0..5_000 {
        let mut bytes = whole.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(2_000);
            bytes[at] = random.below(256) as u8;
        }
        bytes.truncate(random.below(bytes.len()));
        for extent in [Extent::UpToVocabulary, Extent::Whole] {
            if let Ok(header) = Header::read_from(Cursor::new(&bytes), extent) {
                let _ = (header.check(), header.sizes.needed(4_096, 512));
                n_read += 1;
            }
        }
    }
    assert!(n_read > 100, "{n_read} of them were read");
}

#[test]
fn without_a_name_the_best_model_of_this_machine_edits() {
    let home = Home::new().with("OLLAMA_MODELS", "o");
    home.ollama(
        "o",
        "registry.ollama.ai/library/slotwright-tiny/latest",
        bundled,
    );
    let dir = folder(&[("config.py", b"import os\n\nMAX_RETRIES = 3\nTIMEOUT = 30\n")]);
    let root = dir.path().to_str().unwrap();
    let task = "Change MAX_RETRIES from 3 to 5";
    let run = home.run(&["edit", "--root", root, "--dry-run", task]);
    let run = run.says(
        0,
        "slotwright: using slotwright-tiny:latest (ollama), the best here",
    );
    assert!(run.stdout.contains("+MAX_RETRIES = 5"), "{run:#?}");
    assert!(!run.stderr.contains("bundled"), "{run:#?}");
    let report = home.report();
    assert_eq!(report["models"][0]["is_default"], true, "{report:#}");

    // Somebody who names one is not told which one it is.
    let named = ["edit", "--root", root, "--dry-run", "--model", "tiny", task];
    let run = home.run(&named).says(0, "");
    assert!(!run.stderr.contains("using"), "{run:#?}");
    let mut command = home.command();
    command
        .env("SLOTWRIGHT_MODEL", "bundled")
        .args(&named[..4])
        .arg(task);
    let output = command.output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("using the bundled model: it"));
}

#[test]
fn a_model_that_is_weaker_than_the_bundled_one_is_not_used_unasked() {
    let home = Home::new().with("OLLAMA_MODELS", "o");
    home.ollama("o", "registry.ollama.ai/library/small/latest", model);
    let dir = folder(&[("config.py", b"MAX_RETRIES = 3\n")]);
    let root = dir.path().to_str().unwrap();
    let task = "Change MAX_RETRIES from 3 to 5";
    let run = home.run(&["edit", "--root", root, "--dry-run", task]);
    run.says(
        2,
        "slotwright: none of the models on this machine is fit to be used",
    );
    let run = home
        .run(&["models"])
        .says(0, "none of these is used without --model");
    assert!(!run.stdout.contains('*'), "{run:#?}");
}

#[test]
fn a_name_that_names_no_model_says_which_there_are() {
    let home = Home::new().with("OLLAMA_MODELS", "o");
    home.ollama("o", "registry.ollama.ai/library/llama3.2/1b", bundled);
    home.ollama("o", "registry.ollama.ai/library/llama3.2/3b", model);
    let dir = folder(&[("config.py", b"a = 1\n")]);
    let check = |name: &str, messages: &[&str]| {
        let root = dir.path().to_str().unwrap();
        let mut command = home.command();
        command
            .current_dir(dir.path())
            .args(["edit", "--root", root, "--model", name, "x"]);
        let run = Run::from(command.output().unwrap()).says(2, "slotwright: ");
        for message in messages {
            assert!(
                run.stderr.contains(message),
                "{message:?} is not in {run:#?}"
            );
        }
    };
    check(
        "llama3",
        &["\"llama3\" could be several: llama3.2:1b, llama3.2:3b"],
    );
    check(
        "lamma3.2:1b",
        &["is called \"lamma3.2:1b\"; there are llama3.2:1b, llama3.2:3b"],
    );
    check(
        "qwen2.5-coder-1.5b",
        &["to fetch qwen2.5-coder-1.5b: slotwright models pull qwen2.5-coder-1.5b"],
    );
    // A project cannot put its own model in the place of one that is asked for by name.
    bundled(&dir.path().join("qwen"));
    check(
        "qwen",
        &[
            "is called \"qwen\"",
            "a file is named by a path: --model ./qwen",
        ],
    );
}

#[test]
fn a_reader_that_has_gone_is_no_failure_of_what_only_shows() {
    for arguments in [
        &["models"][..],
        &["models", "--json"],
        &["config"],
        &["completions", "bash"],
        &["man"],
    ] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(PROGRAM);
        let run = quiet(command.args(arguments))
            .stdout(writer)
            .stderr(Stdio::piped());
        let run = Run::from(run.spawn().unwrap().wait_with_output().unwrap()).says(0, "");
        assert!(
            !run.stderr.contains("written") && !run.stderr.contains("cannot"),
            "{run:#?}"
        );
    }
}

#[test]
fn a_report_says_what_a_maintainer_needs_and_not_where_the_home_is() {
    let home = Home::new().with("OLLAMA_MODELS", "o");
    home.ollama("o", "registry.ollama.ai/library/llama3.2/1b", model);
    fs::create_dir_all(home.path(".config/slotwright")).unwrap();
    let config = home.path(".config/slotwright/config.toml");
    fs::write(&config, "threads = 3\n").unwrap();
    let mut command = home.command();
    command
        .env("XDG_CONFIG_HOME", home.path(".config"))
        .arg("report");
    command.current_dir(home.path(""));
    let run = Run::from(command.output().unwrap()).says(0, "");
    let version = concat!("slotwright ", env!("CARGO_PKG_VERSION"), " (");
    assert!(run.stdout.starts_with(version), "{run:#?}");
    for expected in [
        "cores; ",
        "llama3.2:1b",
        "device",
        "threads",
        "~/.config/slotwright",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {run:#?}");
    }
    let path = home.path("").display().to_string();
    assert!(!run.stdout.contains(path.trim_end_matches('/')), "{run:#?}");
}
