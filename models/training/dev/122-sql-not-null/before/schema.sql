CREATE TABLE museum (
    id    INTEGER PRIMARY KEY,
    name  TEXT NOT NULL,
    email TEXT
);

CREATE TABLE visitor (
    id    INTEGER PRIMARY KEY,
    name  TEXT,
    email TEXT
);

CREATE TABLE visit (
    museum_id  INTEGER REFERENCES museum(id),
    visitor_id INTEGER REFERENCES visitor(id),
    day        DATE NOT NULL
);
