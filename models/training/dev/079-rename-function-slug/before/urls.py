import re
import unicodedata


def mk_slug(title):
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")


def post_url(post):
    return f"/{post['year']}/{mk_slug(post['title'])}/"


def tag_url(tag):
    return f"/tags/{mk_slug(tag)}/"


def archive_url(year):
    return f"/{year}/"
