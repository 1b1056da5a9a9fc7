import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { ownName } from '../session.ts'
import type { Playable } from './playable.ts'
import { type Heard, isPlayed } from './progress.ts'

/** How far the one tab that plays is, as it tells all tabs of the browser. */
export interface Progress {
  /** Whose tab it is. */
  readonly username: string
  /** The URL of the media file. */
  readonly url: string
  /** What lists show of it that do not have it yet. */
  readonly episode?: Playable
  readonly status: 'playing' | 'paused' | 'closed'
  /** Seconds. */
  readonly position: number
  /** Seconds; 0 while unknown. */
  readonly total: number
}

/** Milliseconds without a word of a tab that plays, after which it is gone. */
const SILENCE = 10_000
/** Milliseconds after a pause until pages have loaded what was reported. */
const LINGER = 3000

/** Apart, so that of a long list only the episode that plays follows the position. */
const url = signal('')
const heard = signal<Heard | undefined>(undefined)
const begun = signal<Playable | undefined>(undefined)
let stop: (() => void) | undefined

/** Takes what a tab tells, which may be this one. Does something later with `later`, which returns what calls it off. */
export function hearProgress(
  progress: Progress,
  later: (milliseconds: number, work: () => void) => () => void = laterInBrowser,
): void {
  const { status, position, total } = progress
  // A tab that does not play says nothing about the one that does.
  if (status !== 'playing' && progress.url !== url.value) return
  stop?.()
  stop = undefined
  if (status === 'closed' || progress.username !== ownName() || position < 1) {
    forget()
    return
  }
  heard.value = { position, total: total > 0 ? total : undefined, isDone: isPlayed(position, total), device: undefined }
  url.value = progress.url
  // The same object as long as it is the same episode, so that lists follow the episode and not its position.
  if (heard.value.isDone) begun.value = undefined
  else if (begun.value?.url !== progress.url) begun.value = progress.episode
  stop = later(status === 'playing' ? SILENCE : LINGER, forget)
}

function forget(): void {
  url.value = ''
  heard.value = undefined
  begun.value = undefined
}

function laterInBrowser(milliseconds: number, work: () => void): () => void {
  const timer = setTimeout(work, milliseconds)
  return () => clearTimeout(timer)
}

/** What a tab of this browser plays, and has not played to its end. The server knows of it with the first report only. */
export const begunHere: ReadonlySignal<Playable | undefined> = begun

/** The media URL of what a tab of this browser has just played to its end; '' if there is none. */
export const finishedHere: ReadonlySignal<string> = computed(() => (heard.value?.isDone ? url.value : ''))

/**
 * How far a tab of this browser is with an episode that it plays; undefined of all others. Once it is paused the server
 * knows, also what was done with the episode since.
 */
export function currentProgress(episode: string): Heard | undefined {
  return url.value === episode ? heard.value : undefined
}
