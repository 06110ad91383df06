x = "a\nb"
y = 1
