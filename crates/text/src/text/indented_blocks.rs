//! Which lines of a text open a block, judged by indentation alone.

/// Shorter blocks are copied whole as fast as they are named by their ends, and a model that may
/// name an end does so where it should not.
const FEWEST_LINES: usize = 4;

/// For each line, the index of the last line of the block that it opens. None if it opens none, or
/// one of fewer than four lines.
///
/// A block is a line and the deeper lines after it, with the line that closes it if that is as deep
/// as the first one. Empty lines inside it do not end it.
pub fn block_ends(lines: &[&str]) -> Vec<Option<usize>> {
    let mut ends = vec![None; lines.len()];
    // Opened lines and their depths, each deeper than the one before.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut last_inked = 0;
    for (line_idx, line) in lines.iter().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let depth = depth(line);
        while let Some((opener, _)) = open.pop_if(|(_, opened)| *opened >= depth) {
            let is_closed_here =
                self::depth(lines[opener]) == depth && opener < last_inked && closes(line);
            close(
                &mut ends,
                opener,
                if is_closed_here { line_idx } else { last_inked },
            );
        }
        open.push((line_idx, depth));
        last_inked = line_idx;
    }
    for (opener, _) in open {
        close(&mut ends, opener, last_inked);
    }
    ends
}

fn close(ends: &mut [Option<usize>], opener: usize, last: usize) {
    if last + 1 - opener >= FEWEST_LINES {
        ends[opener] = Some(last);
    }
}

/// Characters of whitespace before a line's text; a tab counts as many.
fn depth(line: &str) -> usize {
    let indent = line.chars().take_while(|c| c.is_whitespace());
    indent.map(|c| if c == '\t' { 8 } else { 1 }).sum()
}

/// Whether a line closes the block above it: with a bracket or an end tag, or with the word that
/// Ruby, Lua, shells and others have for it.
pub fn closes(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(['}', ')', ']']) || line.starts_with("</") || {
        let word: String = line.chars().take_while(|c| c.is_alphanumeric()).collect();
        ["end", "fi", "done", "esac"].contains(&word.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first and the last line of each block, counted from 1.
    fn check(text: &str, expected: &[(usize, usize)]) {
        let lines: Vec<&str> = text.split('\n').collect();
        let blocks: Vec<(usize, usize)> = block_ends(&lines)
            .into_iter()
            .enumerate()
            .filter_map(|(first, last)| Some((first + 1, last? + 1)))
            .collect();
        assert_eq!(blocks, expected, "{text}");
    }

    #[test]
    fn blocks_by_their_indentation() {
        check("fn a() {\n  b;\n\n  c;\n}\nd;", &[(1, 5)]);
        check(
            "def a():\n  b\n  if c:\n    d\n    e\n    f\n\ng",
            &[(1, 6), (3, 6)],
        );
        check("if a; then\n\tb\n\tc\nfi", &[(1, 4)]);
        check("<ul>\n <li>\n <li>\n</ul>", &[(1, 4)]);
        check("a:\n  - b\n  - c\n  - d\ne", &[(1, 4)]);
        // Too short, or no block.
        check("fn a() {\n  b;\n}\n", &[]);
        check("a\nb\nc\nd\ne", &[]);
        check("", &[]);
        // Brackets of their own close nothing.
        check("}\n}\n}\n}", &[]);
    }
}
