"""Blows and what they do."""

MIN_DAMAGE = 1
CRITICAL_FACTOR = 2


def attack_value(fighter):
    """Strength of a blow: what the fighter has plus what the weapon gives."""
    return fighter.strength + fighter.weapon


def damage(attacker, target, critical=False):
    """Hit points that a blow takes from the target."""
    value = attack_value(attacker)
    if critical:
        value *= CRITICAL_FACTOR
    value += target.armour
    return max(MIN_DAMAGE, value)


def strike(attacker, target, dice):
    """One blow; returns the damage, 0 if it missed."""
    roll = dice()
    if roll + attacker.skill < target.agility:
        return 0
    lost = damage(attacker, target, critical=roll == 20)
    target.hit_points -= lost
    return lost


def is_over(fighters):
    return sum(fighter.hit_points > 0 for fighter in fighters) <= 1
