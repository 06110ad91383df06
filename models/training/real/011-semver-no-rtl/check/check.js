'use strict'
const assert = require('assert')
const fs = require('fs')
const { spawnSync } = require('child_process')

const run = (...args) => spawnSync(process.execPath, ['bin/semver.js', ...args], { encoding: 'utf8' })
const help = run('--help').stdout
assert.doesNotMatch(help, /rtl|ltr|right to left|left to right/)
assert.match(help, /-c --coerce[^]*-n <base>/)
assert.strictEqual(run('-c', '--rtl', '1.2.3.4').stdout, '1.2.3\n')
assert.strictEqual(run('-c', 'v3.4 replaces v3.3.1').stdout, '3.4.0\n')

assert.doesNotMatch(fs.readFileSync('bin/semver.js', 'utf8'), /rtl|ltr/)
const readme = fs.readFileSync('README.md', 'utf8')
assert.doesNotMatch(readme, /--rtl|--ltr|right to left|left to right/)
assert.match(readme, /If the `options.rtl` flag is set/)
assert.match(readme, /-c --coerce[^]*Program exits successfully/)
assert.strictEqual(require('.').coerce('1.2.3.4', { rtl: true }).version, '2.3.4')
