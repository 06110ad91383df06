def f(x):
    y = x + 1
    return y


def g(x):
    z = x + 2
    return z
