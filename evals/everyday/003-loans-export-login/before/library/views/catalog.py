import csv
import io

from flask import Blueprint, Response, render_template, request

from ..models import Book

bp = Blueprint("catalog", __name__, url_prefix="/catalog")


@bp.route("/")
def index():
    term = request.args.get("q", "")
    books = Book.query.filter(Book.title.contains(term)).all()
    return render_template("catalog/index.html", books=books, term=term)


@bp.route("/<int:book_id>")
def show(book_id):
    return render_template("catalog/show.html", book=Book.query.get_or_404(book_id))


@bp.route("/titles.csv")
def titles():
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    for book in Book.query.order_by(Book.title):
        writer.writerow([book.title, book.author])
    return Response(buffer.getvalue(), mimetype="text/csv")
