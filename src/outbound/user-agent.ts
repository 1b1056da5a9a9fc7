/** What other servers see of us. */
export function userAgentOf(version: string): string {
  return `podstep/${version} (podcast sync server)`
}
