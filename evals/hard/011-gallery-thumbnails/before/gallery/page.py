"""The page of an album."""

import html

PLACEHOLDER = "/static/grey.png"


async def build_page(title, photos, store):
    rows = []
    for photo in photos:
        thumb = f"thumb/{photo['name']}"
        source = thumb if await store.has(thumb) else PLACEHOLDER
        rows.append(f'<img src="{source}" alt="{html.escape(photo["name"])}">')
    return f"<h1>{html.escape(title)}</h1>\n" + "\n".join(rows) + "\n"
