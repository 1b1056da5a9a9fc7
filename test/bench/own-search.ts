import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { queryWords } from '../../src/domain/directory/words.ts'
import type { UserId } from '../../src/domain/shared/ids.ts'
import { openDatabase } from '../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../src/store/sqlite/store.ts'
import { action, addUser, change, feedEpisode, fingerprinted, report, T } from '../store/contract/fixtures.ts'
import { percentile } from './numbers.ts'
import { say, summary, target } from './report.ts'

const { values } = parseArgs({
  options: {
    podcasts: { type: 'string', default: '2000' },
    episodes: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '5' },
  },
})

/* Search in one's own: episodes with notes of 500 to 2,000 characters, half of them the same in each of a podcast. */

const PODCASTS = Number(values.podcasts)
const EPISODES = Number(values.episodes)
const WORDS = 60_000
const WEEK = 7 * 24 * 3600
const HEARD = 500

let seed = 1
function chance(): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

const words = Array.from({ length: WORDS }, (_, index) => {
  let rest = Math.imul(index + 1, 2654435761) >>> 0
  let word = ''
  for (let n = index < 100 ? 1 + (index % 3) : 2 + (rest % 3); n >= 0; n--) {
    word += 'bcdfghklmnprstvwz'[rest % 17] ?? ''
    rest = Math.floor(rest / 17) + index * 7
    word += 'aeiou'[rest % 5] ?? ''
    rest = Math.floor(rest / 5) + index * 3
  }
  return word
})
/** By Zipf's law: the word of rank n is n times as rare as the first. */
const anyWord = () => words[Math.floor(Math.exp(chance() * Math.log(WORDS))) - 1] ?? ''
const some = (count: number, of: () => string) => Array.from({ length: count }, of)

async function main(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'podstep-bench-'))
  try {
    const { db } = openDatabase({ dataDir: dir, version: 'bench', now: T })
    const store = createSqliteStore(db)
    let text = 0
    let saving = 0
    for (let podcast = 0; podcast < PODCASTS; podcast++) {
      const id = await store.feeds.add(urlOf(podcast), T)
      const topic = some(60, anyWord)
      const boilerplate = some(80, anyWord).join(' ')
      const topical = () => (chance() < 0.25 ? (topic[Math.floor(chance() * topic.length)] ?? '') : anyWord())
      const list = Array.from({ length: EPISODES }, (_, n) => {
        const title = some(6, topical).join(' ')
        const own = some(60 + Math.floor(chance() * 120), topical).join(' ')
        text += title.length + own.length + boilerplate.length + 1
        return fingerprinted(
          feedEpisode({
            ...{ url: mediaOf(podcast, n), guid: `${podcast}.${n}`, title, released: T - n * WEEK },
            description: `<p>${own}</p><p>${boilerplate}</p>`,
          }),
        )
      })
      const from = performance.now()
      await store.feeds.saveEpisodes(id, list, T)
      saving += performance.now() - from
    }
    const from = performance.now()
    let longest = 0
    for (;;) {
      const start = performance.now()
      if ((await store.indexStore.indexEpisodes(25)) === 0) break
      longest = Math.max(longest, performance.now() - start)
    }
    const seconds = (performance.now() - from) / 1000
    while ((await store.indexStore.indexBatch(100)) > 0);
    const bytes = db.query<{ bytes: number }, []>(
      `SELECT SUM(pgsize) AS bytes FROM dbstat WHERE aggregate = TRUE
            AND (name LIKE 'episode_titles%' OR name LIKE 'episode_notes%' OR name LIKE '%episode_documents%' OR name LIKE 'episode_words%')`,
    )
    let index = Number.NaN
    try {
      index = bytes.get()?.bytes ?? Number.NaN
    } catch {
      const { n = 0 } =
        db
          .query<{ n: number }, []>(
            `SELECT (SELECT SUM(LENGTH(block)) FROM episode_titles_data) + (SELECT SUM(LENGTH(block)) FROM episode_notes_data)
                + (SELECT 34 * COUNT(*) FROM episode_documents) + (SELECT SUM(LENGTH(word) + 4) FROM episode_words) AS n`,
          )
          .get() ?? {}
      index = n
    }
    const episodes = PODCASTS * EPISODES
    say(
      `${episodes} episodes, ${(text / 1e6).toFixed(0)} MB of text, ${(statSync(join(dir, 'podstep.db')).size / 1e6).toFixed(0)} MB on disk`,
    )
    say(
      `saved in ${(saving / episodes).toFixed(3)} ms each, indexed in ${seconds.toFixed(0)} s, ${((seconds * 1000) / episodes).toFixed(2)} ms each; longest batch ${longest.toFixed(0)} ms`,
    )
    target('index, share of the text', (index / text) * 100, ' %', { atMost: 40 })
    for (const subscriptions of [100, 1000].filter((count) => count <= PODCASTS)) {
      const user = await addUser(store, `user${subscriptions}`)
      const own = Array.from({ length: subscriptions }, (_, n) => Math.floor((n * PODCASTS) / subscriptions))
      await change(store, user, 'phone', { add: own.map(urlOf) })
      const heard = Array.from({ length: HEARD }, (_, n) => ({
        podcast: urlOf(own[n % own.length] ?? 0),
        episode: mediaOf(own[n % own.length] ?? 0, n % EPISODES),
      }))
      await report(
        store,
        user,
        heard.map((names) => action({ ...names, device: 'phone', kind: 'play', position: 10, total: 90 })),
      )
      while ((await store.indexStore.indexBatch(100)) > 0);
      await measure(store, user, subscriptions)
    }
    summary()
    store.end()
    db.close()
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const urlOf = (podcast: number) => `https://feeds.example/${podcast}`
const mediaOf = (podcast: number, n: number) => `https://cdn.example/${podcast}/${n}.mp3`

const QUERIES: Readonly<Record<string, readonly string[]>> = {
  'one letter': [...'bcdfghklmnprstvwz'],
  'two letters': [...'bcdfghkl'].flatMap((letter) => [`${letter}a`, `${letter}e`]),
  'commonest words': words.slice(0, 20),
  'rare words': words.slice(30_000, 30_020),
  'three letters': words.slice(500, 520).map((word) => word.slice(0, 3)),
  'four letters': words.slice(500, 520).map((word) => word.slice(0, 4)),
  'two words': words.slice(20, 40).map((word, index) => `${word} ${words[200 + index]}`),
  'with a typo': words.slice(2000, 2020).map((word) => `${word.slice(0, 3)}x${word.slice(3)}`),
}

async function measure(
  store: ReturnType<typeof createSqliteStore>,
  user: UserId,
  subscriptions: number,
): Promise<void> {
  const all: number[] = []
  for (const [name, queries] of Object.entries(QUERIES)) {
    const times: number[] = []
    for (let round = 0; round <= Number(values.rounds); round++)
      for (const text of queries) {
        const from = performance.now()
        await store.ownSearch.find(user, { text, words: queryWords(text) }, { podcasts: 20, episodes: 50, history: 20 })
        if (round > 0) times.push(performance.now() - from)
      }
    times.sort((one, other) => one - other)
    all.push(...times)
    say(
      `${subscriptions} subscriptions, ${name}: p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`,
    )
  }
  all.sort((one, other) => one - other)
  target(`search, ${subscriptions} subscriptions, p99`, percentile(all, 0.99), ' ms', { atMost: 30 })
}

await main()
