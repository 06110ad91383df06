import sys

sys.dont_write_bytecode = True

from dungeon.combat import damage, is_over, strike
from dungeon.fighter import Fighter, goblin, troll

hero = Fighter("Ada", hit_points=30, strength=6, weapon=4)
assert damage(troll(), hero) == 14
hero.wear(5)
assert damage(troll(), hero) == 9
assert damage(troll(), hero, critical=True) == 23
hero.wear(40)
assert damage(goblin(), hero) == 1
assert damage(hero, troll()) == 7
enemy = goblin()
assert strike(hero, enemy, lambda: 12) == 10
assert enemy.hit_points == 2
assert strike(hero, enemy, lambda: 1) == 0
assert not is_over([hero, enemy])
