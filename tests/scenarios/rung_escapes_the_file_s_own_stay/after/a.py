x = "a\nc"
y = 1
