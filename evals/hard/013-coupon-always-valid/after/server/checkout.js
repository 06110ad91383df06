const coupons = require('./coupons');
const carts = require('./carts');
const { UserError } = require('./errors');

async function applyCoupon(cartId, code, customerId) {
  const cart = await carts.load(cartId);
  if (cart.coupon) {
    throw new UserError('There is a coupon on this cart already.');
  }
  if (!(await coupons.isValid(code))) {
    throw new UserError('This coupon is not valid.');
  }
  if (await coupons.wasUsedBy(code, customerId)) {
    throw new UserError('You have used this coupon before.');
  }
  cart.coupon = code;
  cart.percent = await coupons.percentOf(code);
  await carts.save(cart);
  return cart;
}

async function removeCoupon(cartId) {
  const cart = await carts.load(cartId);
  cart.coupon = null;
  cart.percent = 0;
  await carts.save(cart);
  return cart;
}

function total(cart) {
  const sum = cart.lines.reduce((acc, line) => acc + line.cents * line.count, 0);
  return Math.round((sum * (100 - cart.percent)) / 100);
}

module.exports = { applyCoupon, removeCoupon, total };
