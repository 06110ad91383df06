def f(x):
    y = x + 5
    return y


def g(x):
    z = x + 2
    return z
