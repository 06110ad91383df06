import 'package:flutter/material.dart';

import '../api/api.dart';
import '../widgets/busy_button.dart';
import '../widgets/page_frame.dart';

class WaitingListPage extends StatefulWidget {
  const WaitingListPage({super.key});

  @override
  State<WaitingListPage> createState() => _WaitingListPageState();
}

class _WaitingListPageState extends State<WaitingListPage> {
  final _name = TextEditingController();
  final _mail = TextEditingController();
  bool _wantsShed = false;

  Future<void> _submit() async {
    await Api.instance.joinWaitingList(
      name: _name.text,
      mail: _mail.text,
      shed: _wantsShed,
    );
    if (!mounted) return;
    Navigator.of(context).pop();
  }

  @override
  Widget build(BuildContext context) {
    return PageFrame(
      title: 'Waiting list',
      children: [
        TextField(controller: _name, decoration: const InputDecoration(labelText: 'Name')),
        TextField(controller: _mail, decoration: const InputDecoration(labelText: 'Mail')),
        CheckboxListTile(
          title: const Text('I would like a shed'),
          value: _wantsShed,
          onChanged: (value) => setState(() => _wantsShed = value ?? false),
        ),
        BusyButton(label: 'Submit', onPressed: _submit),
      ],
    );
  }
}
