def ff(x):
    y = x + 1
    return y


def gg(x):
    z = x + 2
    return z
