import { DEFAULT_LOCALE, SUPPORTED_LOCALES, type Locale } from "./locales";

/** Choose the best locale for an Accept-Language header. */
export function pickLocale(header: string | null): Locale {
  for (const part of (header ?? "").split(",")) {
    const language = part.trim().slice(0, 2).toLowerCase();
    const match = SUPPORTED_LOCALES.find((locale) => locale === language);
    if (match) {
      return match;
    }
  }
  return DEFAULT_LOCALE;
}
