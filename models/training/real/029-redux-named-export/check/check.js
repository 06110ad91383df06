"use strict"
const assert = require("assert")
const fs = require("fs")
const path = require("path")

const read = file => fs.readFileSync(path.join("src", file), "utf8")
const own = read("utils/isPlainObject.ts")
assert.doesNotMatch(own, /export default|as default/)
assert.match(own, /export (function|const) isPlainObject\b|export \{ isPlainObject \}/)
assert.match(own, /obj is object/)
for (const file of ["index.ts", "createStore.ts", "combineReducers.ts", "utils/isAction.ts"]) {
  const source = read(file)
  assert.match(source, /import \{[^}]*\bisPlainObject\b[^}]*\} from '(\.\/utils|\.)\/isPlainObject'/, file)
  assert.doesNotMatch(source, /import isPlainObject\b/, file)
}
assert.match(read("index.ts"), /export \{[^}]*\bisPlainObject,/)
assert.match(read("index.ts"), /import isAction from '.\/utils\/isAction'/)
