def f():
    a = 1
    log(a)
    b = 2
    c = 3
    return b
