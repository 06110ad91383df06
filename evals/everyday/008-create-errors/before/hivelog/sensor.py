"""Read the scale and the climate sensor of a hive."""

import struct
from dataclasses import dataclass

FRAME = struct.Struct("<HhHH")


@dataclass
class Reading:
    hive: int
    temperature: float
    humidity: float
    weight: float


def decode(frame: bytes) -> Reading:
    """Turn one radio frame into a reading."""
    hive, temperature, humidity, weight = FRAME.unpack(frame)
    return Reading(hive, temperature / 100, humidity / 100, weight / 50)
