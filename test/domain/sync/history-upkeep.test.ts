import { describe, expect, test } from 'bun:test'
import { beginRemovalPlan, planFolding } from '../../../src/domain/sync/history/plans.ts'
import { createHistoryUpkeep } from '../../../src/domain/sync/history/upkeep.ts'
import type { HistoryAction, HistoryStore } from '../../../src/domain/sync/ports/history.ts'
import { createLog } from '../../../src/platform/log.ts'
import { startTestApp } from '../../support/app.ts'
import { signUp } from '../../support/client.ts'
import { fakeClock } from '../../support/clock.ts'

const ACTIONS = '/api/2/episodes/ida.json'
const FEED = 'https://feeds.example/harbour'
const MINUTE = 60
const DAY = 24 * 3600
/** 2025-03-02T10:00:00 UTC, when tests begin. */
const T = 1_740_909_600

async function open(settings: Record<string, string> = {}) {
  const app = startTestApp({ settings: { log_level: 'info', ...settings } })
  const ida = await signUp(app)
  const timeOf = (minutes: number) => new Date((T + minutes * MINUTE) * 1000).toISOString().slice(0, 19)
  return {
    app,
    ida,
    /** A report of the phone after so many minutes, as an app sends one each minute. */
    play: (minute: number, fields: object = {}) => ({
      ...{ podcast: FEED, episode: 'https://cdn.example/fog.mp3', device: 'phone', action: 'play' },
      ...{
        timestamp: timeOf(minute),
        started: minute * MINUTE,
        position: (minute + 1) * MINUTE,
        total: 7200,
        ...fields,
      },
    }),
    upload: async (actions: readonly unknown[]) =>
      Number(Reflect.get(Object((await ida.post(ACTIONS, actions)).json), 'timestamp')),
    actions: async (query = ''): Promise<Record<string, unknown>[]> =>
      Reflect.get(Object((await ida.get(`${ACTIONS}${query}`)).json), 'actions'),
    timestamp: async () => Reflect.get(Object((await ida.get(ACTIONS)).json), 'timestamp'),
    heard: async () => (await ida.get('/api/2/me/listening?from=2025-03-01&to=2025-03-04')).json,
    async pass(days: number): Promise<void> {
      app.clock.advance(days * DAY)
      app.jobs.find(({ name }) => name === 'history')?.run()
      await app.idle()
    },
  }
}

test('the reports of a sitting are one a day later, and minutes, state and clock are what they were', async () => {
  const { app, play, upload, actions, timestamp, heard, pass } = await open()
  let middle = 0
  for (let minute = 0; minute < 60; minute++) {
    app.clock.advance(MINUTE)
    const seen = await upload([play(minute)])
    if (minute === 29) middle = seen
  }
  const before = { minutes: await heard(), clock: await timestamp() }
  await pass(0.5)
  expect(await actions()).toHaveLength(60)
  await pass(1)
  const [only, ...others] = await actions()
  expect(others).toEqual([])
  expect(only).toEqual(play(59, { started: 0 }))
  expect(await actions('?aggregated=true')).toEqual([only ?? {}])
  // A client that has read the first half is told how far it is by now.
  expect(await actions(`?since=${middle}`)).toEqual([only ?? {}])
  expect({ minutes: await heard(), clock: await timestamp() }).toEqual(before)
  expect(app.logs.some((line) => line.includes('"folded":59'))).toBe(true)

  // An app that sends the same ones again for days changes nothing.
  await upload([play(3), play(58), play(59)])
  expect([await actions(), await timestamp()]).toEqual([[only ?? {}], before.clock])
  await pass(2)
  expect(await actions()).toHaveLength(1)
  // What it goes on with does.
  await upload([
    play(60, { position: 100 * MINUTE }),
    play(20, { started: 0, position: 5000, timestamp: '2025-03-02T10:20:00' }),
  ])
  expect(await actions()).toHaveLength(3)
})

test('superseded actions stay for ever, or go after so many days and leave their minutes', async () => {
  for (const days of [0, 30]) {
    const { play, upload, actions, heard, pass } = await open({ actions_keep_days: String(days) })
    await upload([play(0, { action: 'download' }), play(1), play(200), play(1, { device: 'desk' }), play(400)])
    await upload([play(500, { action: 'delete' }), play(501, { action: 'delete' })])
    const before = [await heard(), await actions('?aggregated=true'), await actions('?device=desk&aggregated=true')]
    await pass(29)
    expect(await actions()).toHaveLength(7)
    await pass(2)
    expect(await actions()).toHaveLength(days === 0 ? 7 : 4)
    expect([
      ...[await heard(), await actions('?aggregated=true'), await actions('?device=desk&aggregated=true')],
    ]).toEqual(before)
  }
})

test('what was heard goes with the account', async () => {
  const { app, ida, play, upload, pass } = await open({ actions_keep_days: '1' })
  await signUp(app, 'admin')
  await upload([play(1), play(200)])
  await pass(3)
  const heard = () =>
    app.db.query('SELECT COUNT(*), (SELECT COUNT(*) FROM heard_episodes) FROM heard_stretches').values()
  expect(heard()).toEqual([[1, 1]])
  app.db.run('UPDATE users SET is_admin = 1')
  const { status } = await ida.call('DELETE', '/api/2/me', { body: { password: 'seaglass' } })
  expect(status).toBe(200)
  await app.idle()
  app.jobs.find(({ name }) => name === 'housekeeping')?.run()
  await app.idle()
  expect(heard()).toEqual([[0, 0]])
})

test('numbers that are used again are looked at again', async () => {
  const { app, play, upload, actions, pass } = await open()
  app.db.run(`INSERT INTO upkeep (task, version) VALUES ('history_folding', 1000000)`)
  await upload([play(0)])
  await upload([play(1)])
  await upload([play(2)])
  await pass(0.1)
  expect(await actions()).toHaveLength(3)
  app.db.run(`UPDATE upkeep SET version = 0 WHERE task = 'history_folding'`)
  await pass(2)
  expect(await actions()).toHaveLength(1)
})

describe('a run', () => {
  const log = createLog({ level: 'error', format: 'json', write: () => undefined })
  /** Says that there is something to do for ever, and counts how often it was done. */
  function endless(onRewrite: () => void | Promise<void>): HistoryStore {
    let done = 0
    return {
      lastBefore: async () => 1000,
      doneUntil: async () => done,
      async noteDone(_task, until) {
        done = until
      },
      nextEpisodes: async (after) => ({ until: after + 1, ofUsers: [{ userId: 1 as never, userEpisodeIds: [1] }] }),
      async rewrite() {
        await onRewrite()
        return 1
      },
    }
  }

  test('ends when the server stops', async () => {
    let count = 0
    const upkeep = createHistoryUpkeep({
      store: endless(() => {
        count++
        if (count === 3) upkeep.stop()
      }),
      ...{ keepDays: 5, clock: fakeClock(), log },
    })
    await upkeep.run()
    expect(count).toBe(3)
  })

  test('is not begun while another one is under way', async () => {
    let count = 0
    const upkeep = createHistoryUpkeep({
      store: endless(async () => {
        count++
        await upkeep.run()
        upkeep.stop()
      }),
      ...{ keepDays: 0, clock: fakeClock(), log },
    })
    await upkeep.run()
    expect(count).toBe(1)
  })
})

/** A play of so many seconds from `started` on, which ends at `at`. */
function played(
  id: number,
  at: number,
  started: number | undefined,
  position: number,
  fields: Partial<HistoryAction> = {},
) {
  const nothing = { heardFrom: undefined, foldedSince: undefined, total: 7200 }
  return { id, deviceId: 1, kind: 'play' as const, at, started, position, ...nothing, ...fields }
}

describe('reports that are no sitting stay', () => {
  test.each<[string, HistoryAction[]]>([
    ['of two devices', [played(1, 0, 0, 60), played(2, 60, 60, 120, { deviceId: 2 })]],
    ['after a pause', [played(1, 0, 0, 60), played(2, 3601, 60, 120)]],
    ['going back', [played(1, 0, 0, 60), played(2, 60, 0, 30)]],
    ['uploaded the other way round', [played(2, 0, 0, 60), played(1, 60, 60, 120)]],
    ['without a position', [played(1, 0, 0, 60), { ...played(2, 60, 60, 120), position: undefined }]],
    [
      'before and after something else',
      [played(1, 0, 0, 60), played(2, 5, undefined, 0, { kind: 'new' }), played(3, 60, 60, 90)],
    ],
    ['of half a day', [played(1, 43_000, 0, 60, { foldedSince: 0 }), played(2, 43_201, 60, 120)]],
  ])('%s', (_what, actions) => {
    expect(planFolding(actions.toReversed())).toEqual({ removed: new Set(), changed: new Map(), heard: [] })
  })
})

describe('what was heard of a sitting', () => {
  test('in one quarter of an hour is one stretch', () => {
    const { changed, heard } = planFolding([played(2, 120, 60, 120), played(1, 60, 0, 60)])
    expect(heard).toEqual([])
    expect(changed.get(2)).toEqual(played(2, 120, 0, 120, { foldedSince: 60 }))
  })

  test('before midnight, wherever that is, stays before it', () => {
    const { changed, heard } = planFolding([played(2, 910, 60, 120), played(1, 890, 0, 60)])
    expect(heard).toEqual([{ at: 890, from: 0, to: 60 }])
    expect(changed.get(2)).toEqual(played(2, 910, 0, 120, { foldedSince: 890, heardFrom: 60 }))
  })

  test('does not get what was skipped', () => {
    const { changed, heard } = planFolding([played(2, 120, 600, 660), played(1, 60, 0, 60)])
    expect(heard).toEqual([{ at: 60, from: 0, to: 60 }])
    expect(changed.get(2)).toMatchObject({ started: 0, heardFrom: 600 })
  })

  test('does not get more by a mark at its end', () => {
    const { changed, heard } = planFolding([played(2, 120, 7200, 7200), played(1, 60, 0, 60)])
    expect(heard).toEqual([{ at: 60, from: 0, to: 60 }])
    expect(changed.get(2)).toMatchObject({ started: 0, position: 7200, heardFrom: 7200 })
  })
})

test('only what came before, and was uploaded before, is superseded, also in pieces', () => {
  const plan = beginRemovalPlan()
  const late = played(9, 50, 0, 10)
  const first = plan([late, played(8, 300, 0, 10), played(7, 200, 0, 10, { deviceId: 2 }), played(6, 100, 20, 30)])
  expect(first).toEqual({ removed: new Set([6]), changed: new Map(), heard: [{ at: 100, from: 20, to: 30 }] })
  const download = played(4, 10, undefined, 0, { kind: 'download' })
  const second = plan([played(7, 200, 0, 10, { deviceId: 2 }), played(5, 400, 0, 10), download, played(3, 400, 5, 5)])
  expect([...second.removed]).toEqual([3])
})
