import type { SQLQueryBindings } from 'bun:sqlite'
import { openDatabase } from '../../src/store/sqlite/core/open.ts'

/*
 * What podstep is measured against: `Bun.serve`, one prepared statement, the same pragmas, the same data; no routes, no
 * authentication, no checks. Run as `bare.ts <kind> <data folder> <plain|tuned>`; the address carries row numbers instead of names.
 */

const [kind = '', dataDir = '', sql = 'plain'] = process.argv.slice(2)
const { db } = openDatabase({ dataDir, version: 'bench', now: 0 })

/**
 * SQLite plans a statement with joins or sorting anew each time a parameter is bound that it compares with a column; a unary plus
 * before the parameter keeps the plan. `plain` is the statement as anybody would write it, `tuned` the fastest we know.
 */
function prepare<Params extends SQLQueryBindings[]>(text: string) {
  return db.prepare<unknown, Params>(sql === 'tuned' ? text.replaceAll(/\?(?=\d)/g, '+?') : text)
}

type Handler = (request: Request) => Response | Promise<Response>

const handlers: Record<string, () => Handler> = {
  delta() {
    const read = prepare<[number, number]>(
      `SELECT p.url, s.subscribed FROM subscriptions s JOIN podcasts p ON p.id = s.podcast_id
        WHERE s.device_id = ?1 AND s.seq >= ?2 ORDER BY s.seq, p.url`,
    )
    return ({ url }) => Response.json(read.all(...numbersOf(url)))
  },

  actions() {
    const read = prepare<[number, number]>(
      `SELECT p.url AS podcast, e.url AS episode, a.kind, a.at, a.device, a.started, a.position, a.total, a.guid
         FROM episode_actions a JOIN episodes e ON e.id = a.episode_id JOIN podcasts p ON p.id = e.podcast_id
        WHERE a.user_id = ?1 AND a.seq >= ?2 ORDER BY a.at, a.id`,
    )
    return ({ url }) => Response.json({ actions: read.all(...numbersOf(url)) })
  },

  login() {
    const read = prepare<[Uint8Array]>(
      `SELECT s.id, s.expires_at, u.username, u.state FROM sessions s JOIN users u ON u.id = s.user_id
        WHERE s.token_hash = ?1`,
    )
    return ({ url }) => Response.json(read.get(Buffer.from(url.slice(url.lastIndexOf('/') + 1), 'hex')))
  },

  upload() {
    const write = prepare<[number, string, number, number]>(
      `INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq) SELECT ?1, id, ?3, ?4 FROM podcasts WHERE url = ?2
       ON CONFLICT (device_id, podcast_id) DO UPDATE SET subscribed = excluded.subscribed, seq = excluded.seq`,
    )
    let seq = Math.floor(Date.now() / 1000)
    return async (request) => {
      const [device] = numbersOf(request.url)
      // This process is part of the benchmark and gets what the benchmark sends.
      const { add, remove } = (await request.json()) as { add: string[]; remove: string[] }
      write.run(device, add[0] ?? remove[0] ?? '', add.length, seq++)
      return Response.json({ timestamp: seq })
    }
  },

  actions30() {
    const write = prepare<[number, string, number]>(
      `INSERT INTO episode_actions (user_id, episode_id, kind, at, seq, device, started, position, total, guid)
       SELECT ?1, e.id, 2, unixepoch(j.value ->> 'timestamp'), ?3, j.value ->> 'device', j.value ->> 'started',
              j.value ->> 'position', j.value ->> 'total', j.value ->> 'guid'
         FROM json_each(?2) j
         CROSS JOIN podcasts p ON p.url = j.value ->> 'podcast'
         CROSS JOIN episodes e ON e.podcast_id = p.id AND e.url = j.value ->> 'episode'
        WHERE true ON CONFLICT DO NOTHING`,
    )
    let seq = Math.floor(Date.now() / 1000)
    return async (request) => {
      const [user] = numbersOf(request.url)
      const actions: unknown = await request.json()
      write.run(user, JSON.stringify(actions), seq++)
      return Response.json({ timestamp: seq })
    }
  },
}

/** The last two segments of `http://host/first/second`. */
function numbersOf(url: string): [number, number] {
  const last = url.lastIndexOf('/')
  return [Number(url.slice(url.lastIndexOf('/', last - 1) + 1, last)), Number(url.slice(last + 1))]
}

const fetch = handlers[kind]?.()
if (!fetch) throw new Error(`no bare server called ${kind}`)
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, idleTimeout: 60, fetch })
process.stderr.write(`"port":${server.port}\n`)
