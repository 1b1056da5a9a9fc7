import { describe, expect, test } from 'bun:test'
import type { TestApp } from '../../support/app.ts'
import { basic, signUp } from '../../support/client.ts'
import { EPISODES, openSync } from './scene.ts'

/** What a client knows of an action it uploaded. */
interface Known {
  readonly podcast: string
  readonly episode: string
  readonly device: string
  readonly position: number
  readonly second: number
}

const DEVICES = ['phone', 'desk', 'car']
const T = 1_740_000_000

/** In a mix that is the same in every run: four podcasts, some 700 episodes, hundreds of actions in the same second. */
function batch(first: number, count: number): Known[] {
  return Array.from({ length: count }, (_, n) => {
    const mixed = (Math.imul(first + n, 2_654_435_761) >>> 0) % 1_000_003
    return {
      podcast: `https://feeds.example/${[0, 0, 0, 1, 1, 2, 3][mixed % 7]}`,
      episode: `https://cdn.example/${mixed % 701}`,
      device: DEVICES[mixed % 3] ?? '',
      position: first + n,
      // The second of three of four actions is one of four.
      second: T + (mixed % 4 === 0 ? mixed % 5000 : (mixed % 4) * 1000),
    }
  })
}

function toWire({ podcast, episode, device, position, second }: Known) {
  const timestamp = new Date(second * 1000).toISOString().slice(0, 19)
  return { podcast, episode, device, action: 'play', timestamp, position }
}

/** The whole list, by the plainest reading of docs/protocol.md#fetching-actions; `position` is the order of uploading. */
const expected = (known: readonly Known[]): unknown[] =>
  known.toSorted((a, b) => a.second - b.second || a.position - b.position).map(toWire)

/** Ida's account with 3600 actions, uploaded in four requests; another user has the very same ones. */
async function open() {
  const { app, ida } = await openSync()
  const bo = await signUp(app, 'bo')
  const known: Known[] = []
  for (const count of [2000, 995, 600, 5]) {
    const more = batch(known.length, count)
    expect(await ida.post(EPISODES, more.map(toWire))).toMatchObject({ status: 200, json: { update_urls: [] } })
    await bo.post('/api/2/episodes/bo.json', more.map(toWire))
    known.push(...more)
    app.clock.advance(60)
  }
  return { app, ida, known }
}

describe('while a long list is being sent', () => {
  /** The answer piece by piece: `rest` reads on to the end. */
  async function begin(app: TestApp) {
    const headers = { ...basic('ida', 'seaglass'), 'user-agent': 'slow reader' }
    const response = await app.fetch(new Request(`http://localhost${EPISODES}`, { headers }))
    if (!response.body) throw new Error('the answer has no body')
    const reader = response.body.getReader()
    const first = await reader.read()
    async function rest(): Promise<{ actions: unknown[]; timestamp: number; pieces: number }> {
      const pieces = [first.value]
      for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value)
      const bytes = Buffer.concat(pieces.flatMap((piece) => piece ?? []))
      return { ...JSON.parse(bytes.toString()), pieces: pieces.length }
    }
    return { rest, reader }
  }

  /** One action before, between and after all others. */
  const late = (known: readonly Known[]) =>
    [T - 1, T + 2000, T + 9_999_999].map((second, n) => ({
      ...{ podcast: 'https://feeds.example/late', episode: `https://cdn.example/late${n}`, device: 'desk' },
      ...{ second, position: known.length + n },
    }))

  test('what is uploaded is not in it, and the timestamp it ends with finds that next time', async () => {
    const { app, ida, known } = await open()
    const { rest } = await begin(app)
    expect((await ida.post(EPISODES, late(known).map(toWire))).status).toBe(200)
    const { actions, timestamp, pieces } = await rest()
    expect(pieces).toBeGreaterThan(3)
    expect(actions).toEqual(expected(known))
    for (const since of [timestamp, timestamp + 1])
      expect((await ida.get(`${EPISODES}?since=${since}`)).json).toMatchObject({ actions: late(known).map(toWire) })
  })

  test('others are served, and a reader that goes away in the middle harms nobody', async () => {
    const { app, ida } = await open()
    const { reader } = await begin(app)
    expect((await ida.get(`${EPISODES}?since=1999999999`)).json).toMatchObject({ actions: [] })
    await reader.cancel()
    expect((await ida.post(EPISODES, late([]).map(toWire))).status).toBe(200)
    expect(app.logs.filter((line) => line.includes('"error"'))).toEqual([])
  })
})
