say("❤️ tea")
BREW = 3
