"""Searching the finding aids of the town archive."""

from archive import paging


class Record:
    def __init__(self, signature, title, year):
        self.signature = signature
        self.title = title
        self.year = year

    def matches(self, words, first_year=None, last_year=None):
        if first_year is not None and self.year < first_year:
            return False
        if last_year is not None and self.year > last_year:
            return False
        title = self.title.lower()
        return all(word in title for word in words)


def search(records, query, page=1, per_page=None, first_year=None, last_year=None):
    """Return one page of hits together with what the template needs."""
    words = query.lower().split()
    hits = [r for r in records if r.matches(words, first_year, last_year)]
    hits.sort(key=lambda r: (r.year, r.signature))
    size = paging.clamp_per_page(per_page)
    pages = paging.page_count(len(hits), size)
    page = max(1, min(page, pages))
    return {
        "hits": paging.page_slice(hits, page, size),
        "total": len(hits),
        "page": page,
        "pages": pages,
        "links": paging.page_links(page, pages),
    }
