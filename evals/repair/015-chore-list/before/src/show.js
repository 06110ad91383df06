import { sortChores } from './order.js';

function line(chore, number) {
  const box = chore.done ? '[x]' : '[ ]';
  return `${number}. ${box} ${chore.title} (${chore.due})`;
}

export function show(chores, { sort = 'added', all = false } = {}) {
  const wanted = chores.filter((chore) => all || !chore.done);
  if (wanted.length === 0) {
    return 'Nothing to do.';
  }
  return sortChores(wanted, sort)
    .map((chore, index) => line(chore, index + 1))
    .join('\n');
}
