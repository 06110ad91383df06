import a

fn f() {
    4
    5
}

fn g() {
    2
}
