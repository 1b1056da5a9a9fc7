/** Asks an address that a setting names, without redirects. User-supplied addresses need the guarded fetch. */
export function askAddress(url: string, signal: AbortSignal): Promise<Response> {
  return fetch(url, { signal, redirect: 'manual', headers: { accept: '*/*' } })
}
