def f():
    # Once only.
    a = 1
    b = 2
    return a + b
