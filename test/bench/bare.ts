import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/*
 * The limit that podstep is measured against: `Bun.serve` and one prepared statement, with no routes, no authentication and no
 * checks, on the same disk. Run as `bare.ts <kind> <data folder> <NORMAL|FULL>`, the last for how durable a write is.
 */

const [kind = '', dataDir = '', synchronous = 'NORMAL'] = process.argv.slice(2)
mkdirSync(dataDir, { recursive: true })
const db = new Database(join(dataDir, 'bare.db'), { create: true, strict: true })
db.run('PRAGMA journal_mode = WAL')
db.run(`PRAGMA synchronous = ${synchronous === 'FULL' ? 'FULL' : 'NORMAL'}`)
db.run('CREATE TABLE lists (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT')
db.run('CREATE TABLE actions (id INTEGER PRIMARY KEY, user INTEGER NOT NULL, position INTEGER NOT NULL) STRICT')

type Handler = (request: Request) => Response | Promise<Response>

const ROWS = 1000

const handlers: Record<string, () => Handler> = {
  read() {
    const add = db.prepare<undefined, [string]>('INSERT INTO lists (text) VALUES (?1)')
    db.transaction(() => {
      for (let row = 0; row < ROWS; row++) add.run('https://feeds.tidewater.example/shows/1/feed.xml')
    })()
    const read = db.prepare<{ text: string }, [number]>('SELECT text FROM lists WHERE id = ?1')
    return ({ url }) => Response.json(read.get(numberOf(url)))
  },

  write() {
    const write = db.prepare<undefined, [number, number]>('INSERT INTO actions (user, position) VALUES (?1, ?2)')
    let timestamp = 0
    return ({ url }) => {
      write.run(numberOf(url), timestamp++)
      return Response.json({ timestamp })
    }
  },

  write30() {
    const write = db.prepare<undefined, [number, number]>('INSERT INTO actions (user, position) VALUES (?1, ?2)')
    const writeAll = db.transaction((user: number, actions: readonly { position: number }[]) => {
      for (const { position } of actions) write.run(user, position)
    })
    let timestamp = 0
    return async (request) => {
      // This process is part of the benchmark and gets what the benchmark sends.
      writeAll(numberOf(request.url), (await request.json()) as { position: number }[])
      return Response.json({ timestamp: timestamp++ })
    }
  },
}

/** The last segment of the path. */
function numberOf(url: string): number {
  return Number(url.slice(url.lastIndexOf('/') + 1))
}

const fetch = handlers[kind]?.()
if (!fetch) throw new Error(`no bare server called ${kind}`)
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, idleTimeout: 60, fetch })
process.stderr.write(`"port":${server.port}\n`)
