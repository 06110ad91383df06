import { slugify } from './slug.js';

/* The address of a post; posts of one day may share a title. */
export function addressOf(post, taken = new Set()) {
  const base = `/blog/${slugify(post.title)}`;
  let address = base;
  let number = 2;
  while (taken.has(address)) {
    address = `${base}-${number}`;
    number += 1;
  }
  taken.add(address);
  return address;
}
