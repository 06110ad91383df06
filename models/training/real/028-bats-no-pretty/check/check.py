import re
import shutil
import subprocess


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


source = read("libexec/bats-core/bats")
assert "--pretty" not in source and "-p |" not in source
flags = re.search(r'^single_char_flags="(.*)"', source, re.M).group(1)
assert sorted(flags) == sorted("hvcrtTx"), flags
assert "^(pretty|junit|tap|tap13|cat|/.*)$" in source, "the formatter itself stays"
for flag in ["-o, --output <dir>", "--print-output-on-failure", "-t, --tap "]:
    assert flag in source, flag
page = read("man/bats.1.ronn")
assert "--pretty" not in page and "`-p`" not in page
assert "Shorthand for \"--formatter pretty\"" not in page and "`--print-output-on-failure`" in page
bash = shutil.which("bash")
if bash:
    subprocess.run([bash, "-n", "libexec/bats-core/bats"], check=True)
    for flag in ["-p", "--pretty"]:
        script = 'bats_readlinkf() { readlink -f "$1"; }; . libexec/bats-core/bats'
        done = subprocess.run([bash, "-c", script, "bats", flag, "a"], capture_output=True, text=True)
        assert done.returncode == 1 and f"Bad command line option '{flag}'" in done.stderr, done
