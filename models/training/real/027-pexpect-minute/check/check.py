import ast
from pathlib import Path

found = {}
for path in Path("pexpect").glob("*.py"):
    for x in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(x, ast.FunctionDef) and x.args.defaults:
            names = [arg.arg for arg in x.args.args]
            defaults = dict(zip(names[-len(x.args.defaults):], x.args.defaults))
            if "timeout" in defaults and ast.literal_eval(defaults["timeout"]) not in (-1, None):
                found[path.name, x.name] = ast.literal_eval(defaults["timeout"])
assert len(found) == 8 and set(found.values()) == {60}, found


def words(path):
    return " ".join(Path(path).read_text(encoding="utf-8").split())


for path, text in [
    ("pexpect/pty_spawn.py", "(default: *{}*)"),
    ("pexpect/replwrap.py", "(default {} seconds)"),
    ("doc/overview.rst", "The default time is {} seconds"),
]:
    assert text.format(60) in words(path) and text.format(30) not in words(path), path
