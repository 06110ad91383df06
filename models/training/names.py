"""Invented names and values for placeholders: identifiers in a language's style, numbers, paths."""

from __future__ import annotations

import random

NOUNS = """account action address agent alarm album alert amount anchor angle answer archive area
argument article asset attempt author badge balance band banner barrier basket batch beacon bill
binding block board body bonus book border bounds branch bridge bucket budget buffer bundle button
cache calendar callback camera canvas capacity card carrier cart cell center chain channel chapter
chart chunk circle city claim class client clock cluster code collector color column comment commit
company config contact container content context cookie copy corner counter country coupon course
cover credit cursor curve customer cycle data date deadline debt decision default degree delay
delta demand depth design detail device dialog digest digit discount disk distance dock document
domain draft driver duration edge editor effect element email employee engine entity entry envelope
episode epoch error estimate event example expense export face factor failure fallback feature fee
feed field figure file filter flag flavor floor flow folder font footer force form format frame
frequency friend function garden gate gauge glyph goal grade graph grid group guard guest guide
handle handler hash head header heap height history hook host hotel hour icon image impact import
inbox income index info input insight instance interval invoice issue item job journal journey key
kind label lane language latency layer layout leaf ledger legend length lesson letter level library
license limit line link list listener load location lock log logo loop magnet mail manager manifest
map margin mark marker mask match matrix measure media member memory menu merchant message method
metric mirror mode model module moment monitor month motion motor movie name nation network node
note notice number object offer offset option orbit order origin outcome output overlay owner
package packet padding page pair panel parameter parcel parent parser part party password patch
path patient pattern pause payload payment peak peer pen permission person phase phone photo piece
pipeline pixel plan planet player playlist plugin point pointer policy pool port position post
price printer priority probe process product profile profit progress project prompt property
protocol proxy query queue quota range rank rate ratio reader reading reason receipt recipe record
refund region registry relay release remote render renewal rental repeat reply report request
reserve resource response result retry review reward ring river road role room root rotation round
route router row rule sample scale scan scene schedule schema scope score screen script season seat
second section sector seed segment sender sensor sequence series server service session setting
shade shape share shelf shift shipment shop signal size sketch slice slot snapshot socket song sort
source space span speaker speed spot stack staff stage stamp state station status step stock
storage store story stream street string student style subject summary supplier supply surface
switch symbol system table tag target task tax team template tenant term test theme thread
threshold ticket tile time timeout timer title token tool topic total tour track trade train
transfer tree trend trial trigger trip tunnel type unit update upload usage user value variable
vector vehicle vendor verdict version video view visit voice volume vote voucher wage wallet
warning watch water wave weather week weight wheel widget width window winner wire word worker
workspace wrapper writer year zone""".split()

VERBS = """accept acquire activate add adjust advance align allocate announce append apply approve
archive assign attach authorize await balance begin bind block boost book build bundle calculate
cancel capture change charge check claim clean clear clone close collect combine commit compare
compile complete compose compress compute configure confirm connect consume convert copy count
create credit cut deactivate debit decode decrypt defer delete deliver deploy describe detach
detect disable discard dispatch display draw drop dump emit enable encode encrypt end enqueue
ensure enter escape estimate evaluate evict execute expand expire export extract fetch fill filter
find finish fit flatten flip flush fold format forward freeze generate get grant group guess handle
hide hydrate ignore import increment infer init insert inspect install invalidate invite invoke
join keep launch limit list listen load locate lock log lookup make map mark match measure merge
migrate mount move mute normalize notify observe open order pack pair parse pause perform pick ping
place plan play plot poll pop post prepare preview print probe process promote propose prune
publish pull purge push query queue raise read rebuild receive record redeem reduce refresh refund
register reject release reload remove render renew reorder repair repeat replace reply report
request require reserve reset resize resolve restart restore resume retry return reverse revoke
rotate round route run save scale scan schedule score search seed select send serve set settle
share shift show shrink shuffle shutdown sign skip sleep smooth sort spawn split start stop store
strip submit subscribe sum suspend swap sync tag take test tick toggle touch trace track train
transfer transform trim truncate unlock unpack update upgrade upload use validate verify view visit
wait wake walk warm watch wrap write""".split()

ADJECTIVES = """active average base best cached current daily default dirty early empty extra fast
final first free full global hidden idle initial inner known last late local long lower main manual
max maximum min minimum minor new next old open outer own partial pending primary private public
quick raw ready recent remote safe short shared simple single slow small soft sorted stale static
strict total upper valid visible weekly""".split()

PEOPLE = """Aurora Birch Cobalt Delphi Ember Falcon Grove Harbor Indigo Juniper Kestrel Lumen Maple
Nimbus Orchid Pioneer Quartz Ridge Sable Tundra Umbra Vesper Willow Xenon Yarrow Zephyr Alma Bruno
Clara Dario Elena Farid Greta Hugo Ines Jonas Katja Leila Marco Nadia Otto Paula Rafael Sofia Tomas
Ursula Viktor Wanda""".split()

PHRASE_WORDS = """the a this that every each all any some no new old last first next more less only
also still already now later again before after while until when where with without from into over
under between per for of in on at to by not never always please cannot could should will is are was
has have could not be done found missing expired invalid empty broken ready saved closed opened
sent received loaded failed finished started stopped updated removed added allowed required unknown
too many few long short large small slow fast late early wrong right""".split()

EXTENSION = {
    "python": "py",
    "ruby": "rb",
    "php": "php",
    "shell": "sh",
    "lua": "lua",
    "javascript": "js",
    "typescript": "ts",
    "html": "html",
    "css": "css",
    "json": "json",
    "vue": "vue",
    "graphql": "graphql",
    "proto": "proto",
    "java": "java",
    "kotlin": "kt",
    "swift": "swift",
    "csharp": "cs",
    "dart": "dart",
    "scala": "scala",
    "go": "go",
    "rust": "rs",
    "c": "c",
    "cpp": "cpp",
    "zig": "zig",
    "elixir": "ex",
    "haskell": "hs",
    "sql": "sql",
    "yaml": "yml",
    "toml": "toml",
    "ini": "ini",
    "env": "env",
    "markdown": "md",
    "text": "txt",
    "nginx": "conf",
    "csv": "csv",
    "xml": "xml",
    "objc": "m",
}
# Names that files of a language often have; others get an invented one.
COMMON_FILES = {
    "dockerfile": ["Dockerfile"],
    "makefile": ["Makefile"],
    "gitignore": [".gitignore"],
    "env": ["local.env", "app.env", "prod.env"],
    "json": ["package.json", "tsconfig.json", "settings.json", "config.json", "en.json"],
    "toml": ["Cargo.toml", "pyproject.toml", "config.toml", "settings.toml"],
    "yaml": ["config.yml", "docker-compose.yml", "ci.yaml", "deploy.yaml", "values.yaml"],
    "markdown": ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "guide.md", "notes.md"],
}
# Other extensions of a language, one in four.
OTHER_EXTENSIONS = {
    "javascript": ["jsx", "mjs"],
    "typescript": ["tsx"],
    "c": ["h"],
    "cpp": ["hpp", "cc", "h"],
    "ini": ["cfg", "conf"],
    "yaml": ["yaml"],
}
FOLDERS = """src lib app core pkg internal tests test docs scripts config tools server client api
utils common models views services components web backend frontend bin include examples cmd data
static assets public resources""".split()
CAMEL = set(
    """javascript typescript vue java kotlin swift csharp dart scala go graphql objc""".split()
)


def cased(words: list[str], style: str) -> str:
    """Words as one identifier: snake, camel, pascal, upper, kebab."""
    match style:
        case "camel":
            return words[0] + "".join(word.capitalize() for word in words[1:])
        case "pascal":
            return "".join(word.capitalize() for word in words)
        case "upper":
            return "_".join(words).upper()
        case "kebab":
            return "-".join(words)
        case _:
            return "_".join(words)


class Names:
    """Draws names and values."""

    def __init__(self, rng: random.Random):
        self.rng = rng

    def noun(self) -> str:
        return self.rng.choice(NOUNS)

    def nouns(self) -> list[str]:
        n = self.rng.choices([1, 2, 3], [3, 5, 2])[0]
        words = [self.noun() for _ in range(n)]
        if n < 3 and self.rng.random() < 0.25:
            words.insert(0, self.rng.choice(ADJECTIVES))
        return words

    def verbs(self) -> list[str]:
        n = self.rng.choices([0, 1, 2], [2, 6, 2])[0]
        return [self.rng.choice(VERBS)] + [self.noun() for _ in range(n)]

    def phrase(self) -> str:
        """Two to seven words, in lower case."""
        n = self.rng.choices([2, 3, 4, 5, 6, 7], [2, 4, 4, 3, 2, 1])[0]
        lists = self.rng.choices([NOUNS, VERBS, PHRASE_WORDS], [50, 15, 35], k=n)
        return " ".join(self.rng.choice(words) for words in lists)

    def path(self, language: str) -> str:
        """A path for a file of a language, in no, one or a few folders."""
        rng = self.rng
        is_pascal = language in ("java", "csharp", "kotlin", "swift")
        styles = ["snake", "snake", "kebab", "camel", "pascal"]
        style = "pascal" if is_pascal else rng.choice(styles)
        common = COMMON_FILES.get(language)
        if common and (language not in EXTENSION or rng.random() < 0.5):
            name = rng.choice(common)
        else:
            extension = EXTENSION[language]
            if language in OTHER_EXTENSIONS and rng.random() < 0.25:
                extension = rng.choice(OTHER_EXTENSIONS[language])
            name = f"{cased(self.nouns()[:2], style)}.{extension}"
        depth = rng.choices([0, 1, 2, 3], [40, 32, 20, 8])[0]
        folders = [rng.choice(FOLDERS) if rng.random() < 0.6 else self.noun() for _ in range(depth)]
        return "/".join([*folders, name])

    def value(self, kind: str, language: str) -> str:
        """A value for a placeholder of a scenario."""
        rng = self.rng
        camel = "camel" if language in CAMEL else "snake"
        match kind:
            case "verb":
                is_pascal = language == "csharp" or language == "go" and rng.random() < 0.4
                return cased(self.verbs(), "pascal" if is_pascal else camel)
            case "var":
                return cased(self.nouns(), "kebab" if language in ("html", "css") else camel)
            case "type":
                return cased(self.nouns(), "pascal")
            case "const":
                return cased(self.nouns(), "upper")
            case "mod":
                ending = rng.choice(["kit", "lib", "io", "js", "core", "hub"])
                return self.noun() + rng.choice(["", "", ending])
            case "key":
                if language == "env":
                    return cased(self.nouns(), "upper")
                styles = ["snake", "snake", "kebab", "camel"]
                is_free = language in ("yaml", "json", "ini")
                return cased(self.nouns(), rng.choice(styles) if is_free else "snake")
            case "file":
                return cased(self.nouns()[:2], rng.choice(["snake", "kebab", "snake", "camel"]))
            case "word":
                return self.noun()
            case "name":
                return rng.choice(PEOPLE) if rng.random() < 0.6 else self.noun().capitalize()
            case "text":
                return self.phrase()
            case "Text":
                text = self.phrase()
                return text[0].upper() + text[1:] + rng.choice(["", "", "", ".", "!"])
            case "int":
                return str(rng.randint(2, 99))
            case "big":
                powers = 2 ** rng.randint(7, 13)
                return str(rng.choice([rng.randint(100, 9999), rng.randint(1, 99) * 100, powers]))
            case "dec":
                text = f"{rng.random() * rng.choice([1, 1, 10]):.{rng.randint(1, 2)}f}"
                return text.replace("0.0", "0.5")
            case "port":
                return str(rng.choice([rng.randint(1024, 65000), 3000, 8080, 5432, 6379, 9090]))
            case "ver":
                return f"{rng.randint(0, 9)}.{rng.randint(0, 20)}.{rng.randint(0, 15)}"
            case "host":
                first = rng.choice(["api", "db", "www", "cdn", "auth", self.noun()])
                last = rng.choice(["com", "org", "io", "net", "internal"])
                return f"{first}.{self.noun()}.{last}"
            case "color":
                n = rng.choice([6, 6, 6, 3])
                return "#" + "".join(rng.choice("0123456789abcdef") for _ in range(n))
            case "date":
                month, day = rng.randint(1, 12), rng.randint(1, 28)
                return f"{rng.randint(2015, 2031)}-{month:02}-{day:02}"
        raise ValueError(f"unknown placeholder kind {kind}")
