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

/** An audio element in which time passes when the test says so. */
function fakeMedia() {
  const log: string[] = []
  let hear: Engine['hear'] = () => undefined
  const media = {
    currentTime: 0,
    playbackRate: 1,
    duration: Number.NaN,
    paused: true as boolean,
    refuses: false as boolean,
    /** What the publisher's server says of the file. */
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
    spans: () => reports.map(({ started, position }) => [started, position]),
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

test('an episode goes on where another device has stopped, and this one tells how far it gets', async () => {
  const { engine, state, log, listen, spans, reports, media } = open({ resume: { position: 966, device: 'phone' } })
  await engine.play(FOG)
  expect(log).toEqual([`load ${FOG.url}`, 'announce'])
  expect(media.playbackRate).toBe(1.5)
  expect(state.playing.value).toMatchObject({ status: 'playing', resumed: { position: 966, device: 'phone' } })
  listen(50)
  expect(state.playing.value?.resumed).toBeUndefined()
  engine.pause()
  expect(spans()).toEqual([
    [966, 1011],
    [1011, 1016],
  ])
  expect(reports[0]?.total).toBe(1790)
  expect(state.position.value).toBe(1016)
})

test('pressed twice, it pauses and goes on, also while it is not there yet', async () => {
  const { engine, status, log } = open()
  const playing = engine.play(FOG)
  engine.toggle()
  // Nothing is loaded before the server has said where to begin.
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

test('of two episodes that are pressed one after the other, the second one plays', async () => {
  const { engine, state, log } = open()
  await Promise.all([engine.play(FOG), engine.play(BELL)])
  expect(log).toEqual([`load ${BELL.url}`, 'announce'])
  expect(state.playing.value?.episode.title).toBe('Bell')
})

test('another episode ends the one before, which is reported', async () => {
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

test('what this browser could not send yet is newer than what the server knows', async () => {
  const { engine, media, reports } = open({ resume: { position: 5, device: 'phone' } })
  reports.push({ podcast: FOG.podcast, episode: FOG.url, timestamp: '', started: 0, position: 77 })
  await engine.play(FOG)
  expect(media.currentTime).toBe(77)
  engine.close()
  reports.push({ podcast: FOG.podcast, episode: FOG.url, timestamp: '', started: 0, position: 9, total: 9 })
  await engine.play(FOG)
  expect(media.currentTime).toBe(0)
})

test('a server that does not answer is not waited for', async () => {
  const { engine, media, expire } = open({ resume: 'silent' })
  const playing = engine.play({ ...FOG, position: 42 })
  await Bun.sleep(0)
  expire()
  await playing
  expect(media.currentTime).toBe(42)
})

test('a place that was sought is reported once the user has found it', async () => {
  const { engine, listen, spans, expire, state } = open()
  await engine.play(FOG)
  listen(10)
  for (const place of [300, 330, 9000, -5, 360]) engine.seek(place)
  expect(state.position.value).toBe(360)
  expect(spans()).toEqual([[0, 10]])
  listen(2)
  expire()
  expect(spans()).toEqual([
    [0, 10],
    [360, 362],
  ])
  // Also right before the player is closed.
  engine.seek(300)
  await engine.close()
  expire()
  expect(spans().slice(2)).toEqual([[300, 300]])
})

test('start over goes to the beginning', async () => {
  const { engine, media, state, expire, reports } = open({ resume: { position: 966, device: 'phone' } })
  await engine.play(FOG)
  engine.pause()
  engine.startOver()
  expect(media.currentTime).toBe(0)
  expect(state.playing.value).toEqual({ episode: FOG, status: 'playing' })
  expire()
  expect(reports.at(-1)).toMatchObject({ started: 0, position: 0 })
})

test('a file whose length is learnt while it plays goes on, also close to the end of what has come', async () => {
  const { engine, media, listen } = open()
  await engine.play(FOG)
  listen(60)
  media.duration = 62
  engine.hear('metadata')
  expect(media.currentTime).toBe(60)
})

test('after a long pause it goes on where another device has stopped meanwhile', async () => {
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

test('a browser that wants another click for sound gets it', async () => {
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
] as const)('an error is told as %s, and can be tried again', async (failure, episode, isOnline) => {
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

test('waiting for data is shown while it plays only', async () => {
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

test('a page that goes tells how far it has come', async () => {
  const { engine, listen, spans, log, flushes } = open()
  engine.hide()
  await engine.play(FOG)
  listen(10)
  const before = flushes()
  engine.hide()
  engine.seek(500)
  engine.hide()
  expect(spans()).toEqual([
    [0, 10],
    [500, 500],
  ])
  expect(log.filter((line) => line === 'last')).toHaveLength(2)
  expect(flushes()).toBe(before)
})

test.each([true, false])('a user who signs out ends playing, and learns whether all was sent: %p', async (isOnline) => {
  const { engine, listen, spans, state, log } = open({ isOnline })
  await engine.play(FOG)
  listen(10)
  expect(await engine.finish()).toBe(isOnline)
  expect([state.playing.value, spans(), log.slice(-2)]).toEqual([undefined, [[0, 10]], ['unload', 'finish']])
})

test('after the session has ended nothing is sent, and nothing plays', async () => {
  const { engine, listen, spans, state, flushes, log, media } = open()
  await engine.play(FOG)
  listen(10)
  const before = flushes()
  engine.abandon()
  expect([state.playing.value, flushes(), spans()]).toEqual([undefined, before, [[0, 10]]])
  expect(log.at(-1)).toBe('unload')
  engine.hear('timeupdate')
  engine.seek(5)
  engine.resume()
  engine.startOver()
  expect([state.playing.value, media.currentTime]).toEqual([undefined, 10])
})

test('a speed is that of its podcast, for the next episode of it as well', async () => {
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

  // From now on all play like this one, which needs no speed of its own any more.
  engine.makeSpeedUsual()
  await engine.play(other)
  await Bun.sleep(0)
  expect([media.playbackRate, state.usualSpeed.value, speedsKept.size]).toEqual([1.2, 1.2, 0])
})

test('a speed that is chosen before the server has told the old one stays', async () => {
  const { engine, media } = open({ speedsKept: new Map([[FOG.podcast, 2]]) })
  const playing = engine.play(FOG)
  engine.setSpeed(3)
  await playing
  await Bun.sleep(0)
  expect(media.playbackRate).toBe(3)
})

test('a stream without a length has no places, and none are reported until its end tells them', async () => {
  const { engine, media, state, listen, spans, expire, drafts } = open()
  media.length = Number.POSITIVE_INFINITY
  await engine.play({ ...FOG, duration: null })
  listen(100)
  expect([state.total.value, state.isSeekable.value, state.position.value]).toEqual([0, false, 100])
  engine.seek(50)
  expire()
  engine.hide()
  expect([media.currentTime, spans(), drafts]).toEqual([100, [], []])

  // It was a file after all.
  media.duration = 100.4
  engine.hear('metadata')
  engine.hear('ended')
  expect([spans(), state.total.value]).toEqual([[[0, 100]], 100.4])
})

test('a live stream that ends is nothing that was played', async () => {
  const { engine, media, listen, spans, status } = open()
  media.length = Number.POSITIVE_INFINITY
  await engine.play({ ...FOG, duration: null })
  listen(100)
  engine.pause()
  engine.resume()
  listen(10)
  engine.hear('ended')
  expect([spans(), status()]).toEqual([[], 'paused'])
})

test('an episode without a length of its own has that of the feed; where it breaks off it is not finished', async () => {
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

test('a publisher who sends from the beginning only does not cost the place that is known', async () => {
  const { engine, media, state, listen, spans } = open({ resume: { position: 60, device: 'phone' } })
  media.seekable = false
  await engine.play(FOG)
  expect(state.playing.value).toMatchObject({ status: 'playing', unreached: 60 })
  expect(state.playing.value?.resumed).toBeUndefined()
  expect([state.isSeekable.value, state.position.value]).toEqual([false, 0])
  listen(59)
  engine.hide()
  engine.pause()
  expect(spans()).toEqual([])
  engine.resume()
  listen(2)
  expect(state.playing.value?.unreached).toBeUndefined()
  engine.pause()
  expect(spans()).toEqual([[59, 61]])
})

test('after a failure the known place is still the one to reach', async () => {
  const { engine, media, state, listen, spans } = open({ resume: { position: 60, device: 'phone' } })
  media.seekable = false
  await engine.play(FOG)
  listen(20)
  engine.hear('error')
  engine.resume()
  await Bun.sleep(0)
  listen(20)
  engine.pause()
  expect([state.playing.value?.unreached, spans()]).toEqual([60, []])
})

test('playing ends after the minutes that were asked for, softly, and the place is reported', async () => {
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
  expect([state.sleep.value, status(), spans()]).toEqual([undefined, 'paused', [[0, 10]]])
  expire()
  engine.resume()
  expect([status(), media.loudness]).toEqual(['playing', 1])
})

test('the sleep timer can be changed and turned off, even while the sound fades, and ends with the player', async () => {
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
  ['where it was, also in its intro', { skips: INTRO, resume: resumeAt(12) }, FOG, undefined, 12],
  ['where it is asked to', { skips: INTRO }, FOG, 5, 5],
  ['at its beginning if skips would leave nothing', { skips: { intro: 1000, outro: 800 } }, FOG, undefined, 0],
  ['at its beginning if it stopped at the end of the file', { resume: resumeAt(1789) }, FOG, undefined, 0],
  [
    'where the page says if the server fails',
    { resume: new Error('offline') },
    { ...FOG, position: 42 },
    undefined,
    42,
  ],
  ['at its beginning if nobody knows more', { resume: new Error('offline') }, FOG, undefined, 0],
])('an episode begins %s', async (_case, options, episode, from, place) => {
  const { engine, media } = open(options)
  await engine.play(episode, from)
  expect(media.currentTime).toBe(place)
})

test('an episode ends at its outro, and counts as played', async () => {
  const { engine, media, state, listen, spans, status } = open({ skips: { intro: 0, outro: 60 } })
  await engine.play(FOG, 1725)
  await Bun.sleep(0)
  listen(6)
  expect(media.currentTime).toBe(1790.4)
  engine.hear('ended')
  expect([status(), state.position.value]).toEqual(['paused', 1790.4])
  expect(spans()).toEqual([
    [1725, 1731],
    [1790, 1790],
  ])
})

test('a place that is sought in the outro is played', async () => {
  const { engine, media, listen } = open({ skips: { intro: 0, outro: 60 } })
  await engine.play(FOG, 100)
  engine.seek(1760)
  listen(10)
  expect(media.currentTime).toBe(1770)
})

test('what is left out is kept for the podcast, and known for its next episode at once', async () => {
  const { engine, log, media } = open()
  await engine.play(FOG)
  engine.setSkips({ intro: 20, outro: 0 })
  await engine.play({ ...BELL, position: undefined })
  expect(log).toContain(`skips ${FOG.podcast} 20 0`)
  expect(media.currentTime).toBe(0)
})

const DOCKED: Playing = { episode: FOG, status: 'paused' }

test.each<[string, (engine: Engine) => unknown, Playable, number]>([
  ['loaded when it is played', (engine) => engine.toggle(), FOG, 900],
  ['played from a place that was sought before', (engine) => [engine.seek(300), engine.resume()], FOG, 300],
  ['replaced by another one', (engine) => engine.play(BELL), BELL, 900],
])('an episode that was in the player before a reload is %s', async (_case, act, { url }, place) => {
  const { engine, log, media, state, status } = open({ docked: DOCKED, resume: resumeAt(900) })
  expect(log).toEqual([])
  await act(engine)
  await Bun.sleep(0)
  expect([log, media.currentTime, status()]).toEqual([[`load ${url}`, 'announce'], place, 'playing'])
  expect(state.position.value).toBe(place)
})

test.each<[string, Playable | undefined, (engine: Engine) => unknown, Playable | undefined, string, number]>([
  ['the next one plays', BELL, () => undefined, BELL, 'playing', 0],
  ['the player stays there without a next one', undefined, () => undefined, FOG, 'paused', 1790.4],
  ['it begins again if the user wants to', undefined, (engine) => engine.resume(), FOG, 'playing', 0],
  ['the user may seek before the next one', BELL, (engine) => engine.seek(100), FOG, 'paused', 100],
  ['the user may start over before the next one', BELL, (engine) => engine.resume(), FOG, 'playing', 0],
  ['the user may close the player', BELL, (engine) => void engine.close(), undefined, 'closed', 1790.4],
])('at the end of an episode %s, and the end is reported', async (_case, next, act, episode, status, place) => {
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

test('a sleep timer for the end of the episode lets no other one begin', async () => {
  const { engine, state } = open({ next: BELL })
  await engine.play(FOG)
  engine.setSleep('end')
  engine.hear('ended')
  await Bun.sleep(0)
  expect(state.playing.value).toMatchObject({ episode: FOG, status: 'paused' })
})

test('the next button plays the next episode, and keeps the place in this one', async () => {
  const player = open({ next: BELL })
  await player.engine.play(FOG)
  player.media.currentTime = 70
  player.engine.hear('timeupdate')
  await player.engine.next()
  expect(player.state.playing.value).toMatchObject({ episode: BELL, status: 'playing' })
  expect(player.reports).toMatchObject([{ episode: FOG.url, started: 0, position: 70 }])
})
