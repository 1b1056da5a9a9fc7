import type { Outbox } from './outbox.ts'
import type { Playable } from './playable.ts'
import type { Resume } from './progress.ts'

/** Milliseconds for which playback waits for the server. */
const TIMEOUT_MS = 4000

export interface ResumingParts {
  readonly outbox: Pick<Outbox, 'flush' | 'latest'>
  /** Loads the latest position of any device. Rejects if the server is unreachable. */
  readonly findResume: (episode: Playable) => Promise<Resume | undefined>
  /** Schedules `work`. Returns a function that cancels it. */
  readonly later: (milliseconds: number, work: () => void) => () => void
}

/** Loads data that playback starts with, without waiting long for a slow server. */
export function createResuming({ outbox, findResume, later }: ResumingParts) {
  /** Resolves to the answer, or to `fallback` after a failure or timeout. Never rejects. */
  async function patiently<T>(answer: Promise<T>, fallback: () => T): Promise<T> {
    let stop = () => {}
    const patience = new Promise<T>((resolve) => {
      stop = later(TIMEOUT_MS, () => resolve(fallback()))
    })
    try {
      return await Promise.race([answer, patience])
    } catch {
      return fallback()
    } finally {
      stop()
    }
  }

  /** Rejects if the server is unreachable. */
  async function askWhereStopped(episode: Playable): Promise<Resume | undefined> {
    // Unsent reports of this browser are newer than the server's data.
    await outbox.flush()
    const own = outbox.latest(episode.podcast, episode.url)
    if (own) return own.position === own.total ? undefined : { position: own.position, device: undefined }
    return findResume(episode)
  }

  return {
    patiently,

    /** Returns the position to resume from; undefined to start at the beginning. Never rejects. */
    resumeFor(episode: Playable): Promise<Resume | undefined> {
      const { position } = episode
      const fallback = position === undefined ? undefined : { position, device: undefined }
      return patiently(askWhereStopped(episode), () => fallback)
    },
  }
}
