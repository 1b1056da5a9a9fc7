import { effect } from '@preact/signals'
import { call } from '../../api/client.ts'
import { ensureDevice } from '../../store/own-device.ts'
import { BASE } from '../../store/paths.ts'
import { createEngine, type Media, type MediaEvent, type Playable } from '../../store/playback/engine.ts'
import { createOutbox } from '../../store/playback/outbox.ts'
import { type Resume, resumeOf } from '../../store/playback/progress.ts'
import { SPEEDS } from '../../store/playback/speeds.ts'
import { player, reportsKey } from '../../store/player.ts'
import { account, ownName } from '../../store/session.ts'
import { followMediaKeys } from './media-session.tsx'

/*
 * The player as browsers have it: one audio element, which is in no page and so outlives them all.
 */

const audio = new Audio()
audio.preload = 'auto'

const EVENTS: Readonly<Record<string, MediaEvent>> = {
  playing: 'playing',
  pause: 'pause',
  waiting: 'waiting',
  timeupdate: 'timeupdate',
  loadedmetadata: 'metadata',
  durationchange: 'metadata',
  progress: 'progress',
  ended: 'ended',
  error: 'error',
}

const media: Media = {
  get currentTime() {
    return audio.currentTime
  },
  set currentTime(seconds) {
    audio.currentTime = seconds
  },
  get playbackRate() {
    return audio.playbackRate
  },
  set playbackRate(rate) {
    audio.playbackRate = rate
    // Otherwise the next file begins at the normal speed.
    audio.defaultPlaybackRate = rate
  },
  get duration() {
    return audio.duration
  },
  get paused() {
    return audio.paused
  },
  load(url) {
    audio.src = url
  },
  unload() {
    audio.removeAttribute('src')
    audio.load()
  },
  play: () => audio.play(),
  pause: () => audio.pause(),
  bufferedEnd() {
    const { buffered, currentTime } = audio
    for (let index = 0; index < buffered.length; index++)
      if (buffered.start(index) <= currentTime + 1 && buffered.end(index) >= currentTime) return buffered.end(index)
    return currentTime
  },
}

/** The account that the player belongs to. It changes after the engine has been told, so that reports stay with it. */
let owner: string | undefined
/** The ID of this browser's device. */
let device: string | undefined

const outbox = createOutbox({
  storage: localStorage,
  key: () => (owner === undefined ? undefined : reportsKey(owner)),
  async send(reports, isLast) {
    // When the page goes there is no time to create a device.
    const id = isLast ? device : await ownDeviceId()
    if (id === undefined || owner === undefined) return
    const body = reports.map((report) => ({ ...report, action: 'play', device: id }))
    await call('uploadEpisodeActions', { path: { username: owner }, body, isKeptAlive: isLast })
  },
})

async function ownDeviceId(): Promise<string> {
  device ??= (await ensureDevice()).id
  return device
}

async function findResume({ podcast, url, guid }: Playable): Promise<Resume | undefined> {
  const query = { podcast, aggregated: 'true' }
  const { actions } = await call('listEpisodeActions', { path: { username: ownName() }, query })
  return resumeOf(actions, url, guid)
}

const channel = new BroadcastChannel(`podstep.player${BASE}`)

const SPEED_KEY = 'podstep.speed'
const stored = Number(localStorage.getItem(SPEED_KEY))
if (SPEEDS.some((speed) => speed === stored)) player.speed.value = stored

export const browserEngine = createEngine({
  state: player,
  media,
  outbox,
  findResume,
  announce() {
    channel.postMessage('playing')
    // When the page goes it is too late to ask.
    void ownDeviceId().catch(() => undefined)
  },
  now: () => Date.now(),
  later(milliseconds, work) {
    const timer = setTimeout(work, milliseconds)
    return () => clearTimeout(timer)
  },
  isOnline: () => navigator.onLine,
  isSecurePage: location.protocol === 'https:',
})

for (const [name, event] of Object.entries(EVENTS)) audio.addEventListener(name, () => browserEngine.hear(event))
// Only one tab plays.
channel.addEventListener('message', () => browserEngine.pause())
addEventListener('online', () => void outbox.flush())
addEventListener('pagehide', () => browserEngine.hide())
// Phones end pages that are not visible without a word.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') browserEngine.hide()
})
effect(() => localStorage.setItem(SPEED_KEY, String(player.speed.value)))
effect(() => {
  const name = account.value?.username
  if (name === owner) return
  if (owner !== undefined) browserEngine.abandon()
  owner = name
  device = undefined
  void outbox.flush()
})
followMediaKeys(audio, browserEngine)
