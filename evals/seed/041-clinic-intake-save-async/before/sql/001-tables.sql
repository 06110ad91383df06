CREATE TABLE forms (
    name text PRIMARY KEY,
    title text NOT NULL,
    questions jsonb NOT NULL
);

CREATE TABLE drafts (
    id uuid PRIMARY KEY,
    form text NOT NULL REFERENCES forms (name),
    answers jsonb NOT NULL,
    saved timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE draft_log (
    draft uuid NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE submissions (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    form text NOT NULL REFERENCES forms (name),
    answers jsonb NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);
