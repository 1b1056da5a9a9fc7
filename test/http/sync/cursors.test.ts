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

test('an upload in a sync group stays behind changes of others, except those that it overwrites (D14b)', async () => {
  const app = await open()
  const [phone, desk] = [agent(app, 'Kasts/24.0'), agent(app, 'Cardo/1.0')]
  const DESK = '/api/2/subscriptions/ida/desk.json'
  const addOnDesk = (...names: string[]) => desk.post(DESK, { add: names.map(feed) })
  const fetch = async () => timestampOf(await phone.get(CHANGES))
  const upload = async (body: object) => timestampOf(await phone.post(CHANGES, body))
  const since = async (time: number) => {
    const { add, remove } = (await phone.get(`${CHANGES}?since=${time}`)).json as { add: string[]; remove: string[] }
    return [new Set(add), remove]
  }
  await phone.post(CHANGES, { add: [feed('a')] })
  await addOnDesk()
  await desk.post(GROUPS, { synchronize: [['phone', 'desk']] })

  let fetched = await fetch()
  await addOnDesk('b')
  const overwriting = await upload({ remove: [feed('b')] })
  expect(overwriting).toBeGreaterThan(fetched)
  expect(await since(overwriting)).toEqual([new Set(), []])

  fetched = await fetch()
  await addOnDesk('c', 'd')
  expect(await upload({ remove: [feed('c')] })).toBe(fetched)
  expect(await since(fetched)).toEqual([new Set([feed('d')]), [feed('c')]])

  // A whole list has no timestamp, so its changes come back once.
  fetched = await fetch()
  await phone.put('/subscriptions/ida/phone.txt', feed('e'))
  expect(await upload({ add: [feed('f')] })).toBe(fetched)
  expect(await since(fetched)).toEqual([new Set([feed('e'), feed('f')]), [feed('a'), feed('d')]])
  expect(await since(await upload({ add: [feed('g')] }))).toEqual([new Set(), []])
})
