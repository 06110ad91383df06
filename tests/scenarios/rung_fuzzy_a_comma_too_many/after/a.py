f(
    a,
    c
)
g()
