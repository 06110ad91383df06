import re


def times(path):
    source = open(path, encoding="utf-8").read()
    return [re.findall(r"0?\.\d+s", line) for line in re.findall(r"transition:[^;]*;", source)]


forms = times("src/_forms.scss")
assert [len(line) for line in forms] == [4, 4, 5], forms
assert all(time in (".3s", "0.3s") for line in forms for time in line), forms
for other, n in [("_buttons", 4), ("_sliders", 3), ("_tooltips", 2), ("_calendars", 4)]:
    found = sum(times(f"src/{other}.scss"), [])
    assert found == [".2s"] * n, other
