def f():
    first = 1
    second = 2
    return first + second
