import sys

sys.dont_write_bytecode = True

from decimal import Decimal

from ledger.balance import balance
from ledger.importer import import_statement, parse_rate

text = """date,amount,text
2024-03-01,12.50,bread
2024-03-02,n/a,fee
2024-02-31,4.00,no such day
2024-03-05,-3.25,cheese
"""
bookings, skipped = import_statement(text)
assert skipped == 2, skipped
assert [b.text for b in bookings] == ["bread", "cheese"]
assert balance(bookings) == Decimal("9.25")
assert import_statement("date,text\n2024-03-01,x\n") == ([], 1)
assert parse_rate("abc") == 1
assert import_statement(text, "2")[0][0].amount == Decimal("25.00")
