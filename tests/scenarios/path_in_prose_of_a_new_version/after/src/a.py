def f(x, y):
    return x + 2 * y


def g(x, y):
    return x * y
