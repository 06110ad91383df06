//! Notices that an answer only repeats itself, which small models sometimes do until their budget
//! ends.

/// The longest text that is noticed to repeat, in bytes.
const LONGEST: usize = 200;

/// Text that occurs this often in a row, and so many bytes in all, is no longer written on purpose.
const FEWEST: usize = 8;
const FEWEST_BYTES: usize = 800;

/// The same for an answer that is nothing else from its first byte on, as no file is.
const FEWEST_ALONE: usize = 5;
const FEWEST_BYTES_ALONE: usize = 80;

/// Whether the answer ends with the same short text over and over.
pub fn repeats_itself(answer: &[u8]) -> bool {
    (1..=LONGEST).any(|period| {
        let is_all = answer.len() >= FEWEST_BYTES_ALONE.max(FEWEST_ALONE * period)
            && answer[period..] == answer[..answer.len() - period];
        let n_bytes = FEWEST_BYTES.max(FEWEST * period);
        is_all
            || answer.len() >= n_bytes && {
                let tail = &answer[answer.len() - n_bytes..];
                tail[period..] == tail[..n_bytes - period]
            }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_over_and_over() {
        let repeated = |text: &str, n: usize| format!("[{}", text.repeat(n));
        assert!(repeats_itself(repeated("0, ", 300).as_bytes()));
        assert!(repeats_itself(repeated("    x = next(x)\n", 60).as_bytes()));
        assert!(
            !repeats_itself(repeated("0, ", 200).as_bytes()),
            "too short to tell"
        );
        let long: String = (100..140).map(|i| format!("{i},")).collect();
        assert!(!repeats_itself(repeated(&long, 7).as_bytes()));
        assert!(repeats_itself(repeated(&long, 8).as_bytes()));
        let counted: String = (0..300).map(|i| format!("{i}, ")).collect();
        assert!(!repeats_itself(counted.as_bytes()));
        assert!(!repeats_itself(b""));
    }

    #[test]
    fn nothing_but_the_same() {
        for text in ["{\"operation\":\"none\"}\n", "NO EDIT: unclear\n", "ab"] {
            let n = FEWEST_ALONE.max(FEWEST_BYTES_ALONE.div_ceil(text.len()));
            assert!(repeats_itself(text.repeat(n).as_bytes()), "{text}");
            assert!(
                repeats_itself((text.repeat(n) + &text[..1]).as_bytes()),
                "{text}"
            );
            assert!(!repeats_itself(text.repeat(n - 1).as_bytes()), "{text}");
            let told = format!("a.txt\n{}", text.repeat(n));
            assert!(
                !repeats_itself(told.as_bytes()),
                "a file may have equal lines: {text}"
            );
        }
    }
}
