import assert from 'node:assert/strict';
import test from 'node:test';

import { addressOf } from '../lib/posts.js';
import { slugify } from '../lib/slug.js';

test('punctuation becomes hyphens', () => {
  assert.equal(slugify('Hello, world!'), 'hello-world');
});

test('accents are dropped', () => {
  assert.equal(slugify('Crème brûlée & Spaß'), 'creme-brulee-spass');
});

test('a title without letters', () => {
  assert.equal(slugify('???'), 'untitled');
});

test('a long title is cut between words', () => {
  assert.equal(slugify('Notes from a very small garden', 16), 'notes-from-a');
});

test('the second post with a title gets a number', () => {
  const taken = new Set();
  addressOf({ title: 'Rain' }, taken);
  assert.equal(addressOf({ title: 'Rain' }, taken), '/blog/rain-2');
});
