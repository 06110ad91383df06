-- The twenty authors with the most copies sold since :since.
SELECT
    b.author,
    sum(l.quantity) AS copies
FROM order_lines l
JOIN orders o ON o.id = l.order_id
JOIN books b ON b.id = l.book_id
WHERE o.ordered_at >= :since
  AND o.status <> 'cancelled'
GROUP BY b.author
ORDER BY copies DESC
LIMIT 20;
