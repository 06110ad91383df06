enum Size { small, medium, large }

enum Wish { soft, waxy, hard }

class Egg {
  const Egg(this.size, this.wish, {this.fromFridge = true});

  final Size size;
  final Wish wish;
  final bool fromFridge;

  Duration get cookingTime {
    var seconds = switch (wish) { Wish.soft => 270, Wish.waxy => 390, Wish.hard => 560 };
    seconds += size.index * 25;
    if (fromFridge) seconds += 30;
    return Duration(seconds: seconds);
  }
}
