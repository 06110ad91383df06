x = "a	b"
