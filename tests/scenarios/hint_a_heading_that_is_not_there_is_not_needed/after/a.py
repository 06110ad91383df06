class A:
    x = 2
