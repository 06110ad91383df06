import tomllib


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


manifest = tomllib.loads(read("Cargo.toml"))
assert (manifest["package"]["name"], manifest["package"]["version"]) == ("textwrap", "0.16.2")
locked = {package["name"]: package["version"] for package in tomllib.loads(read("Cargo.lock"))["package"]}
assert locked["textwrap"] == "0.16.2"
assert locked["smawk"] == "0.3.2", "another package's version was changed"
source = read("src/lib.rs")
assert "images/textwrap-0.16.2.svg" in source
assert 'html_root_url = "https://docs.rs/textwrap/0.16.2"' in source
assert "0.16.1" not in source
