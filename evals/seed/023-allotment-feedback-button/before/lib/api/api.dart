import 'dart:convert';

import 'package:http/http.dart' as http;

import '../model/article.dart';

class Api {
  Api(this._base);

  static final Api instance = Api(Uri.parse('https://allotment.example/api/'));

  final Uri _base;

  Future<List<Article>> news() async {
    final response = await http.get(_base.resolve('news'));
    final list = jsonDecode(response.body) as List<dynamic>;
    return [for (final item in list) Article.fromJson(item as Map<String, dynamic>)];
  }

  Future<void> sendFeedback(String text) => _post('feedback', {'text': text});

  Future<void> joinWaitingList({
    required String name,
    required String mail,
    required bool shed,
  }) =>
      _post('waiting', {'name': name, 'mail': mail, 'shed': shed});

  Future<void> _post(String path, Map<String, Object> body) async {
    final response = await http.post(
      _base.resolve(path),
      headers: {'content-type': 'application/json'},
      body: jsonEncode(body),
    );
    if (response.statusCode >= 400) {
      throw http.ClientException('$path: ${response.statusCode}');
    }
  }
}
