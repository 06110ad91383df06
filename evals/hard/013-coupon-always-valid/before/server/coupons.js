const db = require('./db');

/** Whether the code exists and has not run out. */
async function isValid(code) {
  const coupon = await db.coupons.find(code);
  return coupon !== null && coupon.expires > Date.now();
}

/** Discount of a coupon in per cent. */
async function percentOf(code) {
  const coupon = await db.coupons.find(code);
  return coupon.percent;
}

/** Whether this customer has used the code before. */
async function wasUsedBy(code, customerId) {
  const uses = await db.couponUses.list({ code, customerId });
  return uses.length > 0;
}

module.exports = { isValid, percentOf, wasUsedBy };
