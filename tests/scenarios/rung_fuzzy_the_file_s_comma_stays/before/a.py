f(
    a,
    b,
    c,
)
