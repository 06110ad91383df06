'use strict';

const { format } = require('./money');

const FREE_DELIVERY_FROM = 5000;
const DELIVERY = 490;

class Cart {
  constructor() {
    this.lines = new Map();
  }

  add(name, cents, amount = 1) {
    const line = this.lines.get(name) ?? { cents, amount: 0 };
    line.amount += amount;
    this.lines.set(name, line);
    return this;
  }

  goods() {
    let sum = 0;
    for (const { cents, amount } of this.lines.values()) {
      sum += cents * amount;
    }
    return sum;
  }

  delivery() {
    const goods = this.goods();
    if (goods === 0 || goods >= FREE_DELIVERY_FROM) {
      return 0;
    }
    return DELIVERY;
  }

  total() {
    return format(this.goods() + this.delivery());
  }
}

module.exports = { Cart };
