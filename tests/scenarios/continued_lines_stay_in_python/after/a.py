n = 2
text = "one \
two"
assert n and \
    text
