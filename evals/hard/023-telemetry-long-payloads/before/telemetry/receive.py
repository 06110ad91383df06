"""Taking frames from the line."""

import struct
import zlib

HEADER = struct.Struct(">HB")
TRAILER = struct.Struct(">I")


class BadFrame(Exception):
    """The checksum does not fit the payload."""


def take_frame(buffer):
    """Remove the first frame of the bytearray; None if it is not complete."""
    if len(buffer) < HEADER.size:
        return None
    length, kind = HEADER.unpack_from(buffer)
    end = HEADER.size + length
    if len(buffer) < end + TRAILER.size:
        return None
    payload = bytes(buffer[HEADER.size : end])
    (checksum,) = TRAILER.unpack_from(buffer, end)
    del buffer[: end + TRAILER.size]
    if checksum != zlib.crc32(payload):
        raise BadFrame(f"frame of kind {kind} is damaged")
    return kind, payload


def take_all(buffer):
    """All complete frames that the buffer holds."""
    frames = []
    while (frame := take_frame(buffer)) is not None:
        frames.append(frame)
    return frames
