def f(x):
    y = x + 1
    return y


# the other one
def g(x):
    z = x + 2
    return z
