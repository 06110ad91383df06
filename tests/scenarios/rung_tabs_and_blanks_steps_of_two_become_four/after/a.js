function f() {
    if (x) {
        y();
        z();
    }
}
