"""Work on single pictures."""

import asyncio

THUMB_BYTES = 16


async def strip_metadata(data):
    """Drop everything before the marker of the picture itself."""
    await asyncio.sleep(0)
    return data.rpartition(b"|")[2]


async def shrink(data):
    await asyncio.sleep(0)
    return data[:THUMB_BYTES]


async def make_thumbnails(photos, store):
    """Store a small version of each photo."""
    for photo in photos:
        small = await shrink(photo["data"])
        await store.put(f"thumb/{photo['name']}", small)
