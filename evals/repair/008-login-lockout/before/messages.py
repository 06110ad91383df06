"""What the sign-in page says."""

OK = "ok"
UNKNOWN = "unknown"
WRONG = "wrong"
LOCKED = "locked"
EXPIRED = "expired"

TEXTS = {
    OK: "Welcome back.",
    UNKNOWN: "Wrong name or password.",
    WRONG: "Wrong name or password.",
    LOCKED: "This account is locked.",
    EXPIRED: "This account is locked.",
}


def text_for(outcome, tries_left=None):
    text = TEXTS[outcome]
    if outcome == WRONG and tries_left is not None and tries_left <= 2:
        text += " Tries left: %d." % tries_left
    return text
