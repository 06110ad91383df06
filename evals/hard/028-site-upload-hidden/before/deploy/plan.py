"""Comparing the site with what is on the server."""

from deploy.select import upload_list


def plan(local, remote):
    """Both are dictionaries from path to checksum."""
    chosen = upload_list(local)
    put = [path for path in chosen if remote.get(path) != local[path]]
    drop = sorted(set(remote) - set(chosen))
    return put, drop


def summary(put, drop):
    if not put and not drop:
        return "The server is up to date."
    return f"{len(put)} to upload, {len(drop)} to remove"
