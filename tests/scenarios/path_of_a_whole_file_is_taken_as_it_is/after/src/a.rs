fn g() {
    3
}
