import 'rules.dart';

class Session {
  int lives = Rules.startLives;
  int points = 0;
  int level = 1;
  int lanterns = 0;
  double _shield = 0;

  bool get isOver => lives <= 0;
  bool get doorIsOpen => lanterns >= Rules.lanternsPerLevel;

  void tick(double dt) {
    if (_shield > 0) _shield -= dt;
  }

  void hit() {
    if (_shield > 0 || isOver) return;
    lives--;
    _shield = Rules.shieldSeconds;
  }

  void score(int amount) {
    final before = points ~/ Rules.extraLifeEvery;
    points += amount;
    final after = points ~/ Rules.extraLifeEvery;
    if (after > before && lives < Rules.maxLives) lives++;
  }

  void lightLantern() {
    lanterns++;
    score(150);
  }

  void nextLevel() {
    level++;
    lanterns = 0;
  }
}
