//! The visible part of a text file.

pub struct View {
    lines: Vec<String>,
    /// Index of the first visible line.
    top: usize,
    /// Number of rows on the screen without the status bar.
    height: usize,
}

impl View {
    pub fn new(text: &str, rows: usize) -> View {
        View {
            lines: text.lines().map(str::to_owned).collect(),
            top: 0,
            height: rows.saturating_sub(1).max(1),
        }
    }

    pub fn to_start(&mut self) {
        self.top = 0;
    }

    pub fn to_end(&mut self) {
        self.top = self.lines.len().saturating_sub(self.height) + 1;
    }

    pub fn line_down(&mut self) {
        if self.top + self.height < self.lines.len() {
            self.top += 1;
        }
    }

    pub fn line_up(&mut self) {
        self.top = self.top.saturating_sub(1);
    }

    pub fn page_down(&mut self) {
        let last = self.lines.len().saturating_sub(self.height);
        self.top = (self.top + self.height).min(last);
    }

    pub fn page_up(&mut self) {
        self.top = self.top.saturating_sub(self.height);
    }

    pub fn visible(&self) -> impl Iterator<Item = &str> {
        self.lines
            .iter()
            .skip(self.top)
            .take(self.height)
            .map(String::as_str)
    }

    /// Line numbers for the status bar, counted from one.
    pub fn position(&self) -> (usize, usize) {
        (self.top + 1, self.lines.len())
    }
}
