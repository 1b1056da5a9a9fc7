import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { type ServerProcess, startPodstep } from './processes.ts'
import { say, target } from './report.ts'
import { feedUrl, seed, sessionToken, userName } from './seed.ts'
import type { Settings } from './settings.ts'
import { watchOthers } from './waiting.ts'

const LONGEST_WANTED_MS = 100
/** Podcasts of the first user, of which each has so many episodes in its feed. */
const [PODCASTS, EPISODES] = [25, 2000]

interface Marked {
  readonly marked: number
  readonly undo: string
}

/** How long it takes to mark many episodes with one request and to undo that, and how long others wait meanwhile. */
export async function measureMarks({ command, dir, wants }: Settings): Promise<void> {
  if (!wants('marks')) return
  say(`\n## Marks, ${PODCASTS * EPISODES} episodes in the feeds of the one who marks\n`)
  const data = join(dir, 'marks')
  await seed(data, { users: 10, feeds: 60, actionsPerUser: 300 })
  addEpisodes(join(data, 'podstep.db'))
  const server = await startPodstep(command, data)
  try {
    await inTurn(server, '1,500 episodes', { newest: { podcast: feedUrl(0), episode: urlOf(0, 1499) } })
    await inTurn(server, 'all', {})
  } finally {
    await server.stop()
  }
}

async function inTurn(server: ServerProcess, title: string, filter: object): Promise<void> {
  const podcasts = Array.from({ length: title === 'all' ? PODCASTS : 1 }, (_, n) => feedUrl(n))
  const { undo } = await judge(server, `mark ${title}`, { as: 'played', all: { podcasts, ...filter } })
  await judge(server, `undo ${title}`, { undo })
}

async function judge(server: ServerProcess, title: string, body: object): Promise<Marked> {
  const { longest, p99, result } = await watchOthers(server, async () => {
    const started = performance.now()
    const answer = await fetch(`http://127.0.0.1:${server.port}/api/2/me/episodes/mark`, {
      method: 'POST',
      headers: { cookie: `sessionid=${sessionToken(0)}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${userName(0)}: ${answer.status} ${await answer.text()}`)
    return { ...((await answer.json()) as Marked), ms: performance.now() - started }
  })
  const times = `others wait p99 ${p99.toFixed(1)} ms, longest ${longest.toFixed(1)} ms`
  say(`  ${title}: ${result.marked} in ${result.ms.toFixed(0)} ms; ${times}`)
  target(`${title}: others wait`, longest, ' ms', { atMost: LONGEST_WANTED_MS })
  return result
}

const urlOf = (podcast: number, n: number) => `https://cdn.tidewater.example/marks/${podcast}/${n}.mp3`

/** What feeds would have said, one episode an hour. */
function addEpisodes(path: string): void {
  const db = new Database(path)
  for (let n = 0; n < PODCASTS; n++) {
    const urls = JSON.stringify(Array.from({ length: EPISODES }, (_, index) => urlOf(n, index)))
    db.query(
      `INSERT INTO episodes (podcast_id, url)
       SELECT p.id, j.value FROM podcasts p, json_each(?2) j WHERE p.url = ?1`,
    ).run(feedUrl(n), urls)
    db.query(
      `INSERT INTO episode_details (episode_id, podcast_id, fingerprint, title, description, website, released, guid, mime_type,
         image_url, chapters_url, transcript_url, duration)
       SELECT e.id, e.podcast_id, '', 'Ebb', '', '', 1700000000 + j.key * 3600, 'marks ' || e.id, '', '', '', '', 1800
         FROM podcasts p, json_each(?2) j JOIN episodes e ON e.podcast_id = p.id AND e.url = j.value WHERE p.url = ?1`,
    ).run(feedUrl(n), urls)
  }
  db.close()
}
