//! The `slotwright` program: see [`slotwright::cli`].

fn main() -> std::process::ExitCode {
    let code = slotwright::cli::run(std::env::args_os());
    std::process::ExitCode::from(code as u8)
}
