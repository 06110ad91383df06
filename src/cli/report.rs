//! `slotwright report`: what a maintainer needs to know of this machine for a bug report.

use super::models::ModelsReport;
use super::{command, config, models};
use crate::app::report::Output;
use crate::console::print_shown;
use crate::failure::{ExitCode, Failure};
use crate::text::visible;
use regex::Regex;
use std::path::Path;
use std::sync::LazyLock;
use sysinfo::System;

pub(crate) const ABOUT: &str = "\
Print what a bug report needs: version and build, system and processor, devices, models, settings.

Nothing of a file's contents, of a task or of a key is in it, and your home folder is written as ~. \
Look through it before you send it: models and servers have names. What happens in a command shows \
SLOTWRIGHT_LOG=debug.";

pub(crate) fn run() -> ExitCode {
    command::run(Output::Text, "report", async |_: &mut ModelsReport| {
        report().await?;
        Ok(ExitCode::Done)
    })
}

async fn report() -> Result<(), Failure> {
    let mut report = format!("slotwright {} ({})\n", env!("CARGO_PKG_VERSION"), build());
    report += &format!("{}\n\n", system());
    // What cannot be found out is said, and the rest is still worth having.
    let models = models::tables().await;
    let settings = config::table_of(Path::new("."));
    for part in [models, settings] {
        report += &part.unwrap_or_else(|failure| format!("{}\n", failure.message));
        report.push('\n');
    }
    print_shown(&(without_home(report.trim_end()) + "\n"))
}

/// What it was built for, and with which features.
fn build() -> String {
    let target = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    let mut parts = vec![target];
    for (feature, is_on) in [
        ("portable", cfg!(feature = "portable")),
        ("vulkan", cfg!(feature = "vulkan")),
        ("cuda", cfg!(feature = "cuda")),
        ("metal", cfg!(feature = "metal")),
        ("without grammars", cfg!(not(feature = "grammars"))),
        ("debug", cfg!(debug_assertions)),
    ] {
        if is_on {
            parts.push(feature.to_owned());
        }
    }
    parts.join(", ")
}

/// The system, the processor and the memory.
fn system() -> String {
    let mut system = System::new();
    system.refresh_cpu_all();
    system.refresh_memory();
    let name = System::long_os_version().unwrap_or_else(|| "unknown system".to_owned());
    let kernel = System::kernel_version().unwrap_or_default();
    let processor = system.cpus().first().map_or("", |cpu| cpu.brand());
    let n_cores = num_cpus::get_physical();
    let memory = indicatif::DecimalBytes(system.total_memory());
    format!("{name}, {kernel}; {processor}, {n_cores} cores; {memory} of memory")
}

/// A text with the person's home folder as `~` and addresses without what may be secret in them, safe
/// for a terminal.
fn without_home(text: &str) -> String {
    static SECRET: LazyLock<Regex> = LazyLock::new(|| {
        let secret = r"(?i)(https?://)[^/\s@]*@|\?[^\s#\x22]*";
        Regex::new(secret).expect("the pattern is right")
    });
    let home = std::env::var("HOME").unwrap_or_default();
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = if home.len() > 1 {
            line.replace(&home, "~")
        } else {
            line.to_owned()
        };
        let line = if line.contains("://") {
            SECRET.replace_all(&line, "${1}…").into_owned()
        } else {
            line
        };
        lines.push(visible(&line).into_owned());
    }
    lines.join("\n")
}
