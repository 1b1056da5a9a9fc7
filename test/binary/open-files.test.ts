import { expect, test } from 'bun:test'
import { openWire } from '../support/wire.ts'
import { requireBinary } from './support/binary.ts'
import { CHANGES, complaints, IDA, LIST, LOCAL_FEEDS, startScene } from './support/scene.ts'

/** Enough for the server itself, but not for all connections. */
const FILES = 120

const OUT_OF_FILES =
  'no more connections and files can be opened: raise the limit of the server ' +
  '(LimitNOFILE of systemd, ulimit -n), or let the reverse proxy keep fewer connections open'

/** An external directory, whose first request comes when no files are left. */
const DIRECTORY = { SVC_DIRECTORY_URL: 'http://127.0.0.1:8/', SVC_DIRECTORY_KEY: 'key', SVC_DIRECTORY_SECRET: 'secret' }

const canLimit = Bun.which('prlimit') !== null
if (!canLimit) process.stderr.write('skipped the test of open files: it needs prlimit\n')

test.skipIf(!canLimit)(
  'a server that has run out of files serves its open connections, logs that once, and recovers',
  async () => {
    const program = ['prlimit', `--nofile=${FILES}:${FILES}`, requireBinary()]
    await using scene = await startScene({ program, env: { ...LOCAL_FEEDS, ...DIRECTORY } })
    const { server, ida, anyone } = scene
    using wire = await openWire(server.port)
    /** Sends a request on the open connection; returns head and body of the response. */
    async function ask(line: string, body = ''): Promise<string> {
      const before = wire.received().length
      const head = `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${IDA['authorization']}\r\n`
      wire.send(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)
      await wire.contains('\r\n\r\n', before)
      return wire.received().slice(before)
    }
    expect(await ask('GET /healthz')).toStartWith('HTTP/1.1 200 ')
    {
      using others = new DisposableStack()
      for (let n = 0; n < 2 * FILES; n++) others.use(await openWire(server.port))
      await server.logged(OUT_OF_FILES)
      expect(await ask(`POST ${CHANGES}`, '{"add":["https://feeds.example/a"]}')).toStartWith('HTTP/1.1 200 ')
      expect(await ask(`GET ${LIST}`)).toEndWith('["https://feeds.example/a"]')
      for (const path of ['/api/2/data/podcast.json?url=http://127.0.0.1:9/feed', '/api/admin/server'])
        expect(await ask(`GET ${path}`)).toMatch(/^HTTP\/1.1 503 [\s\S]*\r\nRetry-After: 30\r\n[\s\S]*"unavailable"/i)
      expect(await ask('POST /api/admin/directory/test')).toContain('too many connections and files are open')
    }
    await server.logged('connections and files can be opened again')
    expect((await ida.get(LIST)).json).toEqual(['https://feeds.example/a'])
    expect((await anyone.get('/readyz')).status).toBe(200)
    expect((await ida.post('/api/admin/backups')).status).toBe(200)
    expect(complaints(server).filter(({ level }) => level === 'error')).toHaveLength(1)
    await server.stop()
  },
)
