"""Fetches permissively licensed source code, from which edit tasks are generated to train the model.

    python3 corpus.py [--out DIR] [--sources FILE] [--offline]

The packages, each with its version and its licence, are listed in sources.toml. They come from the registries as `cargo`,
`pip` and `npm` are configured on this machine. No code of a package is run: archives are read in memory, never unpacked
to disk, and Python sdists are fetched from pip's index directly, because `pip download` would run their build scripts.

What is written, below DIR (default: .cache/corpus beside this file, which git ignores):

    archives/REGISTRY/   the packages as fetched; those already there are not fetched again
    LANG.jsonl           one object a line: package, licence, path, text
    summary.json         files and bytes by language; packages with licences; packages refused, with the reason

A package is refused when its own metadata (Cargo.toml, METADATA or PKG-INFO, package.json) gives another licence than
sources.toml, or one outside ALLOWED, or when its licence file is a copyleft one. Of the files, those stay out that are
minified, generated, built, vendored or under another licence; of tests, change logs and fixtures every other one.
Line ends become LF and a byte order mark goes. The exit status is 1 when a package was refused or could not be fetched.
"""

from __future__ import annotations

import argparse
import email.parser
import hashlib
import html.parser
import json
import os
import re
import shutil
import ssl
import string
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import urllib.parse
import urllib.request
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

HERE = Path(__file__).resolve().parent

ALLOWED = {"MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "0BSD", "Zlib", "Unlicense"}

SMALLEST_FILE = 200
LARGEST_FILE = 200_000
PACKAGE_CAP = 1_500_000
LANGUAGE_CAP = 12_000_000
LARGEST_ARCHIVE = 3_000_000_000  # unpacked; more is taken for a bomb

DOWNLOADS_AT_ONCE = 3
NPM_BATCH = 6

LANGUAGES = {
    "python": ".py .pyi",
    "rust": ".rs",
    "javascript": ".js .mjs .cjs .jsx",
    "typescript": ".ts .tsx .mts .cts",
    "c": ".c .h",  # a header may turn out to be C++ or Objective-C
    "cpp": ".cc .cpp .cxx .hpp .hh .hxx .ipp .tpp",
    "objc": ".m .mm",
    "java": ".java",
    "kotlin": ".kt .kts",
    "swift": ".swift",
    "csharp": ".cs",
    "go": ".go",
    "css": ".css .scss .less",
    "html": ".html .htm .vue .svelte",
    "json": ".json .jsonc .json5",
    "yaml": ".yaml .yml",
    "toml": ".toml",
    "ini": ".ini .cfg .conf .properties .editorconfig",
    "xml": ".xml .plist .csproj .vcxproj .props .targets .xaml .storyboard",
    "markdown": ".md .mdx .markdown",
    "rst": ".rst",
    "shell": ".sh .bash .zsh .bats",
    "powershell": ".ps1 .psm1",
    "sql": ".sql",
    "ruby": ".rb .podspec",
    "groovy": ".gradle .groovy",
    "lua": ".lua",
    "php": ".php",
    "proto": ".proto",
    "graphql": ".graphql .gql",
    "cmake": ".cmake",
    "make": ".mk",
}
BY_EXTENSION = {extension: language for language, all_of in LANGUAGES.items() for extension in all_of.split()}
BY_NAME = {
    "Dockerfile": "docker", "Makefile": "make", "GNUmakefile": "make", "CMakeLists.txt": "cmake", "Podfile": "ruby",
    "Gemfile": "ruby", "Rakefile": "ruby", ".editorconfig": "ini", ".gitconfig": "ini",
}

# Of a package with more text than PACKAGE_CAP, files of these languages are taken first.
SCARCE = {
    "java", "kotlin", "swift", "csharp", "go", "sql", "shell", "toml", "yaml", "ini", "html", "css", "objc", "docker", "make",
    "powershell", "proto", "graphql",
}

PROSE = {"markdown", "rst"}

LETTERS = string.ascii_letters.encode()
ASCII = bytes(range(128))

LOCK_FILES = {
    "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "cargo.lock", "poetry.lock", "uv.lock", "yarn.lock",
    "composer.lock", "gemfile.lock", "packages.lock.json", "podfile.lock", ".cargo_vcs_info.json",
}
LICENCE_FILE = re.compile(r"^(licen[cs]es?|copying|unlicense|copyright)([-_.].*)?$", re.I)
LEGAL_FILE = re.compile(
    r"^(licen[cs]es?|copying|unlicense|copyright|notices?|patents|authors|contributors)\b|third.?party", re.I
)
VENDORED = {
    "node_modules", "vendor", "vendors", "vendored", "_vendor", "_vendored", "third_party", "third-party", "thirdparty",
    "3rdparty", "3rd_party", "external", "externals", "extern", "deps", "bundled", "submodules", "subprojects", "pods",
    "carthage", "site-packages", "bower_components", "jspm_packages", "examplefiles",
    "external_libs", "external-libs", "extlibs", "extlib", "thirdparties", "3rdpartylibs", "ocmock",
    "releasenotes", "newsfragments",  # not code, though YAML
}
BUILT = {
    "dist", "build", "out", "output", "cjs", "esm", "_cjs", "_esm", "umd", "amd", "es", "es5", "es6", "es2015", "esnext",
    "fesm", "fesm5", "fesm2015", "fesm2020", "fesm2022", "esm5", "esm2015", "bundles", "bundle", "commonjs", "module", "min",
    "prebuilds", "coverage", ".next", "_site", "typings", "lib.esm", "lib-esm", "dist-es", "dist-cjs", "dist-module", "dist-types", "lib-es",
}
TESTS = {
    "test", "tests", "__tests__", "testing", "spec", "specs", "__mocks__", "mocks", "fixture", "fixtures", "__fixtures__",
    "testdata", "test-data", "e2e", "androidtest", "snapshots", "locale", "locales", "lang", "i18n", "test cases",
}
TEST_FILE = re.compile(r"^(test_.*|conftest\.py|changelog.*|changes\..*|history\..*)$|[._-](tests?|spec|snap)\.[a-z]+$", re.I)

GENERATED = re.compile(
    r"@generated\b|\b(auto[- ]?generated|automatically generated|machine[- ]generated|generated (by|from|with|using|file|code)"
    r"|do not (edit|modify|change)\b|built with\b|bundled by|created by bindgen|swig\b.*version|cython \d)"
    r"|code generated\b",
    re.I,
)
GENERATED_PAGE = re.compile(
    r"documentation_options\.js|searchindex\.js|genindex\.html|javadoc|doxygen|<meta name=.?generator", re.I
)
COMPILED_JS = re.compile(
    r"defineProperty\(exports, ['\"]__esModule['\"]|__webpack_require__|sourceMappingURL=|exports\.__esModule = "
    r"|(var|const) __(awaiter|extends|assign|spreadArray|importDefault|createBinding|defProp|toESM)\b"
    r"|_interopRequire(Default|Wildcard)"
    r"|\btslib_\d|_class_call_check|_classCallCheck\("
)
FOREIGN_LICENCE = re.compile(
    r"GNU (Lesser |Library |Affero )?General Public|\b[AL]?GPL\b|\b[AL]?GPLv?\d|Mozilla Public License|\bMPL\b|mozilla\.org/MPL"
    r"|Creative ?Commons|\bCC0\b|\bCC[- ]BY|Eclipse Public|Common Development and Distribution|Microsoft Software License"
    r"|Boost Software License|Python Software Foundation License|NVIDIA CORPORATION and its licensors|SIL Open Font"
    r"|proprietary and confidential|unpublished proprietary|public domain",
    re.I,
)
# How the head of a file may name one of the ALLOWED licences.
NAMED_LICENCE = {
    "MIT": r"\bMIT[- ]licen[sc]e|under (the )?MIT\b|licen[sc]ed? MIT\b|Permission is hereby granted, free of charge",
    "Apache": r"Apache Licen[sc]e|Apache-2\.0|licenses/LICENSE-2\.0",
    "BSD": r"Redistribution and use in source|BSD[- ]style|BSD Licen[sc]e|\d-clause BSD|BSD-\d-Clause",
    "ISC": r"ISC Licen[sc]e|Permission to use, copy, modify, and(/or)? distribute this software",
    "Zlib": r"zlib licen[sc]e|This software is provided 'as-is'",
}
COPYLEFT = re.compile(
    r"GNU (Lesser |Library |Affero )?General Public|Mozilla Public License|Eclipse Public|Creative Commons", re.I
)
CPP = re.compile(r"^\s*(namespace|template\s*<|class\s+\w+.*[{:;]|using\s|public:|private:)|\bstd::", re.M)
SPDX_HEADER = re.compile(r"SPDX-License-Identifier:\s*([^\n*]+?)\s*(?:\*/|-->|$)", re.M)
SECRET = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----|\bAKIA[0-9A-Z]{16}\b|\bghp_[A-Za-z0-9]{36}\b")


class Refused(Exception):
    """Why a package is not used."""


@dataclass(frozen=True)
class Package:
    registry: str  # crates, pypi or npm
    name: str
    version: str
    licence: str
    kind: str = "sdist"  # for pypi: sdist or wheel
    skip: tuple[str, ...] = ()  # folders of others' code, which no rule below finds

    @property
    def label(self) -> str:
        return f"{self.registry}:{self.name}@{self.version}"


@dataclass(frozen=True)
class File:
    package: Package
    language: str
    path: str
    text: str

    @property
    def size(self) -> int:
        return len(self.text.encode())

    @property
    def order(self) -> bytes:
        """An arbitrary order that stays the same from run to run."""
        return digest(f"{self.package.name} {self.path}")


def digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def every_other(text: str) -> bool:
    return digest(text)[0] % 2 == 0


# Licences


def licence_allowed(expression: str) -> bool:
    """Whether an SPDX expression gives a way to use the work under ALLOWED licences alone."""
    tokens = re.findall(r"\(|\)|[^\s()]+", expression)

    def either() -> bool:
        result = both()
        while tokens and tokens[0].upper() == "OR":
            tokens.pop(0)
            result = both() or result
        return result

    def both() -> bool:
        result = one()
        while tokens and tokens[0].upper() == "AND":
            tokens.pop(0)
            result = one() and result
        return result

    def one() -> bool:
        if not tokens:
            return False
        token = tokens.pop(0)
        if token == "(":
            result = either()
            return bool(tokens) and tokens.pop(0) == ")" and result
        result = token in ALLOWED
        if tokens and tokens[0].upper() == "WITH":
            del tokens[:2]
            return False
        return result

    return expression.split()[-1:] not in (["OR"], ["AND"]) and either() and not tokens


def licence_of_text(text: str) -> str | None:
    """The licence whose text this is, or nothing where that is not plain."""
    text = " ".join(text.split())
    found = []
    if COPYLEFT.search(text):
        return None
    if "Permission is hereby granted, free of charge" in text and "shall be included in all copies" in text:
        found.append("MIT")
    if re.search(r"Apache License,? Version 2\.0", text, re.I):
        found.append("Apache-2.0")
    if re.search(r"Redistribution and use in source and binary forms", text, re.I):
        found.append("BSD-3-Clause" if re.search("Neither the name|to endorse or promote", text, re.I) else "BSD-2-Clause")
    if re.search(r"Permission to use, copy, modify, and(/or)? distribute this software", text):
        found.append("ISC" if "provided that the above copyright notice" in text else "0BSD")
    if "This is free and unencumbered software" in text:
        found.append("Unlicense")
    return found[0] if len(found) == 1 else None


LICENCE_NAMES = {
    "mit": "MIT", "mit license": "MIT", "the mit license": "MIT", "the mit license (mit)": "MIT", "expat": "MIT",
    "mit license (mit)": "MIT", "apache": None, "apache 2": "Apache-2.0", "apache 2.0": "Apache-2.0", "apache-2.0": "Apache-2.0",
    "apache2": "Apache-2.0", "apache license 2.0": "Apache-2.0", "apache license, version 2.0": "Apache-2.0",
    "apache license version 2.0": "Apache-2.0", "apache software license 2.0": "Apache-2.0", "apache 2.0 license": "Apache-2.0",
    "apache license v2.0": "Apache-2.0", "apache v2": "Apache-2.0", "apache license (2.0)": "Apache-2.0", "apache-2": "Apache-2.0",
    "apache version 2.0": "Apache-2.0", "apache software license": None, "apache license": None,
    "bsd-3-clause": "BSD-3-Clause", "3-clause bsd": "BSD-3-Clause", "new bsd": "BSD-3-Clause", "bsd 3-clause": "BSD-3-Clause",
    "bsd-3-clause license": "BSD-3-Clause", "bsd 3-clause license": "BSD-3-Clause", "3-clause bsd license": "BSD-3-Clause",
    "bsd 3 clause": "BSD-3-Clause", "modified bsd license": "BSD-3-Clause", "new bsd license": "BSD-3-Clause",
    "bsd-2-clause": "BSD-2-Clause", "2-clause bsd": "BSD-2-Clause", "bsd 2-clause": "BSD-2-Clause", "simplified bsd": "BSD-2-Clause",
    "bsd-2-clause license": "BSD-2-Clause", "isc": "ISC", "isc license": "ISC", "isc license (iscl)": "ISC", "zlib": "Zlib",
    "the unlicense (unlicense)": "Unlicense", "unlicense": "Unlicense", "bsd": None, "bsd license": None,
}


def licence_of_python(metadata: str, licence_files: list[str]) -> str:
    """From METADATA or PKG-INFO. A name that leaves the kind open ("BSD") is settled by the licence file."""
    fields = email.parser.HeaderParser().parsestr(metadata)
    expression = (fields.get("License-Expression") or "").strip()
    if expression:
        return expression
    classifiers = [
        line.split("::")[-1].strip() for line in fields.get_all("Classifier") or [] if line.startswith("License ::")
    ]
    classifiers = [name for name in classifiers if name != "OSI Approved"]
    stated = " ".join((fields.get("License") or "").split())
    if stated.upper() == "UNKNOWN":
        stated = ""
    if len(stated) > 100:
        return licence_of_text(stated) or "unclear licence text"
    if re.search(r"\b(OR|AND)\b|/", stated):
        return stated
    names = [stated] if stated else classifiers
    if len(names) != 1:
        return "unclear: " + (", ".join(names) or "none stated")
    if names[0].lower() not in LICENCE_NAMES:
        return names[0]
    known = LICENCE_NAMES[names[0].lower()]
    if known:
        return known
    kinds = {licence_of_text(text) for text in licence_files}
    wanted = names[0].split()[0].lower()
    if len(kinds) == 1 and (kind := kinds.pop()) and kind.lower().startswith(wanted):
        return kind
    return f"unclear: {names[0]}"


def licence_stated(package: Package, contents: dict[str, bytes]) -> str:
    """The licence that a package's own metadata gives."""

    def text(path: str) -> str:
        return contents[path].decode("utf-8", "replace")

    licence_files = [text(path) for path in contents if is_main_licence(path)]
    for licence_file in licence_files:
        if COPYLEFT.search(licence_file[:600]):
            raise Refused("its licence file is a copyleft one")
    if package.registry == "crates":
        expression = tomllib.loads(text("Cargo.toml"))["package"].get("license", "none stated")
        return re.sub(r"\s*/\s*", " OR ", expression)
    if package.registry == "npm":
        manifest = json.loads(text("package.json").lstrip("\ufeff"))
        stated = manifest.get("license") or manifest.get("licenses") or "none stated"
        if isinstance(stated, list):
            stated = " OR ".join(one["type"] if isinstance(one, dict) else one for one in stated)
        if isinstance(stated, dict):
            stated = stated.get("type", "none stated")
        return LICENCE_NAMES.get(stated.strip().lower()) or stated.strip()
    metadata = [path for path in contents if path == "PKG-INFO" or path.endswith(".dist-info/METADATA")]
    if not metadata:
        raise Refused("no metadata in the archive")
    return licence_of_python(text(metadata[0]), licence_files)


def check_licence(package: Package, contents: dict[str, bytes]) -> None:
    stated = licence_stated(package, contents)
    if stated != package.licence:
        raise Refused(f"sources.toml says {package.licence}, the package says {stated}")
    if not licence_allowed(stated):
        raise Refused(f"{stated} is not an allowed licence")


# Fetching


def fetch(packages: list[Package], archives: Path) -> dict[Package, str]:
    """Fetches what is not there yet; returns what could not be had, with the reason."""
    missing = [package for package in packages if not archive_of(package, archives)]
    if not missing:
        return {}
    crates = [package for package in missing if package.registry == "crates"]
    wheels = [package for package in missing if package.registry == "pypi"]
    tarballs = [package for package in missing if package.registry == "npm"]
    for registry in ("crates", "pypi", "npm"):
        (archives / registry).mkdir(parents=True, exist_ok=True)
    failed: dict[Package, str] = {}
    with ThreadPoolExecutor(DOWNLOADS_AT_ONCE) as pool, tempfile.TemporaryDirectory(dir=archives) as scratch:
        jobs = []
        if crates:
            jobs.append(pool.submit(fetch_crates, crates, archives / "crates", Path(scratch)))
        for start in range(0, len(tarballs), NPM_BATCH):
            batch = tarballs[start : start + NPM_BATCH]
            jobs.append(pool.submit(fetch_npm, batch, archives / "npm", Path(scratch) / "npm-cache"))
        if wheels:
            index = PythonIndex()
            jobs += [pool.submit(index.fetch, package, archives / "pypi") for package in wheels]
        for number, job in enumerate(jobs, 1):
            failed |= job.result()
            say(f"fetched {number}/{len(jobs)} batches")
    return failed


def archive_of(package: Package, archives: Path) -> Path | None:
    """Where the package lies, if it is there."""
    folder = archives / package.registry
    if package.registry == "crates":
        found = [folder / f"{package.name}-{package.version}.crate"]
    elif package.registry == "npm":
        found = [folder / npm_file(package)]
    else:
        found = [path for path in folder.glob("*") if python_file_fits(path.name, package)]
    return next((path for path in found if path.exists()), None)


def npm_file(package: Package) -> str:
    """The name under which `npm pack` stores a package."""
    return f"{package.name.removeprefix('@').replace('/', '-')}-{package.version}.tgz"


def python_file_fits(file_name: str, package: Package) -> bool:
    """Whether a file of the index is this package, in this version and kind."""
    name = re.sub(r"[-_.]+", "-", package.name).lower()
    if package.kind == "wheel":
        parts = file_name.removesuffix(".whl").split("-")
        fits = file_name.endswith(".whl") and len(parts) >= 5
        return fits and re.sub(r"[-_.]+", "-", parts[0]).lower() == name and parts[1] == package.version
    stem = re.sub(r"\.(tar\.gz|tar\.bz2|zip|tgz)$", "", file_name)
    if stem == file_name or not stem.endswith("-" + package.version):
        return False
    return re.sub(r"[-_.]+", "-", stem[: -len(package.version) - 1]).lower() == name


def quietly(command: list[str], folder: Path, **environment: str) -> str | None:
    """Runs a command; returns the end of what it said if it failed."""
    try:
        done = subprocess.run(
            command, cwd=folder, env=os.environ | environment, capture_output=True, text=True, timeout=600, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if done.returncode == 0 else (done.stderr or done.stdout)[-400:].strip()


def fetch_crates(packages: list[Package], folder: Path, scratch: Path) -> dict[Package, str]:
    """All in one `cargo fetch`; should they not fit together (two that link the same library), one by one."""
    home = scratch / "cargo-home"
    home.mkdir()
    usual_home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    for name in ("config.toml", "config"):
        if (usual_home / name).exists():
            shutil.copy(usual_home / name, home / name)
    try:
        about = subprocess.run(["cargo", "-vV"], capture_output=True, text=True, check=False).stdout
    except OSError as error:
        return dict.fromkeys(packages, str(error))
    host = re.search(r"^host: (.*)$", about, re.M)[1]

    def run(wanted: list[Package]) -> str | None:
        project = Path(tempfile.mkdtemp(dir=scratch))
        (project / "src").mkdir()
        (project / "src/lib.rs").touch()
        lines = [
            f'd{number} = {{ package = "{package.name}", version = "={package.version}", default-features = false }}'
            for number, package in enumerate(wanted)
        ]
        manifest = '[package]\nname = "corpus"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n' + "\n".join(lines)
        (project / "Cargo.toml").write_text(manifest + "\n[workspace]\n")
        error = quietly(["cargo", "fetch", "--quiet", "--target", host], project, CARGO_HOME=str(home))
        for package in wanted:
            for crate in home.glob(f"registry/cache/*/{package.name}-{package.version}.crate"):
                shutil.copy(crate, folder)
        return error

    failed = {}
    if len(packages) > 1:
        run(packages)
    for package in packages:
        if not (folder / f"{package.name}-{package.version}.crate").exists():
            error = run([package])
            if not (folder / f"{package.name}-{package.version}.crate").exists():
                failed[package] = error or "not for this platform"
    return failed


def fetch_npm(packages: list[Package], folder: Path, cache: Path) -> dict[Package, str]:
    """With `npm pack`; where the batch fails, one by one."""

    def run(wanted: list[Package]) -> str | None:
        names = [f"{package.name}@{package.version}" for package in wanted]
        options = ["--ignore-scripts", "--loglevel=error", f"--pack-destination={folder}", f"--cache={cache}"]
        return quietly(["npm", "pack", *names, *options], folder)

    failed = {}
    if run(packages):
        for package in packages:
            if not (folder / npm_file(package)).exists() and (error := run([package])):
                failed[package] = error
    return failed


class LinkParser(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value for name, value in attrs if tag == "a" and name == "href" and value]


class PythonIndex:
    """The package index that pip uses on this machine."""

    def __init__(self) -> None:
        def ask(*words: str) -> str:
            command = [sys.executable, *words]
            return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()

        self.address = (
            os.environ.get("PIP_INDEX_URL")
            or ask("-m", "pip", "config", "get", "global.index-url")
            or ask("-c", "from pip._internal.models.index import PyPI; print(PyPI.simple_url)")
        )
        certificates = os.environ.get("PIP_CERT") or ask("-m", "pip", "config", "get", "global.cert") or None
        self.context = ssl.create_default_context(cafile=certificates)

    def get(self, address: str) -> bytes:
        request = urllib.request.Request(address, headers={"Accept": "text/html", "User-Agent": "corpus.py"})
        with urllib.request.urlopen(request, timeout=180, context=self.context) as reply:
            return reply.read()

    def fetch(self, package: Package, folder: Path) -> dict[Package, str]:
        try:
            page = self.address.rstrip("/") + "/" + re.sub(r"[-_.]+", "-", package.name).lower() + "/"
            parser = LinkParser()
            parser.feed(self.get(page).decode())
            links = [urllib.parse.urljoin(page, link) for link in parser.links]
            named = {urllib.parse.unquote(urllib.parse.urlsplit(link).path.rsplit("/", 1)[-1]): link for link in links}
            fitting = sorted(name for name in named if python_file_fits(name, package))
            if not fitting:
                return {package: f"no {package.kind} of this version in the index"}
            # A wheel for every platform, or else for Linux; of several, the first.
            name = min(fitting, key=lambda name: ("-none-any" not in name, "manylinux" not in name, "x86_64" not in name, name))
            data = self.get(named[name].split("#")[0])
            wanted = urllib.parse.parse_qs(urllib.parse.urlsplit(named[name]).fragment).get("sha256")
            if wanted and hashlib.sha256(data).hexdigest() != wanted[0]:
                return {package: "the checksum does not fit"}
            partial = folder / (name + ".partial")
            partial.write_bytes(data)
            partial.rename(folder / name)
            return {}
        except (OSError, ValueError) as error:
            return {package: str(error)}


# Reading


def is_main_licence(path: str) -> bool:
    parts = path.split("/")
    return bool(LICENCE_FILE.match(parts[-1])) and (len(parts) == 1 or (".dist-info" in parts[0] and len(parts) <= 3))


def language_by_name(path: str) -> str | None:
    """By the name alone. "?" for a file without an extension, whose first line may tell."""
    name = path.rsplit("/", 1)[-1]
    if name == "Cargo.toml.orig":
        return "toml"
    if name in BY_NAME:
        return BY_NAME[name]
    extension = PurePosixPath(name).suffix.lower()
    return BY_EXTENSION.get(extension) if extension else "?"


def language_by_text(language: str, text: str) -> str | None:
    """The language once the text is known."""
    if language == "?":
        shebang = re.match(r"#!.*\b(ba|z|k|da)?sh\b|#!.*\b(python|node)\d?\b", text)
        if not shebang:
            return None
        return {"python": "python", "node": "javascript"}.get(shebang[2], "shell")
    if language in ("c", "objc") and re.search(r"^\s*(@(interface|implementation|protocol|class|end)\b|#import\b)", text, re.M):
        return "objc"
    if language == "objc":
        return "objc" if "#include" in text else None  # else MATLAB
    if language == "c" and CPP.search(text):
        return "cpp"
    if language == "typescript" and text.lstrip().startswith("<"):
        return None  # Qt's translations
    return language


def read_archive(path: Path, whole_path: bool) -> dict[str, bytes]:
    """The files of an archive that may be of use. Links, devices and paths that lead elsewhere are passed over."""
    contents: dict[str, bytes] = {}
    for name, size, read in archive_members(path):
        parts = PurePosixPath(name).parts
        if not parts or parts[0] == "/" or ".." in parts or "\\" in name:
            continue
        short = "/".join(parts if whole_path else parts[1:])
        last = parts[-1]
        wanted = language_by_name(short) or last in ("PKG-INFO", "METADATA") or LICENCE_FILE.match(last)
        if short and wanted and size <= LARGEST_FILE:
            contents[short] = read()
    return contents


def archive_members(path: Path) -> Iterator[tuple[str, int, object]]:
    total = 0
    if path.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if not member.is_dir():
                    yield member.filename, member.file_size, lambda: archive.read(member)
    else:
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                total += member.size
                if total > LARGEST_ARCHIVE:
                    raise Refused("the archive unpacks to too much")
                if member.isfile():
                    yield member.name, member.size, lambda: archive.extractfile(member).read()


def third_party_folders(package: Package, contents: dict[str, bytes]) -> set[str]:
    """Folders with a licence of their own, other than the package's: a licence file, or a manifest that says so."""

    def key(data: bytes) -> bytes:
        return b" ".join(data.split())

    main = {key(data) for path, data in contents.items() if is_main_licence(path)}
    folders = set()
    for path, data in contents.items():
        folder, _, name = path.rpartition("/")
        if folder and LICENCE_FILE.match(name) and not is_main_licence(path) and key(data) not in main:
            if PurePosixPath(name).suffix.lower() in ("", ".txt", ".md", ".rst") and "licenses" not in folder.lower():
                folders.add(folder)
        if folder and name in ("package.json", "bower.json", "component.json"):
            stated = re.search(rb'"licen[sc]e"\s*:\s*"([^"]*)"', data)
            if stated and stated[1].decode("utf-8", "replace") not in re.findall(r"[\w.-]+", package.licence):
                folders.add(folder)
    return folders


def under_other_licence(package: Package, text: str) -> bool:
    """Whether the head of a file names a licence that is not the package's."""
    if any(not licence_allowed(expression) for expression in SPDX_HEADER.findall(text[:3000])):
        return True
    head = " ".join(re.sub(r"^\s*(//+!?|#+|/?\*+/?|--|;+|\.\.)", "", text[:3000], flags=re.M).split())
    if FOREIGN_LICENCE.search(head):
        return True
    named = [name for name, pattern in NAMED_LICENCE.items() if re.search(pattern, head, re.I)]
    return bool(named) and not any(name in package.licence for name in named)


def looks_human(language: str, text: str) -> bool:
    """Neither minified nor generated, compiled, a table of data or a secret."""
    lines = text.splitlines()
    if not lines or "\0" in text:
        return False
    longest = max(map(len, lines))
    mean = len(text) / len(lines)
    if longest > (3000 if language in PROSE else 600) or mean > (400 if language in PROSE else 110):
        return False
    written = text.encode().translate(None, b" \t\n")
    not_ascii = len(written.translate(None, ASCII))
    letters = len(written) - len(written.translate(None, LETTERS))
    if letters < 0.35 * len(written) or not_ascii > 0.1 * len(written) or "\ufffd" in text:
        return False
    head = text[:3000]
    if language not in PROSE and GENERATED.search("\n".join(lines[:25])):
        return False
    if language == "html" and GENERATED_PAGE.search(text):
        return False
    if language in ("javascript", "typescript") and (COMPILED_JS.search(head) or COMPILED_JS.search(text[-500:])):
        return False
    return not SECRET.search(text)


def files_of(package: Package, contents: dict[str, bytes]) -> list[File]:
    """The files to use, at most PACKAGE_CAP bytes of them."""
    foreign = third_party_folders(package, contents) | set(package.skip)
    sources = {
        stem(path) for path in contents if re.search(r"\.[mc]?tsx?$", path) and not re.search(r"\.d\.[mc]?ts$", path)
    }
    found: list[File] = []
    built: list[File] = []
    for path, data in contents.items():
        language = language_by_name(path)
        folders = path.lower().split("/")[:-1]
        name = path.rsplit("/", 1)[-1]
        if not language or not SMALLEST_FILE <= len(data) <= LARGEST_FILE:
            continue
        if name.lower() in LOCK_FILES or LEGAL_FILE.search(name) or re.search(r"[.-]min\.|\.map$|\.bundle\.", name):
            continue
        if VENDORED.intersection(folders) or any(re.search(r"\.(xc)?framework$|\.dist-info$|\.egg-info$", f) for f in folders):
            continue
        if any(path.startswith(folder + "/") for folder in foreign):
            continue
        if package.registry == "crates" and name == "Cargo.toml" and path + ".orig" in contents:
            continue  # cargo's own rewriting of it
        if (TESTS.intersection(folders) or TEST_FILE.search(name)) and not every_other(f"{package.name} {path}"):
            continue
        if package.registry == "npm" and language in ("javascript", "typescript"):
            declaration = re.search(r"\.d\.[mc]?ts$", path)
            if (language == "javascript" or declaration) and stem(path) in sources:
                continue
            if declaration and "lib" in folders:
                continue
        try:
            text = data.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError:
            continue
        language = language_by_text(language, text)
        if language and looks_human(language, text) and (language in PROSE or not under_other_licence(package, text)):
            file = File(package, language, path.removesuffix(".orig"), text)
            (built if package.registry == "npm" and BUILT.intersection(folders) else found).append(file)
    # What was built is used only for style sheets and pages, and only where their sources are not there.
    have = {file.language for file in found}
    found += [file for file in built if file.language in ("css", "html") and file.language not in have]
    return within_cap(found)


def stem(path: str) -> str:
    return re.sub(r"(\.d)?\.[a-z]+$", "", path.rsplit("/", 1)[-1])


def within_cap(files: list[File]) -> list[File]:
    """Scarce languages first; within these, and then within the others, one file of each language in turn."""
    queues: dict[str, list[File]] = defaultdict(list)
    for file in sorted(files, key=lambda file: file.order):
        queues[file.language].append(file)
    ranked = sorted(
        (
            (language not in SCARCE, turn, language, file)
            for language, queue in queues.items()
            for turn, file in enumerate(queue)
        ),
        key=lambda entry: entry[:3],
    )
    kept, total = [], 0
    for *_, file in ranked:
        if total + file.size <= PACKAGE_CAP:
            kept.append(file)
            total += file.size
    return kept


# Writing


def fair_share(files: list[File]) -> list[File]:
    """At most LANGUAGE_CAP bytes, one file of each package in turn, so that no package crowds out another."""
    turns: Counter[Package] = Counter()
    ranked = []
    for file in sorted(files, key=lambda file: file.order):
        ranked.append((turns[file.package], file.order, file))
        turns[file.package] += 1
    kept, total = [], 0
    for *_, file in sorted(ranked, key=lambda entry: entry[:2]):
        if total + file.size <= LANGUAGE_CAP:
            kept.append(file)
            total += file.size
    return sorted(kept, key=lambda file: (file.package.label, file.path))


def write(files: list[File], used: list[Package], refused: dict[Package, str], out: Path) -> dict[str, dict[str, int]]:
    by_language: dict[str, list[File]] = defaultdict(list)
    for file in files:
        by_language[file.language].append(file)
    for old in out.glob("*.jsonl"):
        old.unlink()
    languages = {}
    for language, all_of in sorted(by_language.items()):
        kept = fair_share(all_of)
        with (out / f"{language}.jsonl.partial").open("w", encoding="utf-8") as stream:
            for file in kept:
                entry = {"package": file.package.label, "licence": file.package.licence, "path": file.path, "text": file.text}
                stream.write(json.dumps(entry, ensure_ascii=False) + "\n")
        (out / f"{language}.jsonl.partial").rename(out / f"{language}.jsonl")
        packages = len({file.package for file in kept})
        languages[language] = {"files": len(kept), "bytes": sum(file.size for file in kept), "packages": packages}
    summary = {
        "languages": languages,
        "packages": {package.label: package.licence for package in sorted(used, key=lambda package: package.label)},
        "refused": {package.label: reason for package, reason in refused.items()},
    }
    (out / "summary.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    return languages


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def load_sources(path: Path) -> list[Package]:
    sources = tomllib.loads(path.read_text(encoding="utf-8"))
    return [
        Package(registry, **entry | {"skip": tuple(entry.get("skip", ()))})
        for registry in ("crates", "pypi", "npm")
        for entry in sources.get(registry, [])
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=HERE / ".cache/corpus", metavar="DIR")
    parser.add_argument("--sources", type=Path, default=HERE / "sources.toml", metavar="FILE")
    parser.add_argument("--offline", action="store_true", help="use only what is already fetched")
    options = parser.parse_args()
    if hasattr(os, "nice"):
        os.nice(19)
    out = options.out.resolve()
    archives = out / "archives"
    archives.mkdir(parents=True, exist_ok=True)

    packages = load_sources(options.sources)
    refused = {} if options.offline else fetch(packages, archives)
    used: list[Package] = []
    files: list[File] = []
    seen: set[bytes] = set()
    for number, package in enumerate(packages, 1):
        if number % 50 == 0:
            say(f"read {number}/{len(packages)} packages")
        archive = archive_of(package, archives)
        if not archive:
            refused.setdefault(package, "not fetched")
            continue
        try:
            contents = read_archive(archive, whole_path=archive.suffix == ".whl")
            check_licence(package, contents)
        except (Refused, OSError, EOFError, ValueError, KeyError, tarfile.TarError, zipfile.BadZipFile) as error:
            refused[package] = f"{type(error).__name__}: {error}"
            continue
        used.append(package)
        for file in files_of(package, contents):
            key = digest("\n".join(line.strip() for line in file.text.splitlines() if line.strip()))
            if key not in seen:
                seen.add(key)
                files.append(file)

    languages = write(files, used, refused, out)
    for language, counts in languages.items():
        say(f"{language:12} {counts['bytes'] / 1e6:7.2f} MB {counts['files']:6} files {counts['packages']:4} packages")
    say(f"{len(used)} packages used, {len(refused)} not")
    for package, reason in refused.items():
        say(f"not used: {package.label}: {reason}")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
