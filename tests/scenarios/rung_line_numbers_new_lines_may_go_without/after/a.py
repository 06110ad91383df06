def f(x):
    y = x + 1
    return y


def g(x):
    z = x + 3
    return z
