import { debounce } from './debounce.js';

const input = document.querySelector('#q');
const list = document.querySelector('#hits');

async function search() {
  const res = await fetch('/search?q=' + encodeURIComponent(input.value));
  const hits = await res.json();
  list.replaceChildren(
    ...hits.map((hit) => {
      const li = document.createElement('li');
      li.textContent = hit.title;
      return li;
    }),
  );
}

input.addEventListener('input', debounce(search, 300));
