SELECT
    date_trunc('month', a.starts_at) AS month,
    v.full_name AS vet,
    count(*) AS treatments,
    sum(t.price_cents) / 100.0 AS euros
FROM treatments t
JOIN appointments a ON a.id = t.appointment_id
JOIN vets v ON v.id = a.vet_id
WHERE a.starts_at >= :from
  AND a.starts_at < :until
GROUP BY 1, 2
ORDER BY 1, 2;
