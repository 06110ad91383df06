import 'package:flutter/material.dart';

import '../api/api.dart';
import '../widgets/busy_button.dart';
import '../widgets/page_frame.dart';

class FeedbackPage extends StatefulWidget {
  const FeedbackPage({super.key});

  @override
  State<FeedbackPage> createState() => _FeedbackPageState();
}

class _FeedbackPageState extends State<FeedbackPage> {
  final _text = TextEditingController();
  String? _error;

  @override
  void dispose() {
    _text.dispose();
    super.dispose();
  }

  Future<void> _send() async {
    if (_text.text.trim().isEmpty) {
      setState(() => _error = 'Please write something');
      return;
    }
    await Api.instance.sendFeedback(_text.text.trim());
    if (!mounted) return;
    Navigator.of(context).pop();
  }

  @override
  Widget build(BuildContext context) {
    return PageFrame(
      title: 'Feedback',
      children: [
        TextField(
          controller: _text,
          maxLines: 6,
          decoration: InputDecoration(
            labelText: 'What should be better?',
            errorText: _error,
          ),
        ),
        BusyButton(label: 'Submit', onPressed: _send),
      ],
    );
  }
}
