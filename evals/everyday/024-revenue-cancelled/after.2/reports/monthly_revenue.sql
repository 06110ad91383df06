-- Revenue of each month of the year :year.
SELECT
    date_trunc('month', o.ordered_at) AS month,
    count(DISTINCT o.id) AS orders,
    sum(l.quantity * l.unit_price) AS revenue
FROM orders o
JOIN order_lines l ON l.order_id = o.id
WHERE o.ordered_at >= make_date(:year, 1, 1)
  AND o.ordered_at < make_date(:year + 1, 1, 1)
  AND o.status != 'cancelled'
GROUP BY month
ORDER BY month;
