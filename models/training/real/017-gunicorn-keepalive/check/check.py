import ast
import re


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def default(name):
    for setting in ast.parse(read("gunicorn/config.py")).body:
        values = {
            line.targets[0].id: line.value
            for line in getattr(setting, "body", [])
            if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name)
        }
        if "name" in values and ast.literal_eval(values["name"]) == name:
            return ast.literal_eval(values["default"])


assert default("keepalive") == 5
assert (default("timeout"), default("graceful_timeout"), default("backlog")) == (30, 30, 2048)
section = read("docs/source/settings.rst").split(".. _keepalive:")[1].split(".. _")[0]
assert re.findall(r"\*\*Default:\*\* ``(.*?)``", section) == ["5"]
assert re.findall(r"^keepalive = (\d+)", read("examples/example_config.py"), re.M) == ["5"]
