import 'package:flutter/material.dart';

import '../widgets/page_frame.dart';

class HomePage extends StatelessWidget {
  const HomePage({super.key});

  @override
  Widget build(BuildContext context) {
    Widget entry(String title, String route) => ListTile(
          title: Text(title),
          trailing: const Icon(Icons.chevron_right),
          onTap: () => Navigator.of(context).pushNamed(route),
        );
    return PageFrame(
      title: 'Allotment',
      children: [
        entry('News', '/news'),
        entry('Join the waiting list', '/waiting'),
        entry('Send us feedback', '/feedback'),
      ],
    );
  }
}
