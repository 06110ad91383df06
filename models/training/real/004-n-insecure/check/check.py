import shutil
import subprocess

source = open("bin/n", encoding="utf-8").read()
for word in ["insecure", "no-check-certificate"]:
    assert word not in source, word
for word in ["--offline) OFFLINE", "-p|--preserve)", "  --offline  ", "  --use-xz/--no-use-xz  ", "display_major_version() {", "set_arch() {"]:
    assert word in source, word
bash = shutil.which("bash")
if bash:
    subprocess.run([bash, "-n", "bin/n"], check=True)
