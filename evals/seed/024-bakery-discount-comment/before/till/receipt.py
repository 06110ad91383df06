from till.prices import total


def receipt(lines, customer):
    rows = [f"{line.count:3} {line.name:<20} {line.price:>7}" for line in lines]
    rows.append("-" * 32)
    rows.append(f"{'Total':<24} {total(lines, customer):>7}")
    return "\n".join(rows)
