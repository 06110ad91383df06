"""Publishing an album as a folder of web pages."""

from gallery.page import build_page
from gallery.pictures import make_thumbnails, strip_metadata


async def publish(album, store):
    """Write originals, thumbnails and the page; returns the page's text."""
    photos = sorted(album["photos"], key=lambda photo: photo["taken"])
    for photo in photos:
        photo["data"] = await strip_metadata(photo["data"])
        await store.put(f"original/{photo['name']}", photo["data"])
    make_thumbnails(photos, store)
    text = await build_page(album["title"], photos, store)
    await store.put("index.html", text)
    return text


async def withdraw(album, store):
    """Remove everything that publish has written."""
    for photo in album["photos"]:
        await store.remove(f"original/{photo['name']}")
        await store.remove(f"thumb/{photo['name']}")
    await store.remove("index.html")
