if a < b && c > e {
}
