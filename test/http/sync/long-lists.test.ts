import { describe, expect, test } from 'bun:test'
import { SHORT_LIST } from '../../../src/domain/shared/lists.ts'
import { readOpml } from '../../../src/formats/opml.ts'
import { basic, type Client } from '../../support/client.ts'
import { CHANGES, openSync, timestampOf } from './scene.ts'

/** Lists that are too long for one go are read and sent piece by piece; they look like short ones. */

const feeds = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `https://feeds.example/${String(from + n).padStart(6, '0')}`)

const LATE = 'https://late.example/f'
const PHONE = '/subscriptions/ida/phone'
const OWN = '/api/2/me/subscriptions'

/** The phone has exactly as many as are sent in one go, the desk some of the same. */
async function open() {
  const scene = await openSync()
  const { ida } = scene
  await ida.put(`${PHONE}.json`, feeds(0, SHORT_LIST))
  await ida.put('/subscriptions/ida/desk.json', feeds(500, 900))
  return { ...scene, phoneOnly: async () => ida.delete('/api/2/devices/ida/desk.json') }
}

const jsonOf = async (client: Client, path: string) => [(await client.get(path)).json].flat()
const textOf = async (client: Client, path: string) => (await client.get(path)).text
const opmlOf = async (client: Client, path: string) => [...readOpml(await textOf(client, path))].flat()

const READERS: readonly (readonly [string, (client: Client) => Promise<readonly unknown[]>])[] = [
  ['JSON of a device', (client) => jsonOf(client, `${PHONE}.json`)],
  [
    'JSONP',
    async (client) => JSON.parse((await textOf(client, `${PHONE}.jsonp?jsonp=show`)).slice('show('.length, -1)),
  ],
  ['text', async (client) => (await textOf(client, `${PHONE}.txt`)).trimEnd().split('\n')],
  ['OPML of a device', (client) => opmlOf(client, `${PHONE}.opml`)],
  ['OPML of a user', (client) => opmlOf(client, '/subscriptions/ida.opml')],
  ['JSON of a user', (client) => jsonOf(client, '/subscriptions/ida.json')],
  [
    'XML',
    async (client) => [...(await textOf(client, '/subscriptions/ida.xml')).matchAll(/<url>.*<\/url>/g)].map(String),
  ],
  ['own subscriptions', (client) => jsonOf(client, OWN)],
  ['a delta', async (client) => Reflect.get(Object((await client.get(`${CHANGES}?since=0`)).json), 'add')],
]

test.each([...READERS])(
  '%s with one more than is sent in one go is the same list with one more',
  async (_, read) => {
    const { app, ida, phoneOnly } = await open()
    // Over all devices there are too many already; over one there are not.
    const long = await read(ida)
    await phoneOnly()
    const short = await read(ida)
    expect(short).toHaveLength(SHORT_LIST)
    // The short list was read when there was one device less.
    expect(JSON.parse(JSON.stringify(long).replaceAll('["phone","desk"]', '["phone"]'))).toEqual(short)
    app.clock.advance(60)
    await ida.post(CHANGES, { add: [LATE] })
    const longer = await read(ida)
    expect(longer).toHaveLength(SHORT_LIST + 1)
    expect(longer.slice(0, -1)).toEqual([...short])
    expect(JSON.stringify(longer.at(-1))).toContain(LATE)
  },
  30_000,
)

describe('a long list', () => {
  test('of changes names what is gone; what comes while it is being sent comes with the next one', async () => {
    const { app, ida, changesSince } = await openSync()
    await ida.put(`${PHONE}.json`, feeds(0, 3000))
    const since = timestampOf(await changesSince(0))
    await ida.put(`${PHONE}.json`, feeds(1500, 5000))
    const headers = basic('ida', 'seaglass')
    const response = await app.fetch(new Request(`http://localhost${CHANGES}?since=${since}`, { headers }))
    // Nothing of the answer has been asked for yet.
    const late = { add: [LATE], remove: feeds(4000, 4001) }
    await ida.post(CHANGES, late)
    const changes = Object(await response.json())
    expect(new Set(changes.add)).toEqual(new Set(feeds(3000, 5000)))
    expect(new Set(changes.remove)).toEqual(new Set(feeds(0, 1500)))
    expect((await changesSince(changes.timestamp)).json).toMatchObject(late)
  })

  test('follows the end of a device', async () => {
    const { ida, phoneOnly } = await open()
    await ida.put('/subscriptions/ida/desk.json', [...feeds(0, SHORT_LIST), LATE])
    expect(await jsonOf(ida, OWN)).toHaveLength(SHORT_LIST + 1)
    await phoneOnly()
    expect(await jsonOf(ida, OWN)).toHaveLength(SHORT_LIST)
  })
})
