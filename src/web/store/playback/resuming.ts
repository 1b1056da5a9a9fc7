import type { Outbox } from './outbox.ts'
import type { Playable } from './playable.ts'
import type { Resume } from './progress.ts'

/** Milliseconds for which playing waits for the server. */
const PATIENCE = 4000

export interface ResumingParts {
  readonly outbox: Pick<Outbox, 'flush' | 'latest'>
  /** Asks the server where any device has stopped. Rejects if it cannot be asked. */
  readonly findResume: (episode: Playable) => Promise<Resume | undefined>
  /** Does something later. Returns what calls it off. */
  readonly later: (milliseconds: number, work: () => void) => () => void
}

/** Finds out what playing begins with. A server that does not answer is not waited for. */
export function createResuming({ outbox, findResume, later }: ResumingParts) {
  /** What the server answers, or `fallback` if it does not in time. Never rejects. */
  async function patiently<T>(answer: Promise<T>, fallback: () => T): Promise<T> {
    let stop = () => {}
    const patience = new Promise<T>((resolve) => {
      stop = later(PATIENCE, () => resolve(fallback()))
    })
    try {
      return await Promise.race([answer, patience])
    } catch {
      return fallback()
    } finally {
      stop()
    }
  }

  /** Rejects if the server cannot be asked. */
  async function askWhereStopped(episode: Playable): Promise<Resume | undefined> {
    // What this browser has not sent yet is newer than what the server knows.
    await outbox.flush()
    const own = outbox.latest(episode.podcast, episode.url)
    if (own) return own.position === own.total ? undefined : { position: own.position, device: undefined }
    return findResume(episode)
  }

  return {
    patiently,

    /** Where to go on with an episode; undefined to begin at the beginning. Never rejects. */
    resumeFor(episode: Playable): Promise<Resume | undefined> {
      const { position } = episode
      const fallback = position === undefined ? undefined : { position, device: undefined }
      return patiently(askWhereStopped(episode), () => fallback)
    },
  }
}
