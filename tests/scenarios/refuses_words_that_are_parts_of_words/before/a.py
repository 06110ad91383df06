width = 1
hidden = 2
