import 'package:flutter/material.dart';

import '../api/api.dart';
import '../model/article.dart';
import '../util/dates.dart';
import '../widgets/page_frame.dart';

class NewsPage extends StatelessWidget {
  const NewsPage({super.key});

  @override
  Widget build(BuildContext context) {
    return FutureBuilder<List<Article>>(
      future: Api.instance.news(),
      builder: (context, snapshot) {
        final articles = snapshot.data ?? const <Article>[];
        return PageFrame(
          title: 'News',
          children: [
            if (snapshot.hasError) const Text('The news could not be loaded'),
            for (final article in articles)
              ListTile(
                title: Text(article.title),
                subtitle: Text(shortDate(article.date)),
              ),
          ],
        );
      },
    );
  }
}
