fn usage() -> &'static str {
    "print \nthe files"
}
