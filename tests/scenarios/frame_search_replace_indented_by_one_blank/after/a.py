def a():
    x = 1
    return x
