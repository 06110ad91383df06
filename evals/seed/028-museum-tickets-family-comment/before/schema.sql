CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    adults INTEGER NOT NULL,
    children INTEGER NOT NULL,
    seniors INTEGER NOT NULL,
    guided INTEGER NOT NULL DEFAULT 0,
    cents INTEGER NOT NULL,
    created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE INDEX orders_created ON orders (created);
