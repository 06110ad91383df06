import re

source = open("src/setproctitle.c", encoding="utf-8").read()
for name in ["spt_setproctitle", "spt_setthreadtitle"]:
    body = re.search(r"^%s\(.*?^}" % name, source, re.M | re.S).group()
    parse = re.search(r"if \(!PyArg_ParseTupleAndKeywords\(.*?return NULL;", body, re.S).group()
    assert 'spt_debug("bad arguments");' in parse, name
assert "failed to parse tuple" not in source
assert source.count("failed to initialize setproctitle") == 2
