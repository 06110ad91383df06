f(
    a,
    x,
    c,
)
