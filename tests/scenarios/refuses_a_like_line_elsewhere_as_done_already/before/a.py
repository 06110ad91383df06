def f():
    return compute(2)
def g():
    return compute(1)
