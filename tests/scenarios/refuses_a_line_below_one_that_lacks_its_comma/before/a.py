f(
    a,
    b
)
