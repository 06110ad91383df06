import a
import b
x()
