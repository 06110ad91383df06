def f(x):
    return y


def g(x):
    z = x + 2
    return z
