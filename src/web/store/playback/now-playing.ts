import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { ownName } from '../session.ts'
import type { Playable } from './playable.ts'
import { type EpisodeProgress, isPlayed } from './progress.ts'

/** Progress message of the playing tab to all tabs of the browser. */
export interface Progress {
  readonly username: string
  /** Media URL. */
  readonly url: string
  /** The episode, for lists that do not contain it yet. */
  readonly episode?: Playable
  readonly status: 'playing' | 'paused' | 'closed'
  /** Seconds. */
  readonly position: number
  /** Seconds; 0 while unknown. */
  readonly total: number
}

/** Milliseconds without a message after which a playing tab counts as closed. */
const SILENCE_MS = 10_000
/** Milliseconds after a pause by which pages have loaded the reported progress. */
const LINGER_MS = 3000

/** Separate signals, so that only one item of a long list re-renders as the position changes. */
const url = signal('')
const progressHere = signal<EpisodeProgress | undefined>(undefined)
const unfinished = signal<Playable | undefined>(undefined)
let stop: (() => void) | undefined

/** Handles a progress message from any tab, including this one. `later` returns a function that cancels the work. */
export function handleProgress(
  progress: Progress,
  later: (milliseconds: number, work: () => void) => () => void = laterInBrowser,
): void {
  const { status, position, total } = progress
  // Ignore tabs that are not playing, unless it is about the current episode.
  if (status !== 'playing' && progress.url !== url.value) return
  stop?.()
  stop = undefined
  if (status === 'closed' || progress.username !== ownName() || position < 1) {
    forget()
    return
  }
  progressHere.value = {
    position,
    total: total > 0 ? total : undefined,
    isDone: isPlayed(position, total),
    device: undefined,
  }
  url.value = progress.url
  // Keep the object while the episode stays the same, so that lists do not re-render with each position.
  if (progressHere.value.isDone) unfinished.value = undefined
  else if (unfinished.value?.url !== progress.url) unfinished.value = progress.episode
  stop = later(status === 'playing' ? SILENCE_MS : LINGER_MS, forget)
}

function forget(): void {
  url.value = ''
  progressHere.value = undefined
  unfinished.value = undefined
}

function laterInBrowser(milliseconds: number, work: () => void): () => void {
  const timer = setTimeout(work, milliseconds)
  return () => clearTimeout(timer)
}

/** Unfinished episode that a tab of this browser plays. The server learns of it with the first report. */
export const inProgressHere: ReadonlySignal<Playable | undefined> = unfinished

/** Media URL of the episode that a tab of this browser has just finished; '' without one. */
export const finishedHere: ReadonlySignal<string> = computed(() => (progressHere.value?.isDone ? url.value : ''))

/**
 * Returns the progress of an episode that a tab of this browser plays; undefined for other episodes. Also undefined some
 * seconds after a pause, when the server has the latest state.
 */
export function currentProgress(episode: string): EpisodeProgress | undefined {
  return url.value === episode ? progressHere.value : undefined
}
