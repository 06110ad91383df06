/// Numbers that shape the difficulty of the game.
class Rules {
  const Rules._();

  /// Lives at the start of a game.
  static const int startLives = 5;

  /// More than this can't be collected.
  static const int maxLives = 9;

  /// Lanterns that must be lit before the door opens.
  static const int lanternsPerLevel = 3;

  /// Seconds the moth can't be hurt after it was hit.
  static const double shieldSeconds = 1.5;

  /// Points that bring an extra life.
  static const int extraLifeEvery = 5000;
}
