const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** What screen readers are told about a text in the language a feed claims, as `pt-br`; undefined if that is none. */
export function spokenLanguage(claimed: string): string | undefined {
  const code = /^[a-z]{2}(?=-|$)/i.exec(claimed)?.[0].toLowerCase()
  return code === undefined || names.of(code) === undefined ? undefined : code
}
