/** What a provider says about somebody; nothing about its objectSchema is certain. */
export type Claims = Readonly<Record<string, unknown>>

export function textOf(claims: Claims, name: string): string | undefined {
  const value = claims[name]
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** Some providers write truth values as text. */
export function flagOf(claims: Claims, name: string): boolean | undefined {
  const value = claims[name]
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : undefined
}

/** A list of names, or a single one. */
export function groupsOf(claims: Claims, name: string): string[] {
  const value = claims[name]
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.filter((group) => typeof group === 'string')
}
