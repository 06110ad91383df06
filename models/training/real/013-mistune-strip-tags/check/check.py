import re
import sys
from pathlib import Path

for path in Path("src/mistune").rglob("*.py"):
    assert not re.search(r"\bstriptags\b", path.read_text(encoding="utf-8")), path

sys.path.insert(0, "src")
import mistune
from mistune.toc import add_toc_hook
from mistune.util import strip_tags

assert strip_tags("<b>a</b>") == "a"
assert 'alt="a b"' in mistune.html("![a **b**](c.png)")
markdown = mistune.create_markdown()
add_toc_hook(markdown)
_, state = markdown.parse("# a *b*\n")
assert state.env["toc_items"][0][2] == "a b"
