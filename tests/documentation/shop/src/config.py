import os

MAX_RETRIES = 3
TIMEOUT = 30


def load(path):
    with open(path) as file:
        return file.read()
