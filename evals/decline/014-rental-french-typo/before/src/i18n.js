import de from '../locales/de.json';
import en from '../locales/en.json';
import nl from '../locales/nl.json';

const locales = { de, en, nl };

export function translate(language, key, values = {}) {
  const texts = locales[language] ?? en;
  const text = texts[key] ?? en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
}
