def f(x):
    y = x + 1
    return 0


def g(x):
    z = x + 2
    return z
