import { href } from './base.ts'

/** Where to go after signing in: a page of ours, whatever the address says. */
export function returnTo(wanted: string | undefined): string {
  const isOurs = wanted !== undefined && /^\/(?![/\\])/.test(wanted) && wanted.startsWith(href('/'))
  return isOurs ? wanted : href('/')
}
