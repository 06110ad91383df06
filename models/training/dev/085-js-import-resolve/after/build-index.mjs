import { readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const root = process.argv[2] ?? 'docs';
const names = await readdir(root);
const pages = names.filter((n) => n.endsWith('.html')).sort();

const links = pages.map((p) => `<li><a href="${p}">${p}</a></li>`);
await writeFile(join(root, 'index.html'), `<ul>${links.join('')}</ul>\n`);
console.log(`${pages.length} pages`);
