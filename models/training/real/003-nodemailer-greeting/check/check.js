'use strict';
const assert = require('assert');
const fs = require('fs');

const source = fs.readFileSync('lib/smtp-connection/index.js', 'utf8');
const value = name => eval(source.match(new RegExp('const ' + name + ' = ([^;]+);'))[1]);
assert.strictEqual(value('GREETING_TIMEOUT'), 60000);
assert.strictEqual(value('CONNECTION_TIMEOUT'), 120000);
assert.strictEqual(value('DNS_TIMEOUT'), 30000);
const line = source.split('\n').find(line => line.includes('**greetingTimeout**'));
assert.match(line, /60000|60 seconds|1 minute/);
assert.doesNotMatch(line, /\b10000\b/);
require('./lib/smtp-connection');
