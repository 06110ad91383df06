def f(x):
    y = x + 9
    return y


def g(x):
    z = x + 2
    return z
