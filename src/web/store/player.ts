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

/** What the player shows, on all pages. It is there before the player itself, which is loaded when it is first needed. */
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

/** Whether the player has an episode, in whatever state. */
export function isInPlayer(url: string): boolean {
  return player.playing.value?.episode.url === url
}

/**
 * Plays an episode in this tab, from where any device of the user has stopped, or from the second `from`. If the player has it
 * already, it goes on. `after` is what comes after it in its list. Never rejects.
 */
export function play(episode: Playable, from?: number, after: readonly Playable[] = []): void {
  if (!isInPlayer(episode.url)) following.value = after
  void withEngine((loaded) => void loaded.play(episode, from))
}

/** Pauses, or goes on. */
export function togglePlaying(): void {
  controlPlayer('toggle')
}

/**
 * Ends playing if the player has one of these episodes, given by media URLs. What was heard has been sent when it resolves, so that
 * a mark that follows is the last word. Never rejects.
 */
export async function endPlaying(urls: readonly string[]): Promise<void> {
  if (urls.some(isInPlayer)) await withEngine((engine) => engine.close())
}

/** Does what a key asks for. Returns whether there is anything to be controlled. */
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
 * Ends playing for a user who signs out, and sends what was heard in this browser. Resolves to whether the server has all
 * of it. Never rejects.
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

/** The beginning of the names under which reports are stored that the server does not have yet. */
export function reportsPrefix(username: string): string {
  return accountKey('reports', username)
}

/** Whether this browser has reports of an account that the server does not have yet. */
export function hasReports(username: string): boolean {
  const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? '')
  // Names of users have no spaces.
  return keys.some((key) => key.startsWith(`${reportsPrefix(username)} `))
}

let load: () => Promise<Engine> = () => Promise.reject(new Error('there is no player yet'))

/** Registers how the player is loaded when it is needed. */
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
