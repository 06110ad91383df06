use std::fmt;

#[derive(Debug, Clone, Copy)]
pub enum Level {
    Quiet,
    Normal,
    Chatty,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Level::Quiet => "quiet",
            Level::Normal => "normal",
            Level::Chatty => "chatty",
        };
        f.write_str(name)
    }
}
