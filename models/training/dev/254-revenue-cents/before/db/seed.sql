INSERT INTO vets (full_name, licence_no) VALUES
    ('Dr. Ilse Brandt', 'VT-1043'),
    ('Dr. Tomasz Wolny', 'VT-1187');

INSERT INTO owners (full_name, phone) VALUES
    ('Mia Sommer', '0151 2200113'),
    ('Karl Otto', NULL);

INSERT INTO animals (owner_id, name, species, born_on) VALUES
    (1, 'Bello', 'dog', '2019-04-02'),
    (2, 'Minka', 'cat', '2021-11-15');
