n = 1
text = "one \
two"
assert n and \
    text
