import { effect, signal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { t } from '../../locales/index.ts'
import { following } from '../../store/episodes/following.ts'
import { toPlayable } from '../../store/episodes/lists.ts'
import { createFindNext, nextInQueue } from '../../store/episodes/next.ts'
import { ensureQueue, leaveQueue, queue } from '../../store/episodes/queue.ts'
import { ensureDevice } from '../../store/own-device.ts'
import { ACCOUNT_KEY, BASE } from '../../store/paths.ts'
import { createEngine, type Media, type MediaEvent } from '../../store/playback/engine.ts'
import { handleProgress, type Progress } from '../../store/playback/now-playing.ts'
import { ABANDONED, createOutbox } from '../../store/playback/outbox.ts'
import type { Playable } from '../../store/playback/playable.ts'
import { createPodcastMemory } from '../../store/playback/podcast-memory.ts'
import { progressOf, type Resume, resumeOf } from '../../store/playback/progress.ts'
import type { Report } from '../../store/playback/sitting.ts'
import { NO_SKIPS, type Skips, toSkips } from '../../store/playback/skips.ts'
import { createSpeedMemory, toSpeed } from '../../store/playback/speeds.ts'
import { player, reportsPrefix } from '../../store/player.ts'
import { account, ownName } from '../../store/session.ts'
import { ensureAccountSettings, keepsPlaying } from '../../store/sync/account-settings.ts'
import { toast } from '../../store/toasts.ts'
import { attempt } from '../feedback/notice.tsx'
import { followMediaKeys } from './media-session.tsx'
import { watchScreens } from './other-screens.tsx'
import { followVolume } from './volume.tsx'

/*
 * Player of the browser: one audio element outside the document, so that it survives page changes.
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

/** Fraction of the chosen volume; the sleep timer lowers it. */
const fading = signal(1)

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
  fade(part) {
    fading.value = part
  },
  bufferedEnd() {
    const { buffered, currentTime } = audio
    for (let index = 0; index < buffered.length; index++)
      if (buffered.start(index) <= currentTime + 1 && buffered.end(index) >= currentTime) return buffered.end(index)
    return currentTime
  },
  isSeekable() {
    const { seekable } = audio
    return seekable.length > 0 && seekable.end(seekable.length - 1) > seekable.start(0)
  },
}

/** User that the player belongs to. Changes only after playback has ended, so that its reports keep their user. */
let owner: string | undefined
/** ID of this browser's device. */
let device: string | undefined

const outbox = createOutbox({
  storage: localStorage,
  // Another tab may have signed out and removed all reports; this one must not store more until it notices.
  account: () => (localStorage.getItem(ACCOUNT_KEY) === owner ? owner : undefined),
  prefixOf: reportsPrefix,
  async send(username, reports, isLast) {
    // There is no time to create a device while the page is unloading.
    const id = isLast ? device : await ownDeviceId()
    if (id === undefined || owner !== username) throw new Error('reports cannot be sent now')
    const body = reports.map((report) => ({ ...report, action: 'play', device: id }))
    const answer = await call('uploadEpisodeActions', { path: { username }, body, isKeptAlive: isLast })
    const malformed = new Set(answer.rejected?.map(({ index }) => index))
    const unusable = new Set(answer.update_urls.flatMap(([before, after]) => (after === '' ? [before] : [])))
    return reports.filter(
      ({ podcast, episode }, index) => malformed.has(index) || unusable.has(podcast) || unusable.has(episode),
    )
  },
  onRefused(reports) {
    for (const report of reports) showRefused(report)
  },
  now: () => Date.now(),
  // Unique per tab: two pages do not start in the same microsecond.
  tab: String(performance.timeOrigin),
})

/** Episodes whose rejection has been shown to the user, which happens once. */
const shownRejections = new Set<string>()

function showRefused({ episode }: Report): void {
  if (shownRejections.has(episode)) return
  shownRejections.add(episode)
  toast(t('player.refused', { address: episode }), { kind: 'error' })
}

/** Returns the ID of this browser's device. Throws no `ApiError`, which would count as a response to the reports. */
async function ownDeviceId(): Promise<string> {
  if (device !== undefined) return device
  const username = owner
  try {
    const { id } = await ensureDevice()
    if (owner === username) device = id
    return id
  } catch (error) {
    throw new Error('there is no device', { cause: error })
  }
}

/** Playback settings of a podcast, shared by all browsers: speed, and seconds to skip at the start and the end. */
const SPEED_SETTING = 'podstep.speed'
const INTRO_SETTING = 'podstep.skip_intro'
const OUTRO_SETTING = 'podstep.skip_outro'

type Settings = Readonly<Record<string, unknown>>

/** Requests in flight, by podcast: speed and skips come from the same response. */
const inFlight = new Map<string, Promise<Settings>>()

function findSettings(podcast: string): Promise<Settings> {
  const path = { username: ownName(), scope: 'podcast' }
  const answer =
    inFlight.get(podcast) ?? call('getSettings', { path, query: { podcast } }).finally(() => inFlight.delete(podcast))
  inFlight.set(podcast, answer)
  return answer
}

/** Stores settings of a podcast and removes those that are undefined. Never rejects. */
async function saveSettings(podcast: string, settings: Settings): Promise<void> {
  const remove = Object.keys(settings).filter((key) => settings[key] === undefined)
  const path = { username: ownName(), scope: 'podcast' }
  await attempt(() => call('changeSettings', { path, query: { podcast }, body: { set: settings, remove } }))
}

const speeds = createSpeedMemory(
  player.usualSpeed,
  createPodcastMemory<number>({
    find: async (podcast) => toSpeed((await findSettings(podcast))[SPEED_SETTING]),
    keep: (podcast, speed) => saveSettings(podcast, { [SPEED_SETTING]: speed }),
  }),
)

const skips = createPodcastMemory<Skips>({
  async find(podcast) {
    const settings = await findSettings(podcast)
    return toSkips(settings[INTRO_SETTING], settings[OUTRO_SETTING])
  },
  keep: (podcast, { intro, outro } = NO_SKIPS) =>
    saveSettings(podcast, { [INTRO_SETTING]: intro || undefined, [OUTRO_SETTING]: outro || undefined }),
})

async function findResume({ podcast, url, guid }: Playable): Promise<Resume | undefined> {
  const query = { podcast, aggregated: 'true' }
  const { actions } = await call('listEpisodeActions', { path: { username: ownName() }, query })
  return resumeOf(actions, url, guid)
}

const findNext = createFindNext({
  async findQueued({ url }) {
    // If the request fails, uses the queue loaded earlier.
    const items = await ensureQueue().catch(() => queue.value ?? [])
    const next = nextInQueue(items, url)
    return next && toPlayable(next)
  },
  keepsPlaying: () =>
    ensureAccountSettings().then(
      () => keepsPlaying.value === true,
      () => keepsPlaying.value === true,
    ),
  async findPlayed(podcast) {
    const query = { podcast, aggregated: 'true' }
    const { actions } = await call('listEpisodeActions', { path: { username: ownName() }, query })
    return new Set([...progressOf(actions)].flatMap(([url, { isDone }]) => (isDone ? [url] : [])))
  },
  list: following,
})

const channel = new BroadcastChannel(`podstep.player${BASE}`)

const progressChannel = new BroadcastChannel(`podstep.progress${BASE}`)
let last: Progress | undefined

/** Sends the playback position to all tabs, once per second of the episode and on every change of status. */
function broadcastProgress(): void {
  const current = player.playing.value
  const url = current?.episode.url ?? last?.url
  if (url === undefined) return
  const isRunning = current?.status === 'playing' || current?.status === 'loading'
  const status = current ? (isRunning ? 'playing' : 'paused') : 'closed'
  const position = Math.floor(player.position.value)
  const isSame = url === last?.url && status === last.status
  if (isSame && (status !== 'playing' || position === last?.position)) return
  last = {
    username: ownName(),
    url,
    status,
    position,
    total: player.total.value,
    ...(current && { episode: current.episode }),
  }
  handleProgress(last)
  progressChannel.postMessage(last)
}

const SPEED_KEY = 'podstep.speed'
player.usualSpeed.value = toSpeed(Number(localStorage.getItem(SPEED_KEY))) ?? 1

export const browserEngine = createEngine({
  state: player,
  media,
  outbox,
  speeds,
  skips,
  findResume,
  findNext,
  onFinished: ({ url }) => leaveQueue(url),
  announce() {
    channel.postMessage('playing')
    // Requested now because it is too late while the page is unloading.
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
// Only one window plays at a time.
channel.addEventListener('message', () => {
  const status = player.playing.value?.status
  if (status !== 'playing' && status !== 'loading') return
  browserEngine.pause()
  toast(t('player.pausedByWindow'))
})
addEventListener('online', () => void outbox.flush())
addEventListener('pagehide', () => browserEngine.hide())
// Phones kill hidden pages without an event.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') browserEngine.hide()
})
effect(broadcastProgress)
followVolume(audio, fading)
watchScreens(audio)
effect(() => localStorage.setItem(SPEED_KEY, String(player.usualSpeed.value)))
effect(() => {
  const name = account.value?.username
  if (name === owner) return
  if (owner !== undefined) browserEngine.abandon()
  owner = name
  device = undefined
  void outbox.flush()
})
followMediaKeys(audio, browserEngine)
// Reports of a tab that closed just before count as abandoned only after this delay.
setTimeout(() => void outbox.flush(), ABANDONED)
