import time
import urllib.request

MAX_TRIES = 5
PAUSE = 1.5


def upload(url, data):
    for n in range(MAX_TRIES):
        try:
            req = urllib.request.Request(url, data=data, method="PUT")
            return urllib.request.urlopen(req).status
        except OSError:
            time.sleep(PAUSE * (n + 1))
    raise RuntimeError("upload failed")
