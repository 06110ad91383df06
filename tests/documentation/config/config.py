MAX_RETRIES = 3


def load(path):
    if not path:
        return None
    return open(path).read()


def save(path, text):
    if not path:
        return None
    open(path, "w").write(text)
