import assert from 'node:assert/strict';
import test from 'node:test';

import { orders, sortChores } from '../src/order.js';

const chores = [
  { title: 'windows', added: '2024-05-01', due: '2024-06-10' },
  { title: 'Bins', added: '2024-05-02', due: '2024-05-06' },
  { title: 'gutter', added: '2024-05-03', due: '2024-05-20' },
];

const titles = (order) => sortChores(chores, order).map((c) => c.title);

test('sorts by day added', () => {
  assert.deepEqual(titles('added'), ['windows', 'Bins', 'gutter']);
});

test('sorts by due day', () => {
  assert.deepEqual(titles('due'), ['Bins', 'gutter', 'windows']);
});

test('sorts by title whatever the case', () => {
  assert.deepEqual(titles('title'), ['Bins', 'gutter', 'windows']);
});

test('refuses other orders', () => {
  assert.deepEqual(orders(), ['added', 'due', 'title']);
  assert.throws(() => sortChores(chores, 'size'), RangeError);
});
