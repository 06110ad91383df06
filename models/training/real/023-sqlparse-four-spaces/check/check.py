import inspect
import re

import sqlparse
from sqlparse import cli, filters

sql = "select * from (select a from b)"
shown = sqlparse.format(sql, reindent=True)
assert "\n    (select a" in shown and shown == sqlparse.format(sql, reindent=True, indent_width=4), shown
parameters = inspect.signature(filters.ReindentFilter.__init__).parameters
assert parameters["width"].default == 4
parser = cli.create_parser()
assert parser.parse_args(["-"]).indent_width == 4
words = " ".join(parser.format_help().split())
assert "defaults to 4 spaces" in words and "defaults to 2 spaces" not in words
docs = open("docs/source/api.rst", encoding="utf-8").read()
entry = re.search(r"^``indent_width``\n(.*?)\n\n", docs, re.M | re.S).group(1)
assert "4" in entry and "2" not in entry, entry
