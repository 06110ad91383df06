# coding: latin-1
# café
x = 1
