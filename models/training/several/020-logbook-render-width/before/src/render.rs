use crate::Entry;

/// The logbook as text, wrapped to lines.
pub fn render(entries: &[Entry], ship: &str) -> String {
    let mut text = format!("Logbook of the {ship}\n\n");
    for entry in entries {
        text.push_str(&entry.day);
        text.push('\n');
        for line in wrap(&entry.note, 72) {
            text.push_str("  ");
            text.push_str(&line);
            text.push('\n');
        }
    }
    text
}

fn wrap(note: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in note.split_whitespace() {
        let last = lines.last_mut().unwrap();
        if !last.is_empty() && last.len() + 1 + word.len() > width {
            lines.push(word.to_string());
            continue;
        }
        if !last.is_empty() {
            last.push(' ');
        }
        last.push_str(word);
    }
    lines
}
