import type { FeedSource, FeedToFetch } from '../../src/domain/feeds/ports.ts'
import { feedDocument } from '../store/contract/fixtures.ts'
import { startTestApp, type TestAppOptions } from '../support/app.ts'
import { type Client, signUp } from '../support/client.ts'
import { fakeClock } from '../support/clock.ts'
import { type ScriptedAnswer, toFeedAnswer, UNCHANGED } from '../support/feed-source.ts'

export const HOUR = 3600
/** The time of the fake clock at the start, 2025-03-02T10:00:00Z. */
export const START = fakeClock().seconds()

type AnswerOf<Kind extends ScriptedAnswer['kind']> = Extract<ScriptedAnswer, { readonly kind: Kind }>

/** An answer with a feed that has only a title. */
export function feedOf(title: string, fields: Partial<AnswerOf<'feed'>> = {}): ScriptedAnswer {
  return { ...UNCHANGED, kind: 'feed', document: feedDocument({ title }), ...fields }
}

export function failed(fields: Partial<AnswerOf<'failed'>> = {}): ScriptedAnswer {
  return { kind: 'failed', reason: 'timeout', message: 'a.example takes too long', retryAfter: undefined, ...fields }
}

/** Subscribes the phone of a user to the feeds. */
export async function subscribe(client: Client, username: string, add: readonly string[]): Promise<void> {
  const { status } = await client.post(`/api/2/subscriptions/${username}/phone.json`, { add })
  if (status !== 200) throw new Error(`cannot subscribe: ${status}`)
}

/** Administrator ida with subscriptions on one device, and feeds that answer as `script` says. */
export async function openFeedScene(urls: readonly string[], options: TestAppOptions = {}) {
  const asked: (FeedToFetch & { readonly at: number })[] = []
  let nextAsked = Promise.withResolvers<void>()
  const script = { answer: async (_feed: FeedToFetch): Promise<ScriptedAnswer> => UNCHANGED }
  let isClosed = false
  const feedSource: FeedSource = {
    async ask(feed, _at, wanted, store) {
      asked.push({ ...feed, at: app.clock.seconds() - START })
      nextAsked.resolve()
      nextAsked = Promise.withResolvers()
      return toFeedAnswer(await script.answer(feed), wanted, store)
    },
    close() {
      isClosed = true
    },
  }
  const app = startTestApp({ ...options, feedSource })
  const ida = await signUp(app)
  await subscribe(ida, 'ida', urls)
  if (!options.fetchesNewFeeds) await app.indexed()

  function begin(job = 'feeds'): void {
    app.jobs.find(({ name }) => name === job)?.run()
  }

  async function runJob(job?: string): Promise<void> {
    await app.indexed()
    begin(job)
    await app.idle()
  }

  return {
    app,
    ida,
    asked,
    script,
    feeds: app.services.feeds,
    isClosed: () => isClosed,
    /** Resolves when that many feeds have been asked for since the start. */
    async askedFor(count: number) {
      while (asked.length < count) await nextAsked.promise
    },
    /** Holds answers until they are released, in any order. */
    hold() {
      const held = new Map<string, (answer: ScriptedAnswer) => void>()
      script.answer = ({ url }) => new Promise((resolve) => held.set(url, resolve))
      return {
        urls: () => [...held.keys()],
        release(url: string, answer: ScriptedAnswer = UNCHANGED) {
          held.get(url)?.(answer)
          held.delete(url)
        },
      }
    },
    /** Starts a job, without waiting for it. */
    begin,
    runJob,
    /** Runs the hourly job that finds out which feeds are private. */
    runDirectoryJob: () => runJob('directory'),
    /** Advances the clock, then runs the job. */
    async pass(seconds: number) {
      app.clock.advance(seconds)
      await runJob()
    },
    /** The row of a feed in the database. */
    row: async (url: string) =>
      (await app.rowsOf<Record<string, unknown>>('SELECT * FROM podcasts WHERE url = $1', url))[0],
    logged: (message: string) => app.logs.filter((line) => line.includes(message)).map((line) => JSON.parse(line)),
  }
}
