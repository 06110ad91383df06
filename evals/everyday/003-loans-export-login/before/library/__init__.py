from flask import Flask

from .auth import load_librarian
from .models import db
from .views import catalog, loans


def create_app(config="library.config"):
    app = Flask(__name__)
    app.config.from_object(config)
    db.init_app(app)
    app.before_request(load_librarian)
    app.register_blueprint(catalog.bp)
    app.register_blueprint(loans.bp)
    return app
