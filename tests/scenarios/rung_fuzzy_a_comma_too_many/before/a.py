f(
    a,
    b
)
g()
