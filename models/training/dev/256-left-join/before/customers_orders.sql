SELECT
    c.name,
    c.city,
    COUNT(o.id) AS orders
FROM customers AS c
INNER JOIN orders AS o ON o.customer_id = c.id
GROUP BY c.id, c.name, c.city
HAVING COUNT(o.id) < 5
ORDER BY orders DESC;
