say("b")
