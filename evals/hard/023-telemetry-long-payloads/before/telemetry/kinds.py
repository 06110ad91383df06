"""Kinds of frames."""

HELLO = 1
POSITION = 2
PICTURE = 3
LOG = 4

NAMES = {HELLO: "hello", POSITION: "position", PICTURE: "picture", LOG: "log"}
