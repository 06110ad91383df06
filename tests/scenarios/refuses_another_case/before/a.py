Value = 1
