import sys
from pathlib import Path

for path in [*Path("src/hyperframe").rglob("*.py"), *Path("test").rglob("*.py"), Path("docs/source/api.rst")]:
    assert "InvalidPaddingError" not in path.read_text(encoding="utf-8"), path
assert "InvalidPaddingError" in Path("CHANGELOG.rst").read_text(encoding="utf-8")
assert ".. autoclass:: hyperframe.exceptions.PaddingError" in Path("docs/source/api.rst").read_text(encoding="utf-8")
test = Path("test/test_frames.py").read_text(encoding="utf-8")
assert test.count("pytest.raises(PaddingError)") == 3

sys.path.insert(0, "src")
from hyperframe.exceptions import HyperframeError, PaddingError
from hyperframe.frame import DataFrame, Frame, HeadersFrame, PushPromiseFrame

assert issubclass(PaddingError, HyperframeError)
for kind, body in [(DataFrame, b"\x06test"), (HeadersFrame, b"\x06test"), (PushPromiseFrame, b"\x09\0\0\0\2test")]:
    frame = kind(1)
    frame.flags.add("PADDED")
    try:
        frame.parse_body(memoryview(body))
    except PaddingError:
        continue
    raise AssertionError(kind)
