-- owners without an appointment for two years
SELECT o.id, o.full_name, o.email
FROM owners o
WHERE NOT EXISTS (
    SELECT 1
    FROM appointments a
    JOIN animals an ON an.id = a.animal_id
    WHERE an.owner_id = o.id
      AND a.starts_at > now() - interval '2 years'
)
ORDER BY o.full_name;
