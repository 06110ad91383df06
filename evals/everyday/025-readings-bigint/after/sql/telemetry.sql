-- Telemetry of the greenhouses.

CREATE TABLE sites (
    id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    latitude DOUBLE PRECISION NOT NULL,
    longitude DOUBLE PRECISION NOT NULL
);

CREATE TABLE houses (
    id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    site_id INTEGER NOT NULL REFERENCES sites (id),
    label TEXT NOT NULL,
    area REAL NOT NULL,
    UNIQUE (site_id, label)
);

CREATE TABLE sensors (
    id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    house_id INTEGER NOT NULL REFERENCES houses (id),
    kind TEXT NOT NULL CHECK (kind IN ('temperature', 'humidity', 'co2', 'light')),
    serial TEXT NOT NULL UNIQUE,
    installed_on DATE NOT NULL,
    removed_on DATE
);

CREATE TABLE readings (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sensor_id INTEGER NOT NULL REFERENCES sensors (id),
    taken_at TIMESTAMPTZ NOT NULL,
    value REAL NOT NULL
);

CREATE INDEX readings_by_sensor ON readings (sensor_id, taken_at);

CREATE TABLE alarms (
    id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sensor_id INTEGER NOT NULL REFERENCES sensors (id),
    raised_at TIMESTAMPTZ NOT NULL,
    cleared_at TIMESTAMPTZ,
    message TEXT NOT NULL
);

CREATE TABLE limits (
    house_id INTEGER NOT NULL REFERENCES houses (id),
    kind TEXT NOT NULL,
    low REAL,
    high REAL,
    PRIMARY KEY (house_id, kind)
);

CREATE VIEW latest AS
SELECT DISTINCT ON (r.sensor_id)
    r.sensor_id,
    s.house_id,
    s.kind,
    r.taken_at,
    r.value
FROM readings r
JOIN sensors s ON s.id = r.sensor_id
WHERE s.removed_on IS NULL
ORDER BY r.sensor_id, r.taken_at DESC;
