key = 1
width = key + hidden
print(key)
