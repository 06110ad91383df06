export const SUPPORTED_LOCALES = ["en", "de", "fr", "pt", "nl"] as const;

export const METRIC_LOCALES = ["de", "fr", "nl", "pt"] as const;

export type Locale = (typeof SUPPORTED_LOCALES)[number];

export const DEFAULT_LOCALE: Locale = "en";

export const LOCALE_NAMES: Record<string, string> = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  nl: "Nederlands",
  pt: "Português",
};
