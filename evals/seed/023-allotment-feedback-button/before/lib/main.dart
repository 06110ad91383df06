import 'package:flutter/material.dart';

import 'pages/feedback_page.dart';
import 'pages/home_page.dart';
import 'pages/news_page.dart';
import 'pages/waiting_list_page.dart';

void main() => runApp(const AllotmentApp());

class AllotmentApp extends StatelessWidget {
  const AllotmentApp({super.key});

  @override
  Widget build(BuildContext context) {
    return MaterialApp(
      title: 'Allotment',
      theme: ThemeData(colorSchemeSeed: Colors.green),
      routes: {
        '/': (_) => const HomePage(),
        '/news': (_) => const NewsPage(),
        '/waiting': (_) => const WaitingListPage(),
        '/feedback': (_) => const FeedbackPage(),
      },
    );
  }
}
