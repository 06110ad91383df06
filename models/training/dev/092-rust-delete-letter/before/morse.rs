const TABLE: &[(&str, char)] = &[
    (".-", 'A'),
    ("-...", 'B'),
    ("-.-.", 'C'),
    ("-..", 'D'),
    (".", 'E'),
    ("..-.", 'F'),
];

fn decode(code: &str) -> Option<char> {
    TABLE.iter().find(|(c, _)| *c == code).map(|(_, ch)| *ch)
}

pub fn decode_word(word: &str) -> String {
    word.split(' ').map(|c| decode(c).unwrap_or('?')).collect()
}
