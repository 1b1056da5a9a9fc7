import { systemClock } from '../platform/clock.ts'

const COOKIES_MAX = 50
const COOKIES_BYTES_MAX = 16 * 1024

/** Cookies of one fetch, each sent only to the exact host that set it. Some servers require them after a redirect. */
export function createCookies() {
  const byHost = new Map<string, Map<string, { readonly value: string; readonly isSecure: boolean }>>()

  function isFull(more: number): boolean {
    const all = [...byHost.values()].flatMap((cookies) => [...cookies])
    const bytes = all.reduce((sum, [name, { value }]) => sum + name.length + value.length, more)
    return all.length >= COOKIES_MAX || bytes > COOKIES_BYTES_MAX
  }

  function add({ hostname }: URL, line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const equals = pair.indexOf('=')
    if (equals < 1) return
    const name = pair.slice(0, equals).trimEnd()
    const value = pair.slice(equals + 1).trimStart()
    const cookies = byHost.get(hostname) ?? new Map()
    cookies.delete(name)
    if (isExpired(attributes) || isFull(name.length + value.length)) return
    cookies.set(name, { value, isSecure: attributes.some((each) => each.toLowerCase() === 'secure') })
    byHost.set(hostname, cookies)
  }

  return {
    take(from: URL, headers: Headers): void {
      for (const line of headers.getSetCookie()) add(from, line)
    },

    headerFor({ hostname, protocol }: URL): string {
      const sent = [...(byHost.get(hostname) ?? [])].filter(([, { isSecure }]) => !isSecure || protocol === 'https:')
      return sent.map(([name, { value }]) => `${name}=${value}`).join('; ')
    },
  }
}

function isExpired(attributes: readonly string[]): boolean {
  const attribute = (name: string) =>
    attributes.findLast((each) => each.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1)
  const age = attribute('max-age')
  if (age !== undefined && /^-?\d+$/.test(age)) return Number(age) <= 0
  return Date.parse(attribute('expires') ?? '') / 1000 <= systemClock().seconds()
}
