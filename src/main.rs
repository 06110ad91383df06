//! The `slotwright` program: see [`slotwright::command_line::run`].

fn main() -> std::process::ExitCode {
    let code = slotwright::command_line::run(std::env::args_os());
    std::process::ExitCode::from(code as u8)
}
