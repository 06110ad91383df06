def f(x, y):
    return x + y


def g(x, y):
    return x * y
