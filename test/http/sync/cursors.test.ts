import { describe, expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { startTestApp, type TestApp, type TestAppOptions } from '../../support/app.ts'
import { type Answer, basic, type Client, clientOf, cookieOf, signIn, signUp } from '../../support/client.ts'
import { CHANGES, EPISODES, GROUPS, timestampOf } from './scene.ts'

/** Subscription changes or episode actions, each with a name. */
interface Stream {
  read(client: Client, since: number): Promise<Answer>
  write(client: Client, name: string): Promise<Answer>
  /** Names in the response to a read. */
  names(answer: Answer): string[]
}

function namesAfter(prefix: string) {
  return (answer: Answer) => {
    expect(answer.status).toBe(200)
    return [...answer.text.matchAll(new RegExp(`"${prefix}([^"]*)"`, 'g'))].map(([, name = '']) => name)
  }
}

const feed = (name: string) => `https://feeds.example/${name}`

const STREAMS = {
  subscriptions: {
    read: (client, since) => client.get(`${CHANGES}?since=${since}`),
    write: (client, name) => client.post(CHANGES, { add: [feed(name)] }),
    names: namesAfter(feed('')),
  },
  'episode actions': {
    read: (client, since) => client.get(`${EPISODES}?since=${since}`),
    write: (client, name) =>
      client.post(EPISODES, [{ podcast: feed('a'), episode: `https://cdn.example/${name}`, action: 'play' }]),
    names: namesAfter('https://cdn.example/'),
  },
} satisfies Record<string, Stream>

const agent = (app: TestApp, name: string) => clientOf(app, { ...basic('ida', 'seaglass'), 'user-agent': name })
/** Sends the password only with its first request, as mygpoclient does. */
const challenged = async (app: TestApp, name: string) =>
  clientOf(app, { ...cookieOf(await agent(app, name).get('/api/2/devices/ida.json')), 'user-agent': name })

/** Two apps, by how they authenticate. */
const PAIRS: Record<string, (app: TestApp) => Promise<[Client, Client]>> = {
  'two sessions': async (app) => [await signIn(app), await signIn(app)],
  'two apps that send Basic': async (app) => [agent(app, 'Kasts/24.0'), agent(app, 'Cardo/1.0')],
  'two apps that answered a challenge and keep its cookie': async (app) => [
    await challenged(app, 'mygpoclient/1.9'),
    await challenged(app, 'gPodder/3.11'),
  ],
  'one app that sends Basic and one session': async (app) => [agent(app, 'Kasts/24.0'), await signIn(app)],
}

async function open(options: TestAppOptions = {}) {
  const app = startTestApp(options)
  await signUp(app)
  return app
}

describe.each(Object.entries(STREAMS))('%s (D14)', (_, { read, write, names }) => {
  test.each(Object.entries(PAIRS))(
    'of %s do not come back to their sender, and its upload hides none of the others (D14b)',
    async (_case, signInBoth) => {
      const [mine, other] = await signInBoth(await open())
      await read(mine, 0)
      for (const name of ['a', 'b']) expect(names(await read(mine, timestampOf(await write(mine, name))))).toEqual([])
      const fetched = timestampOf(await read(mine, 0))
      await write(other, 'theirs')
      const since = timestampOf(await write(mine, 'mine'))
      expect(since).toBe(fetched)
      expect(names(await read(mine, since))).toContain('theirs')
    },
  )

  test('are not lost after a restart by a client that reads before it writes', async () => {
    const app = await open({ db: openMemoryDatabase() })
    const cookie = cookieOf(await read(agent(app, 'Kasts/24.0'), 0))
    const since = timestampOf(await write(clientOf(app, cookie), 'mine'))
    await write(await signIn(app), 'theirs')
    await app.idle()
    const mine = clientOf(startTestApp({ db: app.db, clock: app.clock }), cookie)
    expect(names(await read(mine, since))).toEqual(['theirs'])
    expect(names(await read(mine, timestampOf(await write(mine, 'more'))))).toEqual([])
  })
})

test('episode actions of others do not hold back the timestamp of subscription changes', async () => {
  const app = await open()
  const [mine, other] = [await signIn(app), await signIn(app)]
  const fetched = timestampOf(await mine.get(CHANGES))
  await STREAMS['episode actions'].write(other, 'theirs')
  expect(timestampOf(await mine.post(CHANGES, { add: [feed('a')] }))).toBeGreaterThan(fetched)
})

describe('the timestamp of an upload in a sync group (D14b)', () => {
  const DESK = '/api/2/subscriptions/ida/desk.json'

  /** Two devices in sync; the phone has fetched everything. */
  async function openGroup() {
    const app = await open()
    const [phone, desk] = [agent(app, 'Kasts/24.0'), agent(app, 'Cardo/1.0')]
    await phone.post(CHANGES, { add: [feed('a')] })
    await desk.post(DESK, { add: [] })
    await desk.post(GROUPS, { synchronize: [['phone', 'desk']] })
    return {
      phone,
      fetched: timestampOf(await phone.get(CHANGES)),
      since: async (since: number) => (await phone.get(`${CHANGES}?since=${since}`)).json,
      addOnDesk: (...names: string[]) => desk.post(DESK, { add: names.map(feed) }),
    }
  }

  test('moves on if the upload overwrites the only change of others', async () => {
    const { phone, fetched, addOnDesk, since } = await openGroup()
    await addOnDesk('b')
    const next = timestampOf(await phone.post(CHANGES, { remove: [feed('b')] }))
    expect(next).toBeGreaterThan(fetched)
    expect(await since(next)).toMatchObject({ add: [], remove: [] })
  })

  test('stays while there is another change of others', async () => {
    const { phone, fetched, addOnDesk, since } = await openGroup()
    await addOnDesk('b', 'c')
    const next = timestampOf(await phone.post(CHANGES, { remove: [feed('b')] }))
    expect(next).toBe(fetched)
    expect(await since(next)).toMatchObject({ add: [feed('c')], remove: [feed('b')] })
  })

  test('stays after a whole list of the same client, whose changes come back once', async () => {
    const { phone, fetched, since } = await openGroup()
    await phone.put('/subscriptions/ida/phone.txt', feed('b'))
    const next = timestampOf(await phone.post(CHANGES, { add: [feed('c')] }))
    expect(next).toBe(fetched)
    const { add, remove } = Object(await since(next))
    expect([new Set(add), remove]).toEqual([new Set([feed('b'), feed('c')]), [feed('a')]])
    const last = timestampOf(await phone.post(CHANGES, { add: [feed('d')] }))
    expect(await since(last)).toMatchObject({ add: [], remove: [] })
  })
})
