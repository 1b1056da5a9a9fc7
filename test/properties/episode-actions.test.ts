import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { EpisodeAction } from '../../src/domain/sync/ports/episode-actions.ts'
import { startTestApp } from '../support/app.ts'
import { COMMAND_LINE } from '../support/command-line.ts'

/** What a client has seen: each action once, by a key of everything that the duplicate rule compares (D49). */
interface Client {
  readonly name: string
  readonly seen: Set<string>
  /** Uploaded by others since the client's last request. */
  readonly unread: Set<string>
  /** Its own actions that it may receive, because it uploaded before it had read everything (D14b). */
  readonly echo: Set<string>
  since: number
  hasPolled: boolean
  readonly keeps: 0 | 1
}

// Few values, so that exact duplicates occur.
const item = fc.record({
  podcast: fc.constantFrom('https://a.example/f', 'https://b.example/f'),
  episode: fc.constantFrom('https://cdn.example/1.mp3', 'https://cdn.example/2.mp3'),
  action: fc.constantFrom('play', 'download', 'New'),
  timestamp: fc.constantFrom(1000, 2000, 1_740_909_600),
  device: fc.constantFrom('phone', 'desk', ''),
  position: fc.constantFrom(undefined, 5, 61),
})
type Item = typeof item extends fc.Arbitrary<infer T> ? T : never

const client = fc.nat(3)
const items = fc.array(item, { maxLength: 5 })
const seconds = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -1_000_000, max: 1_000_000 }))
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('poll' as const), client }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('upload' as const), client, items }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('subscribe' as const), client, feed: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('clock' as const), seconds }) },
)

const keyOf = ({ podcast, episode, kind, at, device, started, position, total }: EpisodeAction) =>
  JSON.stringify([podcast, episode, kind, at, device ?? '', started ?? -1, position ?? -1, total ?? -1])

/** The key of the action that the server must store for an uploaded item. */
const keyOfItem = ({ podcast, episode, action, timestamp, device, position }: Item) => {
  const kind = action.toLowerCase()
  return JSON.stringify([podcast, episode, kind, timestamp, device, -1, kind === 'play' ? (position ?? -1) : -1, -1])
}

test('every client gets each action of the others exactly once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50, size: 'max' }), async (steps) => {
      const { services, clock } = startTestApp()
      const account = (username: string) =>
        services.administration.create({ username, password: 'seaglass', email: '' }, false, COMMAND_LINE)
      const [ida, ole] = [await account('ida'), await account('ole')]
      const stored = new Set<string>()
      const clients = Array.from({ length: 4 }, (_, n): Client => {
        const sets = { seen: new Set<string>(), unread: new Set<string>(), echo: new Set<string>() }
        return { name: `app ${n}`, ...sets, since: 0, hasPolled: false, keeps: n % 2 === 0 ? 0 : 1 }
      })

      async function poll(reader: Client): Promise<void> {
        const query = { since: reader.since, aggregated: false }
        const answer = await services.episodeActions.list({ userId: ida.id, client: reader.name }, query)
        const received = (await Array.fromAsync(answer.chunks)).flat().map(keyOf)
        expect(new Set(received).size).toBe(received.length)
        expect([...reader.unread].filter((key) => !received.includes(key))).toEqual([])
        expect(received.filter((key) => !reader.unread.has(key) && !reader.echo.has(key))).toEqual([])
        for (const key of received) reader.seen.add(key)
        expect(reader.seen).toEqual(stored)
        reader.unread.clear()
        reader.echo.clear()
        reader.since = answer.timestamp + reader.keeps
        reader.hasPolled = true
      }

      async function upload(writer: Client, items: readonly Item[]): Promise<void> {
        if (!writer.hasPolled) await poll(writer)
        const hasPending = writer.unread.size > 0 || writer.echo.size > 0
        const answer = await services.episodeActions.upload({ userId: ida.id, client: writer.name }, [items])
        writer.since = answer.timestamp + writer.keeps
        for (const key of items.map(keyOfItem)) {
          writer.seen.add(key)
          if (stored.has(key)) continue
          stored.add(key)
          for (const other of clients) if (other !== writer) other.unread.add(key)
          if (hasPending) writer.echo.add(key)
        }
      }

      for (const next of steps) {
        if (next.kind === 'clock') {
          clock.jump(next.seconds)
          continue
        }
        const actor = clients[next.client]
        if (!actor) throw new Error('no client')
        if (next.kind === 'poll') await poll(actor)
        else if (next.kind === 'upload') await upload(actor, next.items)
        else {
          const change = { add: [`https://${next.feed}.example/f`], remove: [] }
          await services.subscriptions.upload({ userId: ida.id, client: actor.name }, 'phone', change)
        }
      }
      for (const reader of clients) await poll(reader)
      const everything = { since: 0, aggregated: false }
      const { chunks } = await services.episodeActions.list({ userId: ole.id, client: 'x' }, everything)
      expect(await Array.fromAsync(chunks)).toEqual([])
    }),
    { numRuns: 80 },
  )
})
