import a from 'a'
import b from 'b'
run(a)
