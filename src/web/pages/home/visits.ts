/** When somebody looked at Home, in milliseconds since 1970. */
export interface Visits {
  /** The end of the visit before this one. */
  readonly before: number
  /** When Home was last looked at. */
  readonly latest: number
}

/** After so many milliseconds without a look a new visit begins. */
const PAUSE = 30 * 60_000
/** An episode may be released some time before the server has fetched its feed. */
const FETCH_TIME = 60 * 60_000

/**
 * The visits after another look. All tabs share what is stored, and only a pause ends a visit: so what is new stays
 * marked as new while somebody goes back and forth, or opens a second tab.
 */
export function look(stored: string | null, now: number): Visits {
  const { before, latest } = parse(stored) ?? { before: now, latest: now }
  return { before: now - latest > PAUSE ? latest : before, latest: now }
}

/** Whether what was released at this time, in milliseconds, may not have been there at the last visit. */
export function isSince(released: number, { before }: Visits): boolean {
  return released > before - FETCH_TIME
}

function parse(stored: string | null): Visits | undefined {
  const [before, latest] = (stored ?? '').split(' ').map(Number)
  return before && latest ? { before, latest } : undefined
}

/** What is stored of the visits. */
export function formatVisits({ before, latest }: Visits): string {
  return `${before} ${latest}`
}
