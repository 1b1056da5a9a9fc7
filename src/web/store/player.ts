import { signal } from '@preact/signals'
import type { PlayerKey } from '../components/shortcut-keys.ts'
import { t } from '../locales/index.ts'
import { following } from './episodes/following.ts'
import { accountKey } from './paths.ts'
import type { Engine } from './playback/engine.ts'
import type { Playable, PlayerState, Playing } from './playback/playable.ts'
import { NO_SKIPS } from './playback/skips.ts'
import type { Sleep } from './playback/sleep.ts'
import { BACK, FORWARD, speedNextTo } from './playback/speeds.ts'
import { toast } from './toasts.ts'

export type { Playable }

/** State of the player on all pages. It exists before the engine, which is loaded on first use. */
export const player = {
  playing: signal<Playing | undefined>(undefined),
  position: signal(0),
  total: signal(0),
  isSeekable: signal(true),
  buffered: signal(0),
  speed: signal(1),
  usualSpeed: signal(1),
  sleep: signal<Sleep | undefined>(undefined),
  skips: signal(NO_SKIPS),
} satisfies PlayerState

/** Whether the player holds an episode, even if paused or failed. */
export function isInPlayer(url: string): boolean {
  return player.playing.value?.episode.url === url
}

/**
 * Plays an episode in this tab, from the latest position of any device or from the second `from`. Resumes it if it is
 * already in the player. `after` holds the episodes that follow it in its list. Never rejects.
 */
export function play(episode: Playable, from?: number, after: readonly Playable[] = []): void {
  if (!isInPlayer(episode.url)) following.value = after
  void withEngine((loaded) => void loaded.play(episode, from))
}

export function togglePlaying(): void {
  controlPlayer('toggle')
}

/**
 * Stops playback if the player holds an episode with one of these media URLs. Resolves after its reports are sent, so
 * that they cannot override a mark that follows. Never rejects.
 */
export async function endPlaying(urls: readonly string[]): Promise<void> {
  if (urls.some(isInPlayer)) await withEngine((engine) => engine.close())
}

/** Runs a keyboard shortcut. Returns false if the player is empty. */
export function controlPlayer(key: PlayerKey): boolean {
  if (!player.playing.value) return false
  void withEngine((engine) => {
    if (key === 'toggle') engine.toggle()
    else if (key === 'next') void engine.next()
    else if (key === 'back') engine.seek(player.position.value - BACK)
    else if (key === 'forward') engine.seek(player.position.value + FORWARD)
    else engine.setSpeed(speedNextTo(player.speed.value, key === 'faster' ? 1 : -1))
  })
  return true
}

/**
 * Stops playback before sign-out and sends the reports of this browser. Resolves to whether the server has all of them.
 * Never rejects.
 */
export async function finishPlaying(username: string): Promise<boolean> {
  if (!player.playing.value && !hasReports(username)) return true
  try {
    return await (await load()).finish()
  } catch {
    // The player cannot be loaded.
    return false
  }
}

/** Returns the prefix of the storage keys of unsent reports. */
export function reportsPrefix(username: string): string {
  return accountKey('reports', username)
}

/** Whether this browser has unsent reports of an account. */
export function hasReports(username: string): boolean {
  const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? '')
  // User names contain no spaces.
  return keys.some((key) => key.startsWith(`${reportsPrefix(username)} `))
}

let load: () => Promise<Engine> = () => Promise.reject(new Error('there is no player yet'))

/** Registers the function that loads the engine on first use. */
export function onPlayerNeeded(loadEngine: () => Promise<Engine>): void {
  load = loadEngine
}

async function withEngine(work: (engine: Engine) => void | Promise<void>): Promise<void> {
  let engine: Engine
  try {
    engine = await load()
  } catch {
    toast(t('common.errors.unloadable'), { kind: 'error' })
    return
  }
  await work(engine)
}
