use ansi_term::{ANSIStrings, Colour, Style};

fn main() {
    let style = Style { is_faint: true, ..Style::default() };
    assert_eq!(style, Style::new().dimmed());
    assert!(Colour::Red.dimmed().is_faint && !Colour::Red.bold().is_faint);
    assert_eq!(style.paint("hi").to_string(), "\x1B[2mhi\x1B[0m");
    assert_eq!(format!("{:?}", style), "Style { dimmed }");
    let texts = [Style::new().bold().paint("a"), Style::new().bold().dimmed().paint("b"), Style::new().bold().paint("c")];
    assert_eq!(ANSIStrings(&texts).to_string(), "\x1B[1ma\x1B[2mb\x1B[0m\x1B[1mc\x1B[0m");
}
