class Basket {
  final Map<String, int> _lines = {};

  void add(String sku, [int count = 1]) {
    _lines.update(sku, (old) => old + count, ifAbsent: () => count);
  }

  int total(int Function(String sku) priceOf) {
    var sum = 0;
    _lines.forEach((sku, count) {
      sum += priceOf(sku) * count;
    });
    print('DEBUG total=$sum');
    return sum;
  }

  bool get isEmpty => _lines.isEmpty;
}
