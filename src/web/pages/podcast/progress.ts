/** How far somebody has heard an episode, by the last word of any app. Seconds. */
export interface Heard {
  readonly position: number
  /** Undefined if unknown. */
  readonly total: number | undefined
  readonly isDone: boolean
}

interface Action {
  readonly episode: string
  readonly action: string
  readonly timestamp: string
  readonly position?: number
  readonly total?: number
}

/** Apps stop a little before the end, or in the credits. */
const NEARLY = 0.97

/** By media URL, the latest play of each. */
export function heardOf(actions: readonly Action[]): Map<string, Heard> {
  const latest = new Map<string, Action>()
  for (const action of actions) {
    if (action.action !== 'play' || action.position === undefined) continue
    const known = latest.get(action.episode)
    if (!known || known.timestamp <= action.timestamp) latest.set(action.episode, action)
  }
  return new Map([...latest].map(([episode, { position = 0, total }]) => [episode, heard(position, total)]))
}

function heard(position: number, total: number | undefined): Heard {
  return { position, total, isDone: total !== undefined && total > 0 && position >= total * NEARLY }
}

/** `1:02:03` or `2:03`. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const parts = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  const shown = parts[0] === 0 ? parts.slice(1) : parts
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}
