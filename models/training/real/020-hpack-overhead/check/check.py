import ast
import inspect
import sys

sys.path.insert(0, "src")
import hpack
from hpack.table import HeaderTable, table_entry_size

parameters = inspect.signature(table_entry_size).parameters.values()
assert [x.name for x in parameters] == ["name", "value", "overhead"]
assert all(x.default is x.empty for x in parameters)
assert table_entry_size(b"ab", b"c", 10) == 13

table = HeaderTable()
table.maxsize = 80
for name in [b"a", b"b", b"c"]:
    table.add(name, b"1")
assert len(table.dynamic_entries) == 2
decoder = hpack.Decoder(max_header_list_size=80)
header = [(b"a", b"1"), (b"b", b"2")]
assert len(decoder.decode(hpack.Encoder().encode(header))) == 2
try:
    decoder.decode(hpack.Encoder().encode(header * 2))
except hpack.OversizedHeaderListError:
    pass
else:
    raise AssertionError("the list is 136 long and should be too long")

test = ast.parse(open("test/test_table.py", encoding="utf-8").read())
calls = [x for x in ast.walk(test) if isinstance(x, ast.Call) and getattr(x.func, "id", "") == "table_entry_size"]
assert calls and all(len(x.args) + len(x.keywords) == 3 for x in calls), "the call in the test"
