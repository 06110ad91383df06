import os

x = 1
y = 4

z = 3
