import sys

sys.dont_write_bytecode = True

from telemetry import kinds
from telemetry.receive import BadFrame, take_all, take_frame
from telemetry.send import pack_frame, send_all

for payload in (b"", b"abc", b"x" * 70000):
    frame = pack_frame(kinds.LOG, payload)
    assert len(frame) == 4 + 1 + len(payload) + 4
    assert frame[:5] == len(payload).to_bytes(4, "big") + b"\x04"
    assert take_frame(bytearray(frame)) == (kinds.LOG, payload)
    assert take_frame(bytearray(frame[:-1])) is None

line = bytearray()
assert send_all(line.extend, kinds.PICTURE, [b"a" * 66000, b"b"]) == 66001 + 18
assert take_all(line) == [(kinds.PICTURE, b"a" * 66000), (kinds.PICTURE, b"b")]
bad = bytearray(pack_frame(kinds.LOG, b"abc"))
bad[6] ^= 1
try:
    take_frame(bad)
except BadFrame:
    pass
else:
    raise SystemExit("a damaged frame was taken")
