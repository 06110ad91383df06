"""Labels to stick on parcels."""

from parcels.limits import INSURED_LIMIT_CENTS, kind

NAME_LIMIT = 35


def label(name, street, city, grams, worth_cents):
    lines = [name[:NAME_LIMIT], street, city, kind(grams).upper()]
    if worth_cents > INSURED_LIMIT_CENTS:
        lines.append("EXTRA INSURANCE")
    return "\n".join(lines)
