class Guess {
  const Guess({required this.id, required this.name, required this.latin, required this.sure});

  factory Guess.fromJson(Map<String, dynamic> json) => Guess(
        id: json['id'] as String,
        name: json['name'] as String,
        latin: json['latin'] as String,
        sure: (json['sure'] as num).toDouble(),
      );

  final String id;
  final String name;
  final String latin;

  /// From 0 to 1.
  final double sure;
}
