print("a")
print("c")
print("b")
