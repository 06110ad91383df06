SELECT a.name,
       COUNT(b.id) AS books
FROM author AS a
JOIN book AS b ON b.author_id = a.id
GROUP BY a.id, a.name
ORDER BY books DESC, a.name;
