fn usage() -> &'static str {
    "print \
     the files"
}
