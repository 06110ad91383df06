id = 1
width = id + hidden
print(id)
