"""Splitting long hit lists into pages."""

DEFAULT_PER_PAGE = 25
MAX_PER_PAGE = 200


def clamp_per_page(value):
    """Keep the requested page size within sensible limits."""
    if value is None:
        return DEFAULT_PER_PAGE
    return max(1, min(int(value), MAX_PER_PAGE))


def page_count(total, per_page):
    """Number of pages needed for `total` hits; an empty list has one page."""
    if total == 0:
        return 1
    return (total - 1) // per_page + 1


def page_slice(hits, page, per_page):
    """The hits on the given page; pages are numbered from 1."""
    start = (page - 1) * per_page
    return hits[start : start + per_page]


def page_links(page, pages, around=2):
    """Page numbers to offer below the list: the first, the last, those around."""
    near = range(max(1, page - around), min(pages, page + around) + 1)
    return sorted({1, pages, *near})
