from functools import wraps

from flask import abort, g, session

from .models import Librarian


def load_librarian():
    user_id = session.get("librarian")
    g.librarian = Librarian.query.get(user_id) if user_id else None


def login_required(view):
    @wraps(view)
    def wrapped(*args, **kwargs):
        if g.librarian is None:
            abort(401)
        return view(*args, **kwargs)

    return wrapped
