from datetime import date

from flask_sqlalchemy import SQLAlchemy

db = SQLAlchemy()


class Librarian(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String(80), nullable=False)


class Book(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    title = db.Column(db.String(200), nullable=False)
    author = db.Column(db.String(120))


class Loan(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    book_id = db.Column(db.ForeignKey("book.id"), nullable=False)
    reader = db.Column(db.String(120), nullable=False)
    due = db.Column(db.Date, nullable=False)
    book = db.relationship(Book)

    def is_overdue(self):
        return self.due < date.today()
