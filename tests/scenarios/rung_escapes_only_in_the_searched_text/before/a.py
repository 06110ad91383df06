say("a")
