import sys

sys.dont_write_bytecode = True

from deploy.plan import plan
from deploy.select import is_wanted, upload_list

for path in ("index.html", "css/main.css", ".htaccess", "private/.htaccess", "a.b.c", "htaccess", "img/x.y.png"):
    assert is_wanted(path), path
for path in (
    ".env",
    "img/.DS_Store",
    ".htaccess.bak",
    ".htaccess2",
    ".htpasswd",
    "private/.htpasswd",
    "~lock",
    "css/old.css.orig",
    "drafts/a.html",
    "drafts/.htaccess",
    "node_modules/x/y.js",
):
    assert not is_wanted(path), path
assert upload_list(["a.html", ".env", "b.css", ".htaccess"]) == [".htaccess", "b.css", "a.html"]
assert plan({"a.html": 1, ".env": 2}, {".env": 2, "a.html": 1}) == ([], [".env"])
