create table boats (
    id integer primary key,
    title text not null,
    seats integer not null check (seats between 1 and 9)
);

create table members (
    id integer primary key,
    full_name text not null,
    nickname text,
    joined date not null,
    left_club date
);

create table outings (
    id integer primary key,
    boat_id integer not null references boats (id),
    cox_id integer references members (id),
    started timestamp not null,
    km numeric(5, 1) not null
);
