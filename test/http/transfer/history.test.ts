import { expect, test } from 'bun:test'
import { tempDirs } from '../../store/temp-dir.ts'
import { recordAt } from '../../support/openapi.ts'
import { type ImportWorld, importFile, openServer } from './scene.ts'

const FEED = 'https://feeds.example/harbour'
const OTHER = 'https://feeds.example/fog'
const ACTIONS = '/api/2/episodes/ida.json'
const DAY = 24 * 3600
/** 2025-03-02T10:00:00 UTC, when tests begin. */
const T = 1_740_909_600
const dirs = tempDirs()

const KEEPS_A_MONTH = { settings: { actions_keep_days: '30' } }

/** A report of a device after so many minutes, of the minute before. */
function play(minute: number, { podcast = FEED, episode = 'fog', ...fields }: Readonly<Record<string, unknown>> = {}) {
  return {
    ...{ podcast, episode: `https://cdn.example/${episode}.mp3`, device: 'phone', action: 'play' },
    ...{ timestamp: new Date((T + minute * 60) * 1000).toISOString().slice(0, 19) },
    ...{ started: minute * 60, position: (minute + 1) * 60, total: 7200, ...fields },
  }
}

async function pass({ app }: ImportWorld, days: number): Promise<void> {
  app.clock.advance(days * DAY)
  app.jobs.find(({ name }) => name === 'history')?.run()
  await app.idle()
}

/** All of the archive but who has written it and when. */
async function archiveOf({ ida }: ImportWorld) {
  const text = (await ida.get('/api/2/me/export')).text
  const { exported: _exported, account: _account, ...rest } = recordAt(JSON.parse(text))
  return { text, rest }
}

async function heardIn({ ida }: ImportWorld, from = '2025-03-01', to = '2025-03-05') {
  return recordAt((await ida.get(`/api/2/me/listening?from=${from}&to=${to}`)).json)
}

/** Minutes until half past eleven in the evening of the next day. */
const NIGHT = 24 * 60 + 810

/** A sitting of an hour that has been superseded for longer than a month, and the one at midnight that did it. */
async function openWithHistory(): Promise<ImportWorld> {
  const world = await openServer(dirs.make(), KEEPS_A_MONTH)
  const minutes = Array.from({ length: 60 }, (_, minute) => minute)
  await world.ida.put('/subscriptions/ida/phone.json', [FEED, OTHER])
  for (const podcast of [FEED, OTHER])
    await world.ida.post(
      ACTIONS,
      minutes.map((minute) => play(minute, { podcast })),
    )
  world.app.clock.advance(2 * DAY)
  await world.ida.post(
    ACTIONS,
    minutes.map((minute) => play(minute + NIGHT, { started: minute * 60, position: minute * 60 + 60 })),
  )
  await pass(world, 2)
  await pass(world, 40)
  return world
}

test('what statistics know of a history that is gone moves along, and the archive of the new server is the same', async () => {
  const here = await openWithHistory()
  const heard = await heardIn(here)
  const { text, rest } = await archiveOf(here)
  expect(heard['minutes']).toBe(180)
  expect(rest['episode_actions']).toHaveLength(2)
  expect(rest['heard']).not.toEqual([])

  const there = await openServer(dirs.make(), KEEPS_A_MONTH)
  there.app.clock.advance(43 * DAY)
  const report = await importFile(there, text)
  expect(report).toMatchObject({ state: 'done', skipped: [] })
  expect(await heardIn(there)).toEqual(heard)
  expect((await archiveOf(there)).rest).toEqual(rest)

  const clock = there.app.db.query('SELECT clock FROM users').all()
  expect(await importFile(there, text)).toMatchObject({
    counts: expect.arrayContaining([
      { what: 'episode_actions', imported: 0, present: 2, skipped: 0 },
      { what: 'heard', imported: 0, present: [rest['heard']].flat().length, skipped: 0 },
    ]),
  })
  expect(there.app.db.query('SELECT clock FROM users').all()).toEqual(clock)
  expect((await archiveOf(there)).rest).toEqual(rest)
})

test('a report of a sitting that an app sends again after the move is known there, too', async () => {
  const here = await openWithHistory()
  const there = await openServer(dirs.make(), KEEPS_A_MONTH)
  there.app.clock.advance(43 * DAY)
  await importFile(there, (await archiveOf(here)).text)
  const before = (await there.ida.get(ACTIONS)).json
  await there.ida.post(ACTIONS, [play(NIGHT + 20, { started: 20 * 60, position: 21 * 60 })])
  expect((await there.ida.get(ACTIONS)).json).toEqual(before)
})

test('many stretches of one second are told in an order that every server has', async () => {
  const world = await openServer(dirs.make(), KEEPS_A_MONTH)
  const episodes = Array.from({ length: 700 }, (_, n) => `${(n * 389) % 700}`)
  const at = (minute: number, started: number) =>
    episodes.map((episode) => play(minute, { episode, started, position: started + 10 }))
  for (const [minute, started] of [
    [0, 0],
    [0, 100],
    [1, 50],
    [600, 200],
  ] as const)
    await world.ida.post(ACTIONS, at(minute, started))
  await pass(world, 2)
  await pass(world, 40)
  const { text, rest } = await archiveOf(world)
  const heard = [rest['heard']].flat().map((each) => JSON.stringify(each))
  expect([heard.length > 1400, new Set(heard).size]).toEqual([true, heard.length])
  const there = await openServer(dirs.make(), KEEPS_A_MONTH)
  there.app.clock.advance(43 * DAY)
  await importFile(there, text)
  expect((await archiveOf(there)).rest['heard']).toEqual(rest['heard'])
})

test('what no action is known of, what cannot have been heard and what is no sitting is left out', async () => {
  const world = await openServer(dirs.make())
  const action = play(0)
  const { podcast, episode, timestamp } = action
  const stretch = { podcast, episode, timestamp, from: 0, to: 60 }
  const archive = {
    ...{ format: 'podstep account', version: 1 },
    episode_actions: [
      7,
      { since: '2025-03-02T09:00:00', heard_from: 30 },
      { since: '2025-03-02T09:00:00' },
      { since: '2025-03-02T09:00:00', heard_from: 61 },
      { since: '2025-03-02T11:00:00' },
      { since: '2025-03-01T09:00:00' },
      { since: 'long ago' },
      { since: '' },
    ].map((sitting, n) => ({ ...action, device: `d${n}`, sitting })),
    heard: [
      stretch,
      { ...stretch, episode: 'https://cdn.example/nobody.mp3' },
      { ...stretch, to: 0 },
      { ...stretch, from: -1 },
      { ...stretch, to: 1e6 },
      { ...stretch, to: '60' },
      { ...stretch, timestamp: 'x' },
      { ...stretch, podcast: 'x' },
      { from: 0, to: 1 },
      7,
    ],
  }
  const report = await importFile(world, JSON.stringify(archive))
  expect(report).toMatchObject({
    counts: [
      { what: 'episode_actions', imported: 8, present: 0, skipped: 0 },
      { what: 'heard', imported: 1, present: 0, skipped: 9 },
    ],
    skipped: [
      {
        what: 'heard',
        reason: 'there is no action of the episode',
        count: 1,
        examples: [`${podcast} https://cdn.example/nobody.mp3`],
      },
      { what: 'heard', reason: 'the archive is damaged here', count: 8 },
    ],
  })
  const { rest } = await archiveOf(world)
  expect(rest['heard']).toEqual([stretch])
  expect([rest['episode_actions']].flat().map((each) => recordAt(each)['sitting'])).toEqual([
    undefined,
    { since: '2025-03-02T09:00:00', heard_from: 30 },
    { since: '2025-03-02T09:00:00' },
    ...Array.from({ length: 5 }, () => undefined),
  ])
})
