import { describe, expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { startTestApp, type TestApp, type TestAppOptions } from '../../support/app.ts'
import { type Answer, basic, type Client, clientOf, cookieOf, signUp } from '../../support/client.ts'
import { CHANGES, EPISODES, timestampOf } from './scene.ts'

/** One of the two streams of changes, with things to write to it that are told apart by a name. */
interface Stream {
  read(client: Client, since: number): Promise<Answer>
  write(client: Client, name: string): Promise<Answer>
  /** The names that a read brought. */
  names(answer: Answer): string[]
}

function namesAfter(prefix: string) {
  return (answer: Answer) => {
    expect(answer.status).toBe(200)
    return [...answer.text.matchAll(new RegExp(`"${prefix}([^"]*)"`, 'g'))].map(([, name = '']) => name)
  }
}

const STREAMS = {
  subscriptions: {
    read: (client, since) => client.get(`${CHANGES}?since=${since}`),
    write: (client, name) => client.post(CHANGES, { add: [`https://feeds.example/${name}`] }),
    names: namesAfter('https://feeds.example/'),
  },
  'episode actions': {
    read: (client, since) => client.get(`${EPISODES}?since=${since}`),
    write: (client, name) =>
      client.post(EPISODES, [
        { podcast: 'https://p.example/', episode: `https://cdn.example/${name}`, action: 'play' },
      ]),
    names: namesAfter('https://cdn.example/'),
  },
} satisfies Record<string, Stream>

/** What clients send as their next `since`, having got a timestamp (docs/protocol.md#D14). */
const KEEPING: Record<string, (timestamp: number, ownClock: number) => number> = {
  'the timestamp': (timestamp) => timestamp,
  'the timestamp + 1': (timestamp) => timestamp + 1,
  'its own clock': (_, ownClock) => ownClock,
}

const login = async (app: TestApp) =>
  clientOf(app, cookieOf(await clientOf(app, basic('ida', 'seaglass')).post('/api/2/auth/ida/login.json')))
/** Sends the password with the first request only, as mygpoclient does. */
const challenged = async (app: TestApp, name: string) =>
  clientOf(app, { ...cookieOf(await agent(app, name).get('/api/2/devices/ida.json')), 'user-agent': name })
const agent = (app: TestApp, name: string) => clientOf(app, { ...basic('ida', 'seaglass'), 'user-agent': name })

/** Two devices' apps, as they sign in. */
const PAIRS: Record<string, (app: TestApp) => Promise<[Client, Client]>> = {
  'two sessions': async (app) => [await login(app), await login(app)],
  'two apps that send Basic': async (app) => [agent(app, 'Kasts/24.0'), agent(app, 'Cardo/1.0')],
  'two apps that answered a challenge and keep its cookie': async (app) => [
    await challenged(app, 'mygpoclient/1.9'),
    await challenged(app, 'gPodder/3.11'),
  ],
  'one app that sends Basic and one session': async (app) => [agent(app, 'Kasts/24.0'), await login(app)],
}

async function open(options: TestAppOptions = {}) {
  const app = startTestApp(options)
  await signUp(app)
  return app
}

describe.each(Object.entries(STREAMS))('%s (D14)', (_, { read, write, names }) => {
  describe.each(Object.entries(PAIRS))('%s', (_case, signIn) => {
    test.each(Object.entries(KEEPING))('two writes in a second are seen by who keeps %s', async (_keep, keep) => {
      const app = await open()
      const [mine, other] = await signIn(app)
      const seen: string[] = []
      let since = 0
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        await write(other, name)
        const answer = await read(mine, since)
        seen.push(...names(answer))
        since = keep(timestampOf(answer), app.clock.seconds())
      }
      expect(new Set(seen)).toEqual(new Set(['a', 'b', 'c', 'd', 'e']))
      if (since >= timestampOf(await read(mine, 0))) expect(seen).toHaveLength(5)
    })

    test('one’s own upload does not come back, and hides nothing that another wrote since the last fetch (D14b)', async () => {
      const [mine, other] = await signIn(await open())
      await read(mine, 0)
      for (const name of ['a', 'b']) expect(names(await read(mine, timestampOf(await write(mine, name))))).toEqual([])
      const fetched = timestampOf(await read(mine, 0))
      await write(other, 'theirs')
      const since = timestampOf(await write(mine, 'mine'))
      expect(since).toBe(fetched)
      expect(names(await read(mine, since))).toContain('theirs')
    })
  })

  test('after a restart, a client that reads before it writes loses nothing', async () => {
    const app = await open({ db: openMemoryDatabase() })
    const cookie = cookieOf(await read(agent(app, 'Kasts/24.0'), 0))
    const since = timestampOf(await write(clientOf(app, cookie), 'mine'))
    await write(await login(app), 'theirs')
    await app.idle()
    const restarted = startTestApp({ db: app.db, clock: app.clock })
    const mine = clientOf(restarted, cookie)
    const answer = await read(mine, since)
    expect(names(answer)).toEqual(['theirs'])
    expect(names(await read(mine, timestampOf(await write(mine, 'more'))))).toEqual([])
  })
})

test('actions of others do not hold back an upload of subscriptions', async () => {
  const app = await open()
  const [mine, other] = [await login(app), await login(app)]
  const fetched = timestampOf(await mine.get(CHANGES))
  await STREAMS['episode actions'].write(other, 'theirs')
  expect(timestampOf(await mine.post(CHANGES, { add: ['https://feeds.example/a'] }))).toBeGreaterThan(fetched)
})

describe('the rows of others that hold back an upload (D14b)', () => {
  const feed = (name: string) => `https://feeds.example/${name}`
  const DESK = '/api/2/subscriptions/ida/desk.json'

  /** The apps of two devices in sync, which have read everything. */
  async function openShared() {
    const app = await open()
    const [phone, desk] = [agent(app, 'Kasts/24.0'), agent(app, 'Cardo/1.0')]
    await phone.post(CHANGES, { add: [feed('a')] })
    await desk.post(DESK, { add: [] })
    await desk.post('/api/2/sync-devices/ida.json', { synchronize: [['phone', 'desk']] })
    return {
      phone,
      fetched: timestampOf(await phone.get(CHANGES)),
      since: async (since: number) => (await phone.get(`${CHANGES}?since=${since}`)).json,
      byDesk: (...names: string[]) => desk.post(DESK, { add: names.map(feed) }),
    }
  }

  test('count by their latest change: a client that has changed the only one has nothing to catch up on', async () => {
    const { phone, fetched, byDesk, since } = await openShared()
    await byDesk('b')
    const next = timestampOf(await phone.post(CHANGES, { remove: [feed('b')] }))
    expect(next).toBeGreaterThan(fetched)
    expect(await since(next)).toMatchObject({ add: [], remove: [] })
  })

  test('count as long as there is another one', async () => {
    const { phone, fetched, byDesk, since } = await openShared()
    await byDesk('b', 'c')
    const next = timestampOf(await phone.post(CHANGES, { remove: [feed('b')] }))
    expect(next).toBe(fetched)
    expect(await since(next)).toMatchObject({ add: [feed('c')], remove: [feed('b')] })
  })

  test('include those of a whole list that the client has put: they come once more, with the next changes', async () => {
    const { phone, fetched, since } = await openShared()
    await phone.put('/subscriptions/ida/phone.txt', feed('b'))
    const next = timestampOf(await phone.post(CHANGES, { add: [feed('c')] }))
    expect(next).toBe(fetched)
    const { add, remove } = Object(await since(next))
    expect([new Set(add), remove]).toEqual([new Set([feed('b'), feed('c')]), [feed('a')]])
    const last = timestampOf(await phone.post(CHANGES, { add: [feed('d')] }))
    expect(await since(last)).toMatchObject({ add: [], remove: [] })
  })
})
