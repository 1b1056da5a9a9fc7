import { isRecord } from '../platform/unknown.ts'

export type Claims = Readonly<Record<string, unknown>>

export function findClaim(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path] ?? undefined
  // Names may hold dots themselves, as IDs of clients do.
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const name = path.slice(0, dot)
    const inner = Object.hasOwn(claims, name) ? claims[name] : undefined
    const value = isRecord(inner) ? findClaim(inner, path.slice(dot + 1)) : undefined
    if (value !== undefined) return value
  }
  return undefined
}

export function textOf(claims: Claims, name: string): string | undefined {
  const value = claims[name]
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

export function flagOf(claims: Claims, name: string): boolean | undefined {
  const value = claims[name]
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : undefined
}

export function groupsOf(claims: Claims, path: string): string[] | undefined {
  const value = findClaim(claims, path)
  if (typeof value === 'string') return [value]
  if (isRecord(value)) return Object.keys(value).filter((name) => value[name] !== null && value[name] !== false)
  if (!Array.isArray(value)) return undefined
  const items: readonly unknown[] = value
  const names = items.flatMap((item) => (typeof item === 'string' ? [item] : isRecord(item) ? rolesOf(item) : []))
  return names.length === 0 && items.length > 0 ? undefined : names
}

/** Zitadel's roles in a list: the name of each is the key of an object of organizations. */
function rolesOf(item: Claims): string[] {
  return Object.keys(item).filter((name) => isRecord(item[name]))
}
