// The orders that visitors can choose in the list of plants.

export const ORDERS = [
  { id: 'new', label: 'Newest' },
  { id: 'price-up', label: 'Price: low to high' },
  { id: 'price-down', label: 'Price: high to low' },
  { id: 'height', label: 'Tallest' },
  { id: 'name', label: 'A to Z' },
];

const compare = {
  'new': (a, b) => b.addedAt - a.addedAt,
  'price-up': (a, b) => a.cents - b.cents,
  'price-down': (a, b) => b.cents - a.cents,
  'height': (a, b) => b.heightCm - a.heightCm,
  'name': (a, b) => a.name.localeCompare(b.name),
};

export function sortPlants(plants, order) {
  const by = compare[order] ?? compare['new'];
  return [...plants].sort(by);
}
