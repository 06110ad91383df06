import secrets

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def make_code(groups=3, length=4):
    parts = []
    for _ in range(groups):
        parts.append("".join(secrets.choice(ALPHABET) for _ in range(length)))
    return "-".join(parts)


def discount(cents, percent):
    return cents - cents * percent // 100
