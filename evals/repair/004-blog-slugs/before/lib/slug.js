const LETTERS = { 'ß': 'ss', 'æ': 'ae', 'ø': 'o', 'ł': 'l' };

function plain(text) {
  return text
    .toLowerCase()
    .replace(/[ßæøł]/g, (letter) => LETTERS[letter])
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '');
}

/* Cuts a slug at a hyphen so that it is no longer than limit. */
function shorten(slug, limit) {
  if (slug.length <= limit) {
    return slug;
  }
  let short = '';
  for (const word of slug.split('-')) {
    const longer = short ? `${short}-${word}` : word;
    if (longer.length > limit) {
      break;
    }
    short = longer;
  }
}

export function slugify(title, limit = 40) {
  const words = plain(title).match(/[a-z0-9]+/g) ?? ['untitled'];
  return shorten(words.join('-'), limit);
}
