export function addItem(cart, item, qty = 1) {
  const line = cart.find((l) => l.sku === item.sku);
  if (line) {
    line.qty += qty;
  } else {
    cart.push({ sku: item.sku, price: item.price, qty });
  }
}

export function sumCart(cart) {
  let total = 0;
  for (const line of cart) {
    total += line.price * line.qty;
  }
  return total;
}
