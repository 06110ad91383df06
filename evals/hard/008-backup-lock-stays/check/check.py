import sys

sys.dont_write_bytecode = True

from nightly.runner import Busy, Runner

lines = []
runner = Runner(lines.append)


def fails():
    raise OSError("disk full")


for _ in range(2):
    try:
        runner.run("mail", fails)
    except OSError:
        pass
    else:
        raise SystemExit("the error was swallowed")

assert runner.run("web", lambda: 7) == 7
assert lines[-2:] == ["web started", "web finished"]
assert runner.longest() == "web"


def inner():
    try:
        runner.run("second", lambda: 1)
    except Busy:
        return "busy"


assert runner.run("first", inner) == "busy"
assert runner.run("third", lambda: 3) == 3
