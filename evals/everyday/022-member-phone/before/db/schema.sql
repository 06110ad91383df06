-- Tables of the gym.

CREATE TABLE trainers (
    id SERIAL PRIMARY KEY,
    name VARCHAR(80) NOT NULL,
    email VARCHAR(160) NOT NULL,
    phone VARCHAR(32),
    hired_on DATE NOT NULL
);

CREATE TABLE members (
    id SERIAL PRIMARY KEY,
    name VARCHAR(80) NOT NULL,
    email VARCHAR(160) NOT NULL,
    birthday DATE,
    joined_on DATE NOT NULL DEFAULT CURRENT_DATE
);

CREATE TABLE guests (
    id SERIAL PRIMARY KEY,
    member_id INTEGER NOT NULL REFERENCES members (id),
    name VARCHAR(80) NOT NULL,
    email VARCHAR(160) NOT NULL,
    visited_on DATE NOT NULL
);

CREATE TABLE courses (
    id SERIAL PRIMARY KEY,
    trainer_id INTEGER NOT NULL REFERENCES trainers (id),
    title VARCHAR(120) NOT NULL,
    seats INTEGER NOT NULL DEFAULT 12
);
