fn usage() -> &'static str {
    let n = 1;
    "print \
     the files"
}
