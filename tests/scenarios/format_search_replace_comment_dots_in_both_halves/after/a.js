function f(x) {
  one();
  two();
  four();
}
