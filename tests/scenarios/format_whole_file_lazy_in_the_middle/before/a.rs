import a

fn f() {
    1
}

fn g() {
    2
}
