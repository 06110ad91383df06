import assert from 'node:assert/strict';
import test from 'node:test';

import { show } from '../src/show.js';

const chores = [
  { title: 'bins', added: '2024-05-02', due: '2024-05-06', done: true },
  { title: 'gutter', added: '2024-05-03', due: '2024-05-20', done: false },
];

test('hides what is done', () => {
  assert.equal(show(chores), '1. [ ] gutter (2024-05-20)');
});

test('shows everything on request', () => {
  assert.equal(show(chores, { all: true }).split('\n')[0],
    '1. [x] bins (2024-05-06)');
});

test('an empty list', () => {
  assert.equal(show([]), 'Nothing to do.');
});
