class Article {
  const Article({required this.title, required this.date, required this.text});

  factory Article.fromJson(Map<String, dynamic> json) => Article(
        title: json['title'] as String,
        date: DateTime.parse(json['date'] as String),
        text: json['text'] as String? ?? '',
      );

  final String title;
  final DateTime date;
  final String text;
}
