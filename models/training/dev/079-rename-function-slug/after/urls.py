import re
import unicodedata


def slugify(title):
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")


def post_url(post):
    return f"/{post['year']}/{slugify(post['title'])}/"


def tag_url(tag):
    return f"/tags/{slugify(tag)}/"


def archive_url(year):
    return f"/{year}/"
