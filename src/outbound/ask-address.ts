/**
 * Asks an address that a setting names, as everybody else would, and follows no redirect: for telling what it leads to.
 * Whatever users supply is asked by the guarded fetch.
 */
export function askAddress(url: string, signal: AbortSignal): Promise<Response> {
  return fetch(url, { signal, redirect: 'manual', headers: { accept: '*/*' } })
}
