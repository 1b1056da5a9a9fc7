/**
 * The texts that only pages beyond the first ones need. The build takes them out of the files of the languages
 * (scripts/web-texts.ts); elsewhere both are the same.
 */
export const MORE = {
  en: () => import('./en.json'),
  de: () => import('./de.json'),
  fr: () => import('./fr.json'),
  es: () => import('./es.json'),
  it: () => import('./it.json'),
}
