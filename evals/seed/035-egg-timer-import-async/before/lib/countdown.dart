import 'dart:math';

import 'egg.dart';

/// Counts down while the eggs are in the water.
class Countdown {
  Countdown(this.eggs, {required this.onTick, required this.onDone});

  final List<Egg> eggs;
  final void Function(Duration left) onTick;
  final void Function() onDone;

  Timer? _timer;
  Duration _left = Duration.zero;

  bool get isRunning => _timer?.isActive ?? false;

  void start() {
    if (isRunning || eggs.isEmpty) return;
    final seconds = eggs.map((egg) => egg.cookingTime.inSeconds).reduce(max);
    _left = Duration(seconds: seconds);
    _timer = Timer.periodic(const Duration(seconds: 1), (_) => _tick());
    onTick(_left);
  }

  void stop() {
    _timer?.cancel();
    _timer = null;
  }

  void _tick() {
    _left -= const Duration(seconds: 1);
    onTick(_left);
    if (_left <= Duration.zero) {
      stop();
      onDone();
    }
  }
}
