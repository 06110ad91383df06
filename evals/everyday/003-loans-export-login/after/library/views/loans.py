import csv
import io

from flask import Blueprint, Response, redirect, render_template, request, url_for

from ..auth import login_required
from ..models import Loan, db

bp = Blueprint("loans", __name__, url_prefix="/loans")


@bp.route("/")
@login_required
def index():
    loans = Loan.query.order_by(Loan.due).all()
    return render_template("loans/index.html", loans=loans)


@bp.route("/overdue")
@login_required
def overdue():
    loans = [loan for loan in Loan.query.all() if loan.is_overdue()]
    return render_template("loans/index.html", loans=loans)


@bp.route("/export.csv")
@login_required
def export():
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(["book", "reader", "due"])
    for loan in Loan.query.order_by(Loan.due):
        writer.writerow([loan.book.title, loan.reader, loan.due.isoformat()])
    return Response(buffer.getvalue(), mimetype="text/csv")


@bp.route("/<int:loan_id>/return", methods=["POST"])
@login_required
def give_back(loan_id):
    loan = Loan.query.get_or_404(loan_id)
    db.session.delete(loan)
    db.session.commit()
    return redirect(request.referrer or url_for("loans.index"))
