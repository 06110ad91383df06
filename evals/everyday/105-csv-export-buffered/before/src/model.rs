pub struct Reading {
    pub time: u64,
    pub station: String,
    pub celsius: f32,
}

impl Reading {
    /// Parses "time station celsius".
    pub fn parse(line: &str) -> Option<Reading> {
        let mut parts = line.split_whitespace();
        Some(Reading {
            time: parts.next()?.parse().ok()?,
            station: parts.next()?.to_string(),
            celsius: parts.next()?.parse().ok()?,
        })
    }
}
