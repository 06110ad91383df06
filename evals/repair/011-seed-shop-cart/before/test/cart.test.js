'use strict';

const assert = require('node:assert/strict');
const { describe, it } = require('node:test');

const { Cart } = require('../src/cart');
const { format } = require('../src/money');

describe('money', () => {
  it('writes cents with two digits', () => {
    assert.equal(format(1205), '12.05');
    assert.equal(format(-90), '-0.90');
  });
});

describe('cart', () => {
  it('costs nothing when empty', () => {
    assert.equal(new Cart().total(), '0.00');
  });

  it('adds delivery to a small order', () => {
    const cart = new Cart().add('basil', 250, 2).add('kale', 310);
    assert.equal(cart.total(), '13.00');
  });

  it('delivers free above the limit', () => {
    assert.equal(new Cart().add('plum tree', 5001).total(), '50.01');
  });

  it('delivers free at the limit', () => {
    assert.equal(new Cart().add('tulips', 1000, 5).total(), '50.00');
  });
});
