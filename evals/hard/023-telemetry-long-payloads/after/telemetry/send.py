"""Putting frames on the line."""

import struct
import zlib

# length of the payload, kind of the frame
HEADER = struct.Struct(">IB")
# checksum over the payload
TRAILER = struct.Struct(">I")


def pack_frame(kind, payload):
    """A frame: header, payload, checksum."""
    return HEADER.pack(len(payload), kind) + payload + TRAILER.pack(zlib.crc32(payload))


def send_all(write, kind, payloads):
    """Write several frames of one kind; returns the bytes written."""
    total = 0
    for payload in payloads:
        frame = pack_frame(kind, payload)
        write(frame)
        total += len(frame)
    return total
