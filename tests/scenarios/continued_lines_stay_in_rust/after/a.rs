fn usage() -> &'static str {
    let n = 2;
    "print \
     the files"
}
