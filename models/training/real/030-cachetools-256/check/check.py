import inspect
import re
import sys

sys.path.insert(0, "src")
from cachetools import func

for name in func.__all__:
    decorator = getattr(func, name)
    assert inspect.signature(decorator).parameters["maxsize"].default == 256, name
    for wrapped in [decorator(lambda x: x), decorator()(lambda x: x)]:
        assert wrapped.cache_parameters()["maxsize"] == wrapped.cache_info().maxsize == 256, name
    assert decorator(maxsize=7)(lambda x: x).cache_info().maxsize == 7

docs = open("docs/index.rst", encoding="utf-8").read()
described = docs.split(".. decorator::", 1)[1]
assert re.findall(r"(\w+_cache)\(maxsize=(\d+)", docs) == [(name, "256") for name in func.__all__]
assert "default value of 256" in docs and "default value of 128" not in docs
assert docs.count("@cached(LRUCache(maxsize=128)") == 2, "an example of another decorator"
