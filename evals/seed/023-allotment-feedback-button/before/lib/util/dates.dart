import 'package:intl/intl.dart';

String shortDate(DateTime date) => DateFormat('d MMM').format(date);

String longDate(DateTime date) => DateFormat('EEEE, d MMMM y').format(date);
