-- Veterinary clinic, PostgreSQL 15

CREATE TABLE owners (
    id          serial PRIMARY KEY,
    full_name   text NOT NULL,
    phone       varchar(20),
    email       text,
    created_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE animals (
    id          serial PRIMARY KEY,
    owner_id    integer NOT NULL REFERENCES owners (id),
    name        text NOT NULL,
    species     text NOT NULL CHECK (species IN ('dog', 'cat', 'rabbit', 'bird')),
    born_on     date,
    weight_kg   numeric(5, 2)
);

CREATE TABLE vets (
    id          serial PRIMARY KEY,
    full_name   text NOT NULL,
    licence_no  text NOT NULL UNIQUE
);

CREATE TABLE appointments (
    id          serial PRIMARY KEY,
    animal_id   integer NOT NULL REFERENCES animals (id),
    vet_id      integer NOT NULL REFERENCES vets (id),
    starts_at   timestamptz NOT NULL,
    minutes     integer NOT NULL DEFAULT 15,
    reason      text,
    cancelled   boolean NOT NULL DEFAULT false
);

CREATE INDEX appointments_vet_idx ON appointments (vet_id, starts_at);

CREATE TABLE treatments (
    id              serial PRIMARY KEY,
    appointment_id  integer NOT NULL REFERENCES appointments (id),
    code            text NOT NULL,
    price_cents     integer NOT NULL,
    note            text
);

CREATE TABLE invoices (
    id          serial PRIMARY KEY,
    owner_id    integer NOT NULL REFERENCES owners (id),
    issued_on   date NOT NULL DEFAULT current_date,
    paid_on     date,
    total_cents integer NOT NULL CHECK (total_cents >= 0)
);

CREATE VIEW open_invoices AS
SELECT i.id, o.full_name, i.issued_on, i.total_cents
FROM invoices i
JOIN owners o ON o.id = i.owner_id
WHERE i.paid_on IS NULL;

CREATE VIEW todays_appointments AS
SELECT a.starts_at, a.minutes, an.name AS animal, v.full_name AS vet
FROM appointments a
JOIN animals an ON an.id = a.animal_id
JOIN vets v ON v.id = a.vet_id
WHERE a.starts_at::date = current_date
ORDER BY a.starts_at;
