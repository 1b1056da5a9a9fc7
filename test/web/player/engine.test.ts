import { expect, test } from 'bun:test'
import { signal } from '@preact/signals'
import { createEngine, type Engine, type Media } from '../../../src/web/store/playback/engine.ts'
import type { Playable, PlayerState, Playing } from '../../../src/web/store/playback/playable.ts'
import { createPodcastMemory } from '../../../src/web/store/playback/podcast-memory.ts'
import type { Resume } from '../../../src/web/store/playback/progress.ts'
import type { Report } from '../../../src/web/store/playback/sitting.ts'
import { NO_SKIPS, type Skips } from '../../../src/web/store/playback/skips.ts'
import { createSpeedMemory } from '../../../src/web/store/playback/speeds.ts'

const FOG: Playable = {
  podcast: 'https://feeds.tidewater.example/harbour.xml',
  url: 'https://cdn.tidewater.example/fog.mp3',
  title: 'Fog',
  podcastTitle: 'Harbour Talk',
  duration: 1800,
}
const BELL: Playable = { ...FOG, url: 'http://cdn.tidewater.example/bell.mp3', title: 'Bell' }

/** An audio element whose time is controlled by the test. */
function fakeMedia() {
  const log: string[] = []
  let hear: Engine['hear'] = () => undefined
  const media = {
    currentTime: 0,
    playbackRate: 1,
    duration: Number.NaN,
    paused: true as boolean,
    refuses: false as boolean,
    /** Duration and seekability that the publisher's server reports. */
    length: 1790.4,
    seekable: true as boolean,
    load(url: string) {
      log.push(`load ${url}`)
      media.currentTime = 0
      media.duration = Number.NaN
    },
    unload() {
      log.push('unload')
      media.paused = true
    },
    async play() {
      if (media.refuses) throw Object.assign(new Error('no click'), { name: 'NotAllowedError' })
      media.paused = false
      if (Number.isNaN(media.duration) && !media.seekable) media.currentTime = 0
      media.duration = media.length
      hear('metadata')
      hear('playing')
    },
    pause() {
      if (media.paused) return
      media.paused = true
      hear('pause')
    },
    bufferedEnd: () => 200,
    isSeekable: (): boolean => media.seekable,
    loudness: 1,
    fade(part: number) {
      media.loudness = part
    },
  } satisfies Media & { refuses: boolean; length: number; seekable: boolean; loudness: number }
  return { media, log, listenTo: (engine: Engine) => (hear = engine.hear) }
}

function open({
  resume = undefined as Resume | undefined | Error | 'silent',
  isOnline = true,
  speedsKept = new Map<string, number>(),
  skips = undefined as Skips | undefined,
  docked = undefined as Playing | undefined,
  next = undefined as Playable | undefined,
} = {}) {
  const state = {
    playing: signal(docked),
    position: signal(0),
    total: signal(0),
    isSeekable: signal(true),
    buffered: signal(0),
    speed: signal(1.5),
    usualSpeed: signal(1.5),
    sleep: signal(undefined),
    skips: signal(NO_SKIPS),
  } as PlayerState
  const { media, log, listenTo } = fakeMedia()
  const reports: Report[] = []
  const drafts: (Report | undefined)[] = []
  const timers = new Set<() => void>()
  let time = Date.UTC(2026, 10, 21, 12)
  let flushed = 0
  const engine = createEngine({
    state,
    media,
    outbox: {
      add: (report) => reports.push(report),
      keep: (draft) => drafts.push(draft),
      async flush() {
        flushed++
      },
      async finish() {
        log.push('finish')
        return isOnline
      },
      flushLast: () => log.push('last'),
      latest: () => reports.at(-1),
    },
    speeds: createSpeedMemory(
      state.usualSpeed,
      createPodcastMemory<number>({
        find: async (podcast) => speedsKept.get(podcast),
        async keep(podcast, speed) {
          if (speed === undefined) speedsKept.delete(podcast)
          else speedsKept.set(podcast, speed)
        },
      }),
    ),
    skips: createPodcastMemory<Skips>({
      find: async () => skips,
      async keep(podcast, kept) {
        log.push(`skips ${podcast} ${kept?.intro} ${kept?.outro}`)
      },
    }),
    async findResume() {
      if (resume === 'silent') return new Promise(() => undefined)
      if (resume instanceof Error) throw resume
      return resume
    },
    async findNext({ url }) {
      log.push(`next after ${url}`)
      return next
    },
    onFinished: ({ url }) => log.push(`finished ${url}`),
    announce: () => log.push('announce'),
    now: () => time,
    later(_, work) {
      timers.add(work)
      return () => timers.delete(work)
    },
    isOnline: () => isOnline,
    isSecurePage: true,
  })
  listenTo(engine)
  return {
    ...{ engine, state, media, log, reports, drafts },
    flushes: () => flushed,
    status: () => state.playing.value?.status,
    /** The played parts: `0-10 360-362`. */
    spans: () => reports.map(({ started, position }) => `${started}-${position}`).join(' '),
    listen(seconds: number): void {
      for (let passed = 0; passed < seconds; passed++) {
        time += 1000
        media.currentTime += 1
        engine.hear('timeupdate')
      }
    },
    wait(seconds: number): void {
      time += seconds * 1000
    },
    expire(): void {
      for (const work of [...timers]) {
        timers.delete(work)
        work()
      }
    },
  }
}

test('an episode continues where another device has stopped, and reports its progress', async () => {
  const { engine, state, log, listen, spans, reports, media } = open({ resume: { position: 966, device: 'phone' } })
  await engine.play(FOG)
  expect(log).toEqual([`load ${FOG.url}`, 'announce'])
  expect(media.playbackRate).toBe(1.5)
  expect(state.playing.value).toMatchObject({ status: 'playing', resumed: { position: 966, device: 'phone' } })
  listen(50)
  expect(state.playing.value?.resumed).toBeUndefined()
  engine.pause()
  expect(spans()).toBe('966-1011 1011-1016')
  expect(reports[0]?.total).toBe(1790)
  expect(state.position.value).toBe(1016)
})

test('toggling pauses and resumes, even before the episode is loaded', async () => {
  const { engine, status, log } = open()
  const playing = engine.play(FOG)
  engine.toggle()
  // Nothing is loaded before the position is known.
  expect([status(), log]).toEqual(['paused', []])
  await playing
  expect(status()).toBe('paused')
  await engine.play(FOG)
  expect(status()).toBe('playing')
  engine.toggle()
  expect(status()).toBe('paused')
  engine.toggle()
  expect(status()).toBe('playing')
  expect(log.filter((line) => line.startsWith('load'))).toHaveLength(1)
})

test('the second of two episodes started in a row plays', async () => {
  const { engine, state, log } = open()
  await Promise.all([engine.play(FOG), engine.play(BELL)])
  expect(log).toEqual([`load ${BELL.url}`, 'announce'])
  expect(state.playing.value?.episode.title).toBe('Bell')
})

test('starting another episode ends and reports the previous one', async () => {
  const { engine, listen, reports, log } = open()
  await engine.play(FOG)
  listen(10)
  await engine.play(BELL, 60)
  expect(reports).toMatchObject([{ episode: FOG.url, started: 0, position: 10 }])
  expect(log).toContain('unload')
  listen(5)
  engine.close()
  expect(reports.at(-1)).toMatchObject({ episode: BELL.url, started: 60, position: 65 })
})

test('unsent reports of this browser override the position on the server', async () => {
  const { engine, media, reports } = open({ resume: { position: 5, device: 'phone' } })
  reports.push({ podcast: FOG.podcast, episode: FOG.url, timestamp: '', started: 0, position: 77 })
  await engine.play(FOG)
  expect(media.currentTime).toBe(77)
  engine.close()
  reports.push({ podcast: FOG.podcast, episode: FOG.url, timestamp: '', started: 0, position: 9, total: 9 })
  await engine.play(FOG)
  expect(media.currentTime).toBe(0)
})

test('an episode starts without the server if that does not respond', async () => {
  const { engine, media, expire } = open({ resume: 'silent' })
  const playing = engine.play({ ...FOG, position: 42 })
  await Bun.sleep(0)
  expire()
  await playing
  expect(media.currentTime).toBe(42)
})

test('seeking is reported once, at the final position', async () => {
  const { engine, listen, spans, expire, state } = open()
  await engine.play(FOG)
  listen(10)
  for (const place of [300, 330, 9000, -5, 360]) engine.seek(place)
  expect(state.position.value).toBe(360)
  expect(spans()).toBe('0-10')
  listen(2)
  expire()
  expect(spans()).toBe('0-10 360-362')
  // Even right before the player is closed.
  engine.seek(300)
  await engine.close()
  expire()
  expect(spans()).toBe('0-10 360-362 300-300')
})

test('starting over plays from the beginning', async () => {
  const { engine, media, state, expire, reports } = open({ resume: { position: 966, device: 'phone' } })
  await engine.play(FOG)
  engine.pause()
  engine.startOver()
  expect(media.currentTime).toBe(0)
  expect(state.playing.value).toEqual({ episode: FOG, status: 'playing' })
  expire()
  expect(reports.at(-1)).toMatchObject({ started: 0, position: 0 })
})

test('a duration that becomes known during playback does not interrupt it', async () => {
  const { engine, media, listen } = open()
  await engine.play(FOG)
  listen(60)
  media.duration = 62
  engine.hear('metadata')
  expect(media.currentTime).toBe(60)
})

test('after a long pause, it continues where another device has stopped meanwhile', async () => {
  const parts = open({ resume: { position: 900, device: 'phone' } })
  const { engine, media, state, reports, wait, listen } = parts
  await engine.play(FOG, 100)
  listen(10)
  engine.pause()
  reports.length = 0
  wait(59)
  engine.resume()
  expect(media.currentTime).toBe(110)
  engine.pause()
  wait(60)
  engine.resume()
  expect(state.playing.value?.status).toBe('loading')
  await Bun.sleep(0)
  expect(media.currentTime).toBe(900)
  expect(state.playing.value).toMatchObject({ status: 'playing', resumed: { device: 'phone' } })
})

test('an episode is paused if the browser requires another click for sound', async () => {
  const { engine, media, status } = open()
  media.refuses = true
  await engine.play(FOG)
  expect(status()).toBe('paused')
  media.refuses = false
  engine.resume()
  expect(status()).toBe('playing')
})

test.each([
  ['missing', FOG, true],
  ['insecure', BELL, true],
  ['offline', FOG, false],
] as const)('an error is shown as %s and can be retried', async (failure, episode, isOnline) => {
  const { engine, state, listen, media } = open({ isOnline })
  await engine.play(episode)
  listen(30)
  engine.hear('error')
  expect(state.playing.value).toMatchObject({ status: 'failed', failure })
  engine.resume()
  await Promise.resolve()
  expect(state.playing.value).toMatchObject({ status: 'playing' })
  expect(media.currentTime).toBe(30)
})

test('loading is shown only during playback', async () => {
  const { engine, state, media, status } = open()
  await engine.play(FOG)
  engine.hear('waiting')
  engine.hear('progress')
  expect([status(), state.buffered.value]).toEqual(['loading', 200])
  media.paused = true
  engine.hear('pause')
  engine.hear('waiting')
  expect(status()).toBe('paused')
})

test('a closing page reports its position', async () => {
  const { engine, listen, spans, log, flushes } = open()
  engine.hide()
  await engine.play(FOG)
  listen(10)
  const before = flushes()
  engine.hide()
  engine.seek(500)
  engine.hide()
  expect(spans()).toBe('0-10 500-500')
  expect(log.filter((line) => line === 'last')).toHaveLength(2)
  expect(flushes()).toBe(before)
})

test.each([true, false])(
  'signing out stops playback and returns whether all reports were sent (%p)',
  async (isOnline) => {
    const { engine, listen, spans, state, log } = open({ isOnline })
    await engine.play(FOG)
    listen(10)
    expect(await engine.finish()).toBe(isOnline)
    expect([state.playing.value, spans(), log.slice(-2)]).toEqual([undefined, '0-10', ['unload', 'finish']])
  },
)

test('nothing is sent or played after the session has ended', async () => {
  const { engine, listen, spans, state, flushes, log, media } = open()
  await engine.play(FOG)
  listen(10)
  const before = flushes()
  engine.abandon()
  expect([state.playing.value, flushes(), spans()]).toEqual([undefined, before, '0-10'])
  expect(log.at(-1)).toBe('unload')
  engine.hear('timeupdate')
  engine.seek(5)
  engine.resume()
  engine.startOver()
  expect([state.playing.value, media.currentTime]).toEqual([undefined, 10])
})

test('a speed belongs to its podcast, including the next episode', async () => {
  const speedsKept = new Map([[FOG.podcast, 2]])
  const { engine, media, state } = open({ speedsKept })
  const other = { ...BELL, podcast: 'https://feeds.tidewater.example/kitchen.xml', url: 'https://cdn.example/soup.mp3' }
  await engine.play(FOG)
  await Bun.sleep(0)
  expect([media.playbackRate, state.speed.value]).toEqual([2, 2])
  engine.setSpeed(1.2)
  await engine.play(other)
  await Bun.sleep(0)
  expect(media.playbackRate).toBe(1.5)
  await engine.play(BELL)
  expect(media.playbackRate).toBe(1.2)
  await Bun.sleep(0)
  expect(speedsKept).toEqual(new Map([[FOG.podcast, 1.2]]))

  // The usual speed replaces that of the podcast.
  engine.makeSpeedUsual()
  await engine.play(other)
  await Bun.sleep(0)
  expect([media.playbackRate, state.usualSpeed.value, speedsKept.size]).toEqual([1.2, 1.2, 0])
})

test('a speed chosen before the stored one is loaded stays', async () => {
  const { engine, media } = open({ speedsKept: new Map([[FOG.podcast, 2]]) })
  const playing = engine.play(FOG)
  engine.setSpeed(3)
  await playing
  await Bun.sleep(0)
  expect(media.playbackRate).toBe(3)
})

test('a stream of unknown duration cannot be seeked, and is reported only at its end', async () => {
  const { engine, media, state, listen, spans, expire, drafts } = open()
  media.length = Number.POSITIVE_INFINITY
  await engine.play({ ...FOG, duration: null })
  listen(100)
  expect([state.total.value, state.isSeekable.value, state.position.value]).toEqual([0, false, 100])
  engine.seek(50)
  expire()
  engine.hide()
  expect([media.currentTime, spans(), drafts]).toEqual([100, '', []])

  // At its end, it turns out to be a file.
  media.duration = 100.4
  engine.hear('metadata')
  engine.hear('ended')
  expect([spans(), state.total.value]).toEqual(['0-100', 100.4])
})

test('the end of a live stream is not reported', async () => {
  const { engine, media, listen, spans, status } = open()
  media.length = Number.POSITIVE_INFINITY
  await engine.play({ ...FOG, duration: null })
  listen(100)
  engine.pause()
  engine.resume()
  listen(10)
  engine.hear('ended')
  expect([spans(), status()]).toEqual(['', 'paused'])
})

test('an endless file has the duration of the feed, and fails if it ends early', async () => {
  const { engine, media, state, listen, reports, status } = open()
  media.length = Number.POSITIVE_INFINITY
  await engine.play(FOG)
  listen(60)
  expect([state.total.value, state.isSeekable.value]).toEqual([1800, true])
  media.duration = 60
  engine.hear('metadata')
  engine.hear('pause')
  engine.hear('ended')
  expect([status(), state.total.value]).toEqual(['failed', 1800])
  expect(reports.at(-1)).toMatchObject({ position: 60, total: 1800 })
})

test('a file that cannot be seeked keeps the known position until it is reached', async () => {
  const { engine, media, state, listen, spans } = open({ resume: { position: 60, device: 'phone' } })
  media.seekable = false
  await engine.play(FOG)
  expect(state.playing.value).toMatchObject({ status: 'playing', unreached: 60 })
  expect(state.playing.value?.resumed).toBeUndefined()
  expect([state.isSeekable.value, state.position.value]).toEqual([false, 0])
  // Even after an error.
  listen(20)
  engine.hear('error')
  engine.resume()
  await Bun.sleep(0)
  expect(state.playing.value?.unreached).toBe(60)
  listen(59)
  engine.hide()
  engine.pause()
  expect(spans()).toBe('')
  engine.resume()
  listen(2)
  expect(state.playing.value?.unreached).toBeUndefined()
  engine.pause()
  expect(spans()).toBe('59-61')
})

test('the sleep timer fades out, pauses and reports the position', async () => {
  const { engine, state, listen, expire, spans, status, media } = open()
  await engine.play(FOG)
  engine.setSleep(15)
  listen(10)
  for (let minute = 1; minute < 15; minute++) expire()
  expect([state.sleep.value, status(), media.loudness]).toEqual([{ choice: 15, minutesLeft: 1 }, 'playing', 1])
  const heard: number[] = []
  for (let step = 0; step < 20; step++) {
    expire()
    heard.push(media.loudness)
  }
  expect([heard[0], heard[9], heard[19], status()]).toEqual([1, 0.55, 0.05, 'playing'])
  expire()
  expect([state.sleep.value, status(), spans()]).toEqual([undefined, 'paused', '0-10'])
  expire()
  engine.resume()
  expect([status(), media.loudness]).toEqual(['playing', 1])
})

test('the sleep timer can be changed and turned off, even while fading, and ends with the player', async () => {
  const { engine, state, expire, status, media } = open()
  await engine.play(FOG)
  engine.setSleep(1)
  for (let step = 0; step < 10; step++) expire()
  expect(media.loudness).toBeLessThan(1)
  engine.setSleep(undefined)
  expire()
  expect([media.loudness, status()]).toEqual([1, 'playing'])
  engine.setSleep(15)
  engine.setSleep(60)
  expire()
  expect(state.sleep.value).toEqual({ choice: 60, minutesLeft: 59 })
  await engine.play(BELL)
  expect(state.sleep.value).toEqual({ choice: 60, minutesLeft: 59 })
  engine.setSleep('end')
  expect(state.sleep.value).toEqual({ choice: 'end', minutesLeft: undefined })
  await engine.play(FOG)
  expect(state.sleep.value).toBeUndefined()
  engine.setSleep('end')
  engine.hear('ended')
  expect(state.sleep.value).toBeUndefined()
  engine.setSleep(30)
  await engine.close()
  expect(state.sleep.value).toBeUndefined()
})

const INTRO: Skips = { intro: 30, outro: 0 }
const resumeAt = (position: number): Resume => ({ position, device: 'phone' })

test.each<[string, Parameters<typeof open>[0], Playable, number | undefined, number]>([
  ['after its intro', { skips: INTRO }, FOG, undefined, 30],
  ['at its position, even in the intro', { skips: INTRO, resume: resumeAt(12) }, FOG, undefined, 12],
  ['at the requested position', { skips: INTRO }, FOG, 5, 5],
  ['at the beginning if skips would leave nothing', { skips: { intro: 1000, outro: 800 } }, FOG, undefined, 0],
  ['at the beginning if it stopped at the end', { resume: resumeAt(1789) }, FOG, undefined, 0],
  [
    'at the position on the page if the server fails',
    { resume: new Error('offline') },
    { ...FOG, position: 42 },
    undefined,
    42,
  ],
  ['at the beginning if no position is known', { resume: new Error('offline') }, FOG, undefined, 0],
])('an episode starts %s', async (_case, options, episode, from, place) => {
  const { engine, media } = open(options)
  await engine.play(episode, from)
  expect(media.currentTime).toBe(place)
})

test('an episode ends at its outro and counts as played', async () => {
  const { engine, media, state, listen, spans, status } = open({ skips: { intro: 0, outro: 60 } })
  await engine.play(FOG, 1725)
  await Bun.sleep(0)
  listen(6)
  expect(media.currentTime).toBe(1790.4)
  engine.hear('ended')
  expect([status(), state.position.value]).toEqual(['paused', 1790.4])
  expect(spans()).toBe('1725-1731 1790-1790')
})

test('seeking into the outro plays it', async () => {
  const { engine, media, listen } = open({ skips: { intro: 0, outro: 60 } })
  await engine.play(FOG, 100)
  engine.seek(1760)
  listen(10)
  expect(media.currentTime).toBe(1770)
})

test('skips are stored for the podcast and apply to its next episode at once', async () => {
  const { engine, log, media } = open()
  await engine.play(FOG)
  engine.setSkips({ intro: 20, outro: 0 })
  await engine.play({ ...BELL, position: undefined })
  expect(log).toContain(`skips ${FOG.podcast} 20 0`)
  expect(media.currentTime).toBe(0)
})

const DOCKED: Playing = { episode: FOG, status: 'paused' }

test.each<[string, (engine: Engine) => unknown, Playable, number]>([
  ['loaded when it is resumed', (engine) => engine.toggle(), FOG, 900],
  ['played from the position sought before', (engine) => [engine.seek(300), engine.resume()], FOG, 300],
  ['replaced by another', (engine) => engine.play(BELL), BELL, 900],
])('an episode restored after a reload is %s', async (_case, act, { url }, place) => {
  const { engine, log, media, state, status } = open({ docked: DOCKED, resume: resumeAt(900) })
  expect(log).toEqual([])
  await act(engine)
  await Bun.sleep(0)
  expect([log, media.currentTime, status()]).toEqual([[`load ${url}`, 'announce'], place, 'playing'])
  expect(state.position.value).toBe(place)
})

test.each<[string, Playable | undefined, (engine: Engine) => unknown, Playable | undefined, string, number]>([
  ['the next one plays', BELL, () => undefined, BELL, 'playing', 0],
  ['the player stays if there is none', undefined, () => undefined, FOG, 'paused', 1790.4],
  ['the user may play it again', undefined, (engine) => engine.resume(), FOG, 'playing', 0],
  ['the user may seek before the next one starts', BELL, (engine) => engine.seek(100), FOG, 'paused', 100],
  ['the user may start over before the next one starts', BELL, (engine) => engine.resume(), FOG, 'playing', 0],
  ['the user may close the player', BELL, (engine) => void engine.close(), undefined, 'closed', 1790.4],
])('at the end of an episode, which is reported, %s', async (_case, next, act, episode, status, place) => {
  const { engine, media, state, listen, reports, log } = open({ next })
  await engine.play(FOG, 1780)
  listen(10)
  media.currentTime = media.duration
  media.paused = true
  for (const event of ['timeupdate', 'pause', 'ended'] as const) engine.hear(event)
  expect(reports).toMatchObject([{ episode: FOG.url, started: 1780, position: 1790, total: 1790 }])
  act(engine)
  await Bun.sleep(0)
  expect([state.playing.value?.episode, state.playing.value?.status ?? 'closed']).toEqual([episode, status])
  expect(media.currentTime).toBe(place)
  expect(log).toContain(`finished ${FOG.url}`)
})

test('a sleep timer for the end of the episode prevents the next one', async () => {
  const { engine, state } = open({ next: BELL })
  await engine.play(FOG)
  engine.setSleep('end')
  engine.hear('ended')
  await Bun.sleep(0)
  expect(state.playing.value).toMatchObject({ episode: FOG, status: 'paused' })
})

test('the next button plays the next episode and reports the position in this one', async () => {
  const player = open({ next: BELL })
  await player.engine.play(FOG)
  player.media.currentTime = 70
  player.engine.hear('timeupdate')
  await player.engine.next()
  expect(player.state.playing.value).toMatchObject({ episode: BELL, status: 'playing' })
  expect(player.reports).toMatchObject([{ episode: FOG.url, started: 0, position: 70 }])
})
