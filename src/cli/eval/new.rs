//! `slotwright eval --new FOLDER`: a suite of the person's own, with one task that runs.

use crate::console::say;
use crate::failure::{ExitCode, Failure, FailureKind};
use std::io;
use std::path::Path;

const README: &str = "\
# A suite of your own

Each folder with a task.toml is a task:

    001-timeout/task.toml     what is asked for
                before/       the files as they are
                after/        the files that change, as they should be afterwards

To add a task, copy 001-timeout, and change its three parts. Another result that is as good goes into
after.2/. Instead of after/, or with it, a check in task.toml may say what is right.

Run it:

    slotwright eval --suite . --strategy slots

slotwright eval --help says more.
";

const TASK: &str = "\
# What is asked for, as you would say it to slotwright edit.
sentence = \"In config.py, change the timeout from 30 to 60\"

# The same in other words. Each run asks in the next wording; this may be left out.
wordings = [\"TIMEOUT should be 60 instead of 30\"]

# Words of your own: the report counts by them.
category = \"constant\"
level = \"mine\"
language = \"python\"

# A command that is right with exit code 0, in the edited folder. With it, after/ may be left out.
# check = [\"python3\", \"-c\", \"import config; assert config.TIMEOUT == 60\"]
";

const BEFORE: &str = "import os\n\nMAX_RETRIES = 3\nTIMEOUT = 30\n";

/// Makes the suite. A folder with something in it is left alone.
pub(super) fn make(folder: &Path) -> Result<ExitCode, Failure> {
    let is_taken = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => folder.exists(),
    };
    if is_taken {
        let message = format!("{} is there already; nothing was made", folder.display());
        return Err(Failure::new(FailureKind::Suite, message).hint("name a new folder"));
    }
    write(folder).map_err(|error| {
        let message = format!("cannot make a suite in {}: {error}", folder.display());
        Failure::new(FailureKind::Disk, message)
    })?;

    let path = folder.display();
    say(&format!(
        "made {path} with one task: README.md there says how to add yours"
    ));
    say(&format!(
        "run it: slotwright eval --suite {path} --strategy slots"
    ));
    Ok(ExitCode::Done)
}

fn write(folder: &Path) -> io::Result<()> {
    let after = BEFORE.replace("TIMEOUT = 30", "TIMEOUT = 60");
    for (path, text) in [
        ("README.md", README),
        ("001-timeout/task.toml", TASK),
        ("001-timeout/before/config.py", BEFORE),
        ("001-timeout/after/config.py", &after),
    ] {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("it is in the folder"))?;
        std::fs::write(path, text)?;
    }
    Ok(())
}
