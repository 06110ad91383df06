import ast
import sys
from pathlib import Path

sys.path.insert(0, "src")
import mistune
import mistune.util
from mistune.helpers import unikey

assert unikey(" A  b ") == "A B" and mistune.unikey is unikey
assert not hasattr(mistune.util, "unikey"), "unikey is still in util"
assert "unikey" in mistune.__all__
for path in Path("src/mistune").rglob("*.py"):
    for x in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [name.name for name in getattr(x, "names", []) if isinstance(name, ast.alias)]
        assert "unikey" not in names or x.module == "helpers", path
    functions = [x.name for x in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(x, ast.FunctionDef)]
    assert ("unikey" in functions) == (path.name == "helpers.py"), path

markdown = mistune.create_markdown(plugins=["footnotes", "ruby"])
assert 'href="/x"' in markdown("[a][B  c]\n\n[b c]: /x\n")
assert 'class="footnotes"' in markdown("a[^1]\n\n[^1]: b\n")
assert "<rt>" in markdown("[a(b)]")
