import { ORDERS, sortPlants } from './sorting.js';

const euro = new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' });

function card(plant) {
  const item = document.createElement('li');
  item.className = 'plant';
  item.textContent = `${plant.name} · ${plant.heightCm} cm · ${euro.format(plant.cents / 100)}`;
  return item;
}

export function setUp(list, select, plants) {
  for (const order of ORDERS) {
    select.add(new Option(order.label, order.id));
  }
  const draw = () => {
    list.replaceChildren(...sortPlants(plants, select.value).map(card));
  };
  select.addEventListener('change', draw);
  draw();
}
