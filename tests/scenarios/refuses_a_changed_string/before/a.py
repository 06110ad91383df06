say("one two")
