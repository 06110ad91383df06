class A:
    def f(self):
        x = 2
        if x:
            return x
