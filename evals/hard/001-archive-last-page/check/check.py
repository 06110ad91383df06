import sys

sys.dont_write_bytecode = True

from archive import paging
from archive.search import Record, search

assert paging.page_count(0, 25) == 1
assert paging.page_count(1, 25) == 1
assert paging.page_count(24, 25) == 1
assert paging.page_count(25, 25) == 1
assert paging.page_count(26, 25) == 2
assert paging.page_count(50, 25) == 2
assert paging.page_count(51, 25) == 3
assert paging.page_count(3, 1) == 3

records = [Record(f"A {n:03}", f"Council minutes {n}", 1800 + n) for n in range(50)]
found = search(records, "council", page=9)
assert (found["pages"], found["page"], len(found["hits"])) == (2, 2, 25)
assert paging.page_links(5, 9) == [1, 3, 4, 5, 6, 7, 9]
