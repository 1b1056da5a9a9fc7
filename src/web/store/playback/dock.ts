import { effect, type Signal } from '@preact/signals'
import type { Playable, PlayerState } from './playable.ts'

/* Restores the player's episode, paused, after a reload of the tab. */

interface Docked {
  readonly username: string
  readonly episode: Playable
  /** Seconds, like `total`. */
  readonly position: number
  readonly total: number
  readonly following?: readonly Playable[]
}

interface DockState extends Pick<PlayerState, 'playing' | 'position' | 'total'> {
  readonly following: Signal<readonly Playable[]>
}

const KEY = 'podstep.dock'

/** Restores the episode that this user had in this tab's player. */
export function restoreDock(
  { playing, position, total, following }: DockState,
  username: string,
  storage: Storage,
): void {
  const docked = read(storage)
  if (docked?.username !== username || playing.peek()) return
  position.value = docked.position
  total.value = docked.total
  following.value = docked.following ?? []
  playing.value = { episode: docked.episode, status: 'paused' }
}

/** Stores the player's episode on every change and on unload. Returns a function that stops this. */
export function storeDock(state: DockState, username: string, storage: Storage): () => void {
  const { playing, position, total, following } = state

  function keep(): void {
    const episode = playing.value?.episode
    const docked: Docked | undefined = episode && {
      ...{ username, episode, position: position.peek(), total: total.peek(), following: following.value },
    }
    if (docked) storage.setItem(KEY, JSON.stringify(docked))
    else storage.removeItem(KEY)
  }

  const stop = effect(keep)
  addEventListener('pagehide', keep)
  return () => {
    stop()
    removeEventListener('pagehide', keep)
  }
}

function read(storage: Storage): Docked | undefined {
  try {
    const docked: Docked | null = JSON.parse(storage.getItem(KEY) ?? 'null')
    return typeof docked?.episode.url === 'string' && Number.isFinite(docked.position + docked.total)
      ? docked
      : undefined
  } catch {
    // An older version of the client wrote another format.
    return undefined
  }
}
