//! The page of an evaluation: what models and files say cannot break it or fool its reader; and in
//! a real browser its filters, charts and tasks do what they say. Without a browser those tests are
//! left out, and it is said.

use crate::support::evaluations::made;
use slotwright::eval::record::{Evaluation, Row, Verdict};
use slotwright::eval::report::html;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What would break the page or fool its reader, if it were taken as anything but text.
const HOSTILE: &str = "</script><script>document.title='owned'</script><!--<script> \"'><b \
                       id=owned>&lt;\u{202e}\u{200b}\u{1b}[2J {{data}} \\u003c \u{2028}</pre>";
/// As it is shown.
const HOSTILE_SHOWN: &str = "</script><script>document.title='owned'</script><!--<script> \"'><b \
                             id=owned>&lt;<U+202E><U+200B>^[[2J {{data}} \\u003c <U+2028></pre>";

fn hostile() -> Evaluation {
    let mut evaluation = made();
    let name = |of: &str| format!("{of} {HOSTILE}");
    for model in &mut evaluation.models {
        (model.name, model.description) = (name(&model.name), HOSTILE.to_owned());
    }
    evaluation
        .strategies
        .iter_mut()
        .for_each(|strategy| *strategy = name(strategy));
    for task in &mut evaluation.tasks {
        task.name = name(&task.name);
        for text in [
            &mut task.suite,
            &mut task.sentence,
            &mut task.category,
            &mut task.level,
            &mut task.language,
        ] {
            text.push_str(HOSTILE);
        }
        task.wordings[0].push_str(HOSTILE);
        task.expected.push_str(HOSTILE);
        task.check = Some(HOSTILE.to_owned());
    }
    for row in &mut evaluation.results {
        (row.model, row.strategy, row.task) =
            (name(&row.model), name(&row.strategy), name(&row.task));
        for text in [&mut row.kind, &mut row.message, &mut row.diff] {
            text.push_str(HOSTILE);
        }
        row.answers.push(HOSTILE.to_owned());
    }
    evaluation.problems[0].message = HOSTILE.to_owned();
    evaluation
}

#[test]
fn what_models_and_files_say_stays_text() {
    let page = html::render(&hostile());
    for (what, times) in [
        ("<script", 2),
        ("</script", 2),
        ("<!--", 0),
        ("<b id", 0),
        ("<pre", 0),
    ] {
        // The style and the script are ours, and say none of it.
        assert_eq!(page.matches(what).count(), times, "{what}");
    }
    assert!(!page.contains(['\u{202e}', '\u{200b}', '\u{1b}', '\u{2028}']));
    let data = page
        .split_once("id=\"data\">")
        .unwrap()
        .1
        .split_once("</script>")
        .unwrap()
        .0;
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["models"][0]["description"], HOSTILE_SHOWN);
    assert!(
        data["texts"]
            .as_array()
            .unwrap()
            .contains(&HOSTILE_SHOWN.into())
    );
}

#[test]
fn a_page_needs_nothing_else() {
    let page = html::render(&made());
    assert!(page.contains(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src \
                           'none'; style-src 'nonce-"
    ));
    for other in ["src=", "href=\"http", "@import", "url(", "fetch("] {
        assert!(!page.contains(other), "{other}");
    }
    // Without scripts there are the tables.
    assert!(
        page.contains("<h3>Results</h3>")
            && page.contains(
                "<th scope=\"row\">big</th><th scope=\"row\">slots</th><td>8</td><td>75.0</td>"
            )
    );
    assert_eq!(
        page,
        html::render(&made()),
        "the same record gives the same page"
    );
}

#[test]
fn an_evaluation_without_results_is_a_page() {
    let mut evaluation = made();
    evaluation.results.clear();
    let Some(browser) = Browser::with(&evaluation) else {
        return;
    };
    let dom = browser.dom("");
    assert_eq!(counts(&dom), (0, 0));
    assert!(dom.contains("No run fits these filters."));
}

#[test]
fn filters_in_the_address_choose_what_is_shown() {
    let evaluation = made();
    let Some(browser) = Browser::with(&evaluation) else {
        return;
    };
    let check = |address: &str, is_shown: &dyn Fn(&Row) -> bool| {
        let dom = browser.dom(address);
        let rows: Vec<&Row> = evaluation
            .results
            .iter()
            .filter(|row| is_shown(row))
            .collect();
        let tasks: std::collections::BTreeSet<&str> =
            rows.iter().map(|row| row.task.as_str()).collect();
        assert_eq!(counts(&dom), (rows.len(), tasks.len()), "{address}");
        assert_eq!(
            dom.matches("class=\"box task\"").count(),
            tasks.len(),
            "{address}"
        );
        assert_eq!(
            dom.contains("id=\"clear\" hidden"),
            rows.len() == evaluation.results.len(),
            "{address}"
        );
    };
    let category = |row: &Row| {
        evaluation
            .tasks
            .iter()
            .find(|task| task.name == row.task)
            .unwrap()
            .category
            .clone()
    };
    check("", &|_| true);
    check("strategy=naive&verdict=mechanics", &|row| {
        row.strategy == "naive" && row.verdict == Verdict::Mechanics
    });
    check("strategy=slots&verdict=mechanics", &|_| false);
    check("model=small&verdict=declined_wrongly", &|row| {
        row.model == "small" && row.kind == "wrongly"
    });
    check("verdict=declined", &|row| row.verdict == Verdict::Declined);
    check("verdict=not_passed&suite=more", &|row| {
        !row.passed && row.task.starts_with("more/")
    });
    check("category=change+a+value", &|row| {
        category(row) == "change a value"
    });
    check("level=10&language=go", &|row| row.task == "more/new-file");
    check("kind=edited", &|row| row.kind == "edited");
    check("text=AS+L.", &|row| row.message.contains("as L."));
    check("text=core/number.rs", &|row| row.task == "core/number");
    check("task=more/async&model=big", &|row| {
        row.task == "more/async" && row.model == "big"
    });
    check("model=nobody", &|_| false);
    check("nonsense=1&__proto__=2&task=", &|_| true);
}

#[test]
fn charts_agree_with_the_tables() {
    let Some(browser) = Browser::with(&made()) else {
        return;
    };
    let dom = browser.dom("");
    let shown = |line: &str| assert!(dom.contains(line), "{line}: {dom}");
    // As in `the_table_on_a_terminal`.
    shown("75 %<small> 41–93, 6/8</small>");
    shown("25 %<small> 7–59, 2/8</small>");
    shown("38 %<small> 14–69, 3/8</small>");
    shown("0 %<small> 0–32, 0/8</small>");
    shown("J 13 %, M 31 %, of 16");
    shown(">1.0 s</span>");
    shown("href=\"#model=small&amp;strategy=slots&amp;level=10\">0<small>0/2</small>");
    // They follow the filters that are about tasks, models and strategies, and no others.
    let dom = browser.dom("model=big&suite=core&verdict=mechanics");
    assert!(
        dom.contains("<small> 38–96, 4/5</small>") && dom.contains("<small> 12–77, 2/5</small>"),
        "{dom}"
    );
    assert!(!dom.contains("/8</small>"));
    assert!(dom.contains("<button type=\"button\" value=\"mechanics\" aria-pressed=\"true\">"));
}

#[test]
fn a_task_opens_with_what_was_expected_and_what_came() {
    let Some(browser) = Browser::with(&made()) else {
        return;
    };
    let dom = browser.dom("task=core/import&strategy=slots");
    for part in [
        "Do what core/import asks for.</p>",
        "<span class=\"removed\">-before</span><span class=\"added\">+right</span>",
        "<span class=\"removed\">-before</span><span class=\"added\">+wrong</span>",
        "judgment: wrong text</p>",
        "<p class=\"message\">It ended as J.</p>",
        "<pre class=\"answer\">{\"old\":\"before\",\"new\":\"J\"}</pre>",
        "aria-label=\"run 2: judgment\" aria-pressed=\"true\"",
        "<span>seed 18446744073709551613</span>",
    ] {
        assert!(dom.contains(part), "{part}: {dom}");
    }
    let declined = browser.dom("task=core/nothing-to-do&theme=dark");
    assert!(
        declined.contains("No edit: it is to be declined.")
            && declined.contains("aria-pressed=\"true\">Dark</button>"),
        "{declined}"
    );
    assert!(
        browser
            .dom("task=more/async")
            .contains("<pre class=\"answer\">cargo test</pre>")
    );
}

#[test]
fn a_hostile_answer_is_shown_as_it_is() {
    let Some(browser) = Browser::with(&hostile()) else {
        return;
    };
    let escaped = HOSTILE_SHOWN
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let task = format!("core/import {HOSTILE_SHOWN}");
    let encoded: String = task.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let dom = browser.dom(&format!("task={encoded}"));
    assert_eq!(counts(&dom), (8, 1));
    assert!(dom.contains("<title>slotwright: evaluation</title>") && !dom.contains("<b id"));
    assert!(
        dom.contains(&format!("<pre class=\"answer\">{escaped}</pre>")),
        "{dom}"
    );
}

#[test]
fn thousands_of_runs_are_made_as_they_are_needed() {
    let mut evaluation = made();
    let (tasks, rows) = (evaluation.tasks.clone(), evaluation.results.clone());
    for copy in 1..200 {
        evaluation
            .tasks
            .extend(tasks.iter().cloned().map(|mut task| {
                task.name.push_str(&format!("-{copy}"));
                task
            }));
        evaluation
            .results
            .extend(rows.iter().cloned().map(|mut row| {
                row.task.push_str(&format!("-{copy}"));
                row
            }));
    }
    let page = html::render(&evaluation);
    assert!(
        page.len() < 6_000_000,
        "a text is there once: {}",
        page.len()
    );
    let Some(browser) = Browser::with(&evaluation) else {
        return;
    };
    let dom = browser.dom("order=hard");
    assert_eq!(counts(&dom), (12_800, 1_600));
    assert!(
        dom.matches("class=\"box task\"").count() < 200,
        "only those near the window"
    );
    assert!(!dom.contains("<pre"), "what is closed is not made");
}

fn counts(dom: &str) -> (usize, usize) {
    let number = |name: &str| -> usize {
        let after = dom
            .split_once(&format!(" data-{name}=\""))
            .unwrap_or_else(|| panic!("the script did not end: {dom}"))
            .1;
        after.split_once('"').unwrap().0.parse().unwrap()
    };
    (number("runs"), number("tasks"))
}

/// A browser, and the page of an evaluation for it.
struct Browser {
    program: PathBuf,
    folder: tempfile::TempDir,
}

impl Browser {
    /// None, and it is said, where there is no browser.
    fn with(evaluation: &Evaluation) -> Option<Browser> {
        const NAMES: [&str; 5] = [
            "chromium",
            "chromium-browser",
            "google-chrome",
            "google-chrome-stable",
            "chrome",
        ];
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
        let Some(program) = NAMES
            .iter()
            .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
            .find(|path| path.is_file())
        else {
            println!("skipped: there is no browser here (Debian: chromium)");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("page.html"), html::render(evaluation)).unwrap();
        Some(Browser { program, folder })
    }

    /// What the script has made of the page, at an address that ends so. Fails if the script does,
    /// or if the page wants what its policy forbids.
    fn dom(&self, fragment: &str) -> String {
        let folder = self.folder.path();
        let page = format!("file://{}#{fragment}", folder.join("page.html").display());
        // Without its sandbox it runs as root and in containers; the page is ours.
        let fixed = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--enable-logging=stderr",
        ];
        let mut command = Command::new(&self.program);
        command.args(fixed).args([
            "--virtual-time-budget=10000",
            "--window-size=1400,900",
            "--dump-dom",
        ]);
        command
            .arg(format!(
                "--user-data-dir={}",
                folder.join("profile").display()
            ))
            .arg(page);
        let (dom, log) = output(&mut command, folder);
        let complaint = log.lines().find(|line| line.contains("CONSOLE"));
        assert_eq!(complaint, None, "{fragment}");
        // What stands in the style, the data and the script is not shown.
        let (head, body) = dom
            .split_once("</style>")
            .expect("the style is in the page");
        let title = head
            .split_once("<title>")
            .expect("the page has a title")
            .1
            .lines()
            .next()
            .unwrap_or_default();
        format!(
            "<title>{title}{}",
            body.split_once("<script type=")
                .expect("the data is in the page")
                .0
        )
    }
}

/// Its standard output and error. It is ended after two minutes: some hang where they lack
/// something.
fn output(command: &mut Command, folder: &Path) -> (String, String) {
    let log = folder.join("log");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(std::fs::File::create(&log).unwrap())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stdout.read_to_end(&mut bytes).map(|_| bytes)
    });
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!(
                "the browser did not end: {}",
                std::fs::read_to_string(&log).unwrap()
            );
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let dom = String::from_utf8(reader.join().unwrap().unwrap()).unwrap();
    (dom, std::fs::read_to_string(&log).unwrap())
}
