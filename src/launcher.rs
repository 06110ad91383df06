//! The program at the top of the portable archive. It starts the real program in `lib/`, which lies
//! beside its libraries. If that fails it says so in plain words; the real program could not, since
//! the loader gives up before it starts.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let own = std::env::current_exe()
        .and_then(|own| own.canonicalize())
        .unwrap_or_default();
    let program = own.with_file_name("lib").join("slotwright");
    // If all goes well this is the program from here on, and does not return.
    let error = Command::new(&program)
        .args(std::env::args_os().skip(1))
        .exec();
    eprintln!(
        "slotwright: cannot start {}: {error}; \
         unpack the whole archive again and keep its folder together",
        program.display()
    );
    ExitCode::from(4)
}
