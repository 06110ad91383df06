"""One import from a card into an album."""

from photo_import.planner import plan


def photos(count):
    return "1 photo" if count == 1 else "%d photos" % count


class ImportJob:
    def __init__(self, card, album, dry_run=False):
        self.card = card
        self.album = album
        self.dry_run = dry_run

    def run(self):
        """Copy what is new and return a line that sums it up."""
        new, old = plan(self.card, self.album)
        if not new:
            return "Nothing to import."
        if self.dry_run:
            return self.summary("Would import", new, old)
        self.album.extend(new)
        return self.summary("Imported", new, old)

    def summary(self, verb, new, old):
        line = "%s %s" % (verb, photos(len(new)))
        if old:
            line += ", skipped %s" % photos(len(old))
        return line + "."
