'use strict';

const assert = require('node:assert/strict');
const test = require('node:test');

const { validate } = require('../src/form');

const good = {
  name: 'Oona',
  mail: 'oona@example.org',
  password: 'seven herons',
  repeated: 'seven herons',
};

test('a good form has no complaints', () => {
  assert.deepEqual(validate(good), {});
});

test('long name', () => {
  assert.deepEqual(validate({ ...good, name: 'o'.repeat(21) }), {
    name: 'The name must have at most 20 characters.',
  });
});

test('short password', () => {
  assert.deepEqual(validate({ ...good, password: 'heron', repeated: 'heron' }), {
    password: 'The password must have at least 10 characters.',
  });
});

test('passwords differ', () => {
  assert.deepEqual(validate({ ...good, repeated: 'eight herons' }), {
    password: 'The two passwords differ.',
  });
});

test('bad mail and empty name together', () => {
  assert.deepEqual(Object.keys(validate({ ...good, name: ' ', mail: 'oona' })),
    ['name', 'mail']);
});
