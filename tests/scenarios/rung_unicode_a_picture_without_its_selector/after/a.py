say("❤️ tea")
BREW = 4
