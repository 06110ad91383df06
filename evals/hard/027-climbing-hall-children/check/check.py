import sys

sys.dont_write_bytecode = True

from climbing.entry import Hall, Visitor

hall = Hall(2)
assert hall.may_enter(Visitor("a", 14))
assert not hall.may_enter(Visitor("b", 13))
assert hall.may_enter(Visitor("c", 9, with_adult=True))
assert not hall.may_enter(Visitor("d", 9, banned=True, with_adult=True))
assert not hall.may_enter(Visitor("e", 40, banned=True))
assert not hall.may_enter(Visitor("e", 40, banned=True, with_adult=True))
assert hall.enter(Visitor("f", 30)) and hall.enter(Visitor("g", 6, with_adult=True))
assert not hall.may_enter(Visitor("h", 9, with_adult=True))
assert not hall.may_enter(Visitor("i", 30))
assert not hall.may_lead(Visitor("j", 9, with_adult=True, has_course=True))
assert not hall.may_boulder(Visitor("k", 7, with_adult=True))
assert hall.may_boulder(Visitor("l", 8))
