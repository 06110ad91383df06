'use strict';
const assert = require('assert');
const fs = require('fs');
const { execFileSync } = require('child_process');

const utils = fs.readFileSync('lib/utils.js', 'utf8');
const response = fs.readFileSync('lib/response.js', 'utf8');
assert.doesNotMatch(utils + response, /setCharset/);
for (const file of ['lib/utils.js', 'lib/response.js']) execFileSync(process.execPath, ['--check', file]);

// The packages that lib/utils.js needs are not here: stand-ins take their places.
const contentType = { parse: type => ({ type, parameters: {} }), format: x => `${x.type}; charset=${x.parameters.charset}` };
const anything = new Proxy(function () {}, { get: () => anything, apply: () => anything });
const exported = {};
new Function('require', 'exports', utils)(name => name === 'content-type' ? contentType : anything, exported);
assert.strictEqual(exported.withCharset('text/html', 'utf-8'), 'text/html; charset=utf-8');
assert.match(response, /require\('.\/utils'\)\.withCharset|\{[^}]*\bwithCharset\b[^}]*\} = require\('.\/utils'\)/);
assert.match(response, /this\.set\('Content-Type', withCharset\(type, 'utf-8'\)\)/);
