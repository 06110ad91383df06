"""Recipe cards as plain text."""


def amount_text(amount):
    """2 -> '2', 3/2 -> '1 1/2', 1/4 -> '1/4'."""
    whole, rest = divmod(amount, 1)
    parts = []
    if whole or not rest:
        parts.append(str(whole))
    if rest:
        parts.append("%d/%d" % (rest.numerator, rest.denominator))
    return " ".join(parts)


def render(recipe):
    lines = ["%s (serves %d)" % (recipe.title, recipe.serves)]
    for item in recipe.ingredients:
        words = [amount_text(item.amount), item.unit, item.name]
        lines.append("- " + " ".join(word for word in words if word))
    return "\n".join(lines)
