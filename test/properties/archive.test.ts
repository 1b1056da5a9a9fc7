import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseExactly } from '../../src/domain/shared/exact-json.ts'
import { importFile, openServer } from '../http/transfer/scene.ts'
import { tempDirs } from '../store/temp-dir.ts'
import { startTestApp } from '../support/app.ts'
import { type Client, signUp } from '../support/client.ts'
import { recordAt } from '../support/openapi.ts'

const FEEDS = Array.from({ length: 6 }, (_, n) => `https://feeds.example/${n}`)
const EPISODES = Array.from({ length: 5 }, (_, n) => `https://cdn.example/${n}.mp3`)
const DEVICES = ['phone', 'desk', 'car']

const feed = fc.constantFrom(...FEEDS)
const episode = fc.constantFrom(...EPISODES)
const device = fc.constantFrom(...DEVICES)
const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('“Ida’s” \\ phone 🎧', '\u0000\n"', '{"a":[}', '__proto__'),
)
const number = fc.constantFrom('1', '1.0', '1e400', '0.1000000000000000055', '-0', '12345678901234567890')

interface Request {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: unknown
}

const post = (path: string, body: unknown): Request => ({ method: 'POST', path, body })

/** Requests of apps; some of them may be refused. */
const request: fc.Arbitrary<Request> = fc.oneof(
  fc
    .tuple(device, fc.subarray(FEEDS), fc.subarray(FEEDS))
    .map(([id, add, remove]) =>
      post(`/api/2/subscriptions/ida/${id}.json`, { add, remove: remove.filter((url) => !add.includes(url)) }),
    ),
  fc
    .tuple(device, text, fc.constantFrom('mobile', 'laptop', 'server'))
    .map(([id, caption, type]) => post(`/api/2/devices/ida/${id}.json`, { caption: `x${caption}`, type })),
  device.map((id) => ({ method: 'DELETE', path: `/api/2/devices/ida/${id}.json` }) as const),
  fc
    .tuple(fc.subarray(DEVICES, { minLength: 2 }), fc.subarray(DEVICES))
    .map(([together, stop]) =>
      post('/api/2/sync-devices/ida.json', { synchronize: [together], 'stop-synchronize': stop }),
    ),
  fc
    .tuple(
      fc.constantFrom('account.json', `podcast.json?podcast=${FEEDS[0]}`, 'device.json?device=phone'),
      text,
      number,
    )
    .map(([path, key, value]) => post(`/api/2/settings/ida/${path}`, `{"set":{${JSON.stringify(key)}:${value}}}`)),
  fc
    .tuple(feed, episode, fc.boolean())
    .map(([podcast, url, isFavorite]) =>
      post(`/api/2/settings/ida/episode.json?podcast=${podcast}&episode=${url}`, { set: { is_favorite: isFavorite } }),
    ),
  fc
    .tuple(fc.constantFrom('Good ones', 'Other ones', 'Più'), fc.subarray(FEEDS))
    .map(([title, urls]) => post(`/api/2/lists/ida/create.json?title=${encodeURIComponent(title)}`, urls)),
  fc
    .tuple(feed, episode, fc.array(fc.tuple(fc.nat(50), fc.nat(50), text), { maxLength: 3 }))
    .map(([podcast, url, parts]) =>
      post('/api/2/chapters/ida.json', {
        podcast,
        episode: url,
        chapters_add: parts.map(([start, length, label]) => ({ start, end: start + length, label })),
      }),
    ),
  fc.tuple(device, feed, text).map(([id, url, title]) => ({
    method: 'PUT' as const,
    path: `/subscriptions/ida/${id}.json`,
    body: [{ url, title: `Show ${title}` }],
  })),
  fc
    .array(
      fc.record({
        podcast: feed,
        episode,
        device: fc.oneof(device, fc.constantFrom('gone', undefined)),
        action: fc.constantFrom('play', 'new', 'download', 'delete', 'flattr'),
        timestamp: fc.integer({ min: 1_740_000_000, max: 1_740_000_020 }),
        started: fc.option(fc.nat(100), { nil: undefined }),
        position: fc.option(fc.nat(100), { nil: undefined }),
        total: fc.option(fc.constantFrom(50, 100), { nil: undefined }),
        guid: fc.option(text, { nil: undefined }),
      }),
      { maxLength: 12 },
    )
    .map((actions) => post('/api/2/episodes/ida.json', actions)),
)

/** Lists ordered by the row numbers of podcasts, which differ between servers. */
const UNORDERED: readonly string[] = ['subscriptions', 'unsubscribed', 'replaced_addresses', 'titles']

/** The account's data in an archive, in a normalized order, with all digits of numbers. */
function ownOf(archive: string): string {
  const sorted = (key: string, value: unknown) =>
    UNORDERED.includes(key) && Array.isArray(value)
      ? value.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
      : value
  const { exported: _when, account: _who, ...own } = recordAt(parseExactly(archive))
  return JSON.stringify(own, sorted, 1)
}

async function exportOf(ida: Client): Promise<string> {
  return (await ida.get('/api/2/me/export')).text
}

const dirs = tempDirs()

test('an archive imported into an empty account is exported unchanged', async () => {
  const dataDir = dirs.make()
  const requests = fc.array(fc.tuple(request, fc.nat(2)), { maxLength: 25 })
  await fc.assert(
    fc.asyncProperty(requests, async (all) => {
      const app = startTestApp({ settings: { rate_limit: 'false' } })
      const ida = await signUp(app)
      for (const [{ method, path, body }, seconds] of all) {
        await ida.call(method, path, { body })
        app.clock.advance(seconds)
      }
      await app.services.lastSeen.save()
      // Exports contain times that have passed.
      app.clock.advance(1000)
      const archive = await exportOf(ida)

      const other = await openServer(dataDir)
      other.app.clock.advance(app.clock.seconds() - other.app.clock.seconds() + 1000)
      const report = await importFile(other, archive)
      expect(report).toMatchObject({ state: 'done', skipped: [] })
      expect(ownOf(await exportOf(other.ida))).toBe(ownOf(archive))
    }),
    // Shrinking a counterexample would exceed the time limit of the test, which then would not show it.
    { numRuns: 25, endOnFailure: true },
  )
})
