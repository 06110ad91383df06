import { search, type Trail } from './search';

export function show(trails: Trail[], input: HTMLInputElement, list: HTMLElement) {
  const found = search(trails, input.value, 20);
  list.replaceChildren(...found.map((trail) => new Option(`${trail.name}, ${trail.km} km`)));
}
