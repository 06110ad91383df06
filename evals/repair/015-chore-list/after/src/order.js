const KEYS = {
  added: (chore) => chore.added,
  due: (chore) => chore.due,
  title: (chore) => chore.title.toLowerCase(),
};

export function orders() {
  return Object.keys(KEYS);
}

/* A sorted copy; chores that tie stay as they were. */
export function sortChores(chores, order) {
  const key = KEYS[order];
  if (!key) {
    throw new RangeError(`unknown order: ${order}`);
  }
  return [...chores].sort((a, b) => {
    const [left, right] = [key(a), key(b)];
    if (left === right) {
      return 0;
    }
    return left < right ? -1 : 1;
  });
}
