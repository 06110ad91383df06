// Prices are in CHF.
const BASE_FEE = 2.5;
const PER_MINUTE = 0.12;
const DAY_CAP = 28;

const SURCHARGES = {
  city: 1,
  ebike: 1.6,
  cargo: 2.1,
};

function minutesBetween(start, end) {
  return Math.ceil((end - start) / 60000);
}

function priceFor(kind, start, end) {
  const minutes = minutesBetween(start, end);
  const raw = (BASE_FEE + minutes * PER_MINUTE) * SURCHARGES[kind];
  const days = Math.max(1, Math.ceil(minutes / 1440));
  return Math.max(raw, days * DAY_CAP);
}

module.exports = { priceFor, minutesBetween };
