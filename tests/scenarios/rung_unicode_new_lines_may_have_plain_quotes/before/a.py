print("a")
print("b")
