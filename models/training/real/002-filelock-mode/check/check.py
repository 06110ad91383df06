import ast
import os
import sys
import tempfile
import types

source = open("src/filelock/_api.py", encoding="utf-8").read()
base = next(x for x in ast.parse(source).body if isinstance(x, ast.ClassDef) and x.name == "BaseFileLock")
for name in ["__new__", "__init__"]:
    args = next(x for x in base.body if isinstance(x, ast.FunctionDef) and x.name == name).args
    defaults = dict(zip([x.arg for x in args.args][-len(args.defaults):], args.defaults))
    assert ast.literal_eval(defaults["mode"]) == 0o600, name

# version.py is generated and ignored by git, so a copy of the folder may lack it.
sys.modules["filelock.version"] = types.SimpleNamespace(version="3.13.1")
sys.path.insert(0, "src")
import filelock

os.umask(0)
for kind in [filelock.FileLock, filelock.SoftFileLock]:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.lock")
        with kind(path):
            assert os.stat(path).st_mode & 0o777 == 0o600, kind
