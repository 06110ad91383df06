"use strict"
const assert = require("assert")
const fs = require("fs")

const source = fs.readFileSync("src/utils/errors.ts", "utf8")
const die = source.slice(source.indexOf("export function die"))
const thrown = [...die.matchAll(/new Error\(\s*[`"']([^`"']*)/g)].map(found => found[1])
assert.strictEqual(thrown.length, 2)
for (const text of thrown) assert.ok(text.startsWith("Immer: "), text)
assert.ok(thrown[0].startsWith("Immer: ${msg}") && thrown[1].startsWith("Immer: minified error nr"))
assert.ok(!source.includes("[Immer]"))
