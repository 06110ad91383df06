-- How many orders ended in which state, for each month of the year :year.
SELECT
    date_trunc('month', o.ordered_at) AS month,
    o.status,
    count(*) AS orders
FROM orders o
WHERE o.ordered_at >= make_date(:year, 1, 1)
  AND o.ordered_at < make_date(:year + 1, 1, 1)
GROUP BY month, o.status
ORDER BY month, o.status;
