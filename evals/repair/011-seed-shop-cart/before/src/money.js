'use strict';

/* Amounts are whole cents everywhere; text only at the edges. */

function format(cents) {
  const sign = cents < 0 ? '-' : '';
  const value = Math.abs(cents);
  const rest = String(value % 100).padStart(2, '0');
  return `${sign}${Math.floor(value / 100)}.${rest}`;
}

module.exports = { format };
