import { readFileSync } from 'node:fs'
import { requireBinary } from '../test/binary/support/binary.ts'
import { emptyFolder } from '../test/binary/support/folder.ts'
import { startServer } from '../test/binary/support/server.ts'
import { basic } from '../test/support/client.ts'
import { startWebServer } from '../test/support/web-server.ts'

/**
 * Traces the connections of the compiled server (dist/podstep) and its feed worker while a user and an administrator do
 * everything that could need another server. Takes a minute; needs Linux and `strace`.
 *
 *   bun scripts/outbound-trial.ts
 */

const DISCARD = 9

/** Uses everything for which the server contacts others; returns the addresses it connected to, with counts. */
async function trace(outbound: 'on' | 'off'): Promise<ReadonlyMap<string, number>> {
  using folder = emptyFolder()
  const page = () => new Response(`<rss><channel><title>Tide</title></channel></rss>`)
  await using other = startWebServer({ '/feed': page, '/hook': () => new Response(), '/api/search/byterm': page })
  await using front = startWebServer({})
  const base = `http://127.0.0.1:${other.port}`
  const file = folder.file('trace')
  {
    const strace = ['strace', '-f', '--seccomp-bpf', '-e', 'trace=connect,sendto,sendmsg,sendmmsg', '-o', file]
    await using server = await startServer({
      cwd: folder.path,
      program: [...strace, requireBinary()],
      env: {
        SVC_OUTBOUND: outbound,
        SVC_FEED_REFRESH_CRON: '* * * * * *',
        SVC_FEED_ALLOW_PRIVATE: '127.0.0.1',
        SVC_WEBHOOK_ALLOW_PRIVATE: '127.0.0.1',
        SVC_IMPORT_ALLOW_PRIVATE: '127.0.0.1',
        SVC_DIRECTORY_KEY: 'key',
        SVC_DIRECTORY_SECRET: 'secret',
        SVC_DIRECTORY_URL: `${base}/api`,
        SVC_BASE_URL: `http://127.0.0.1:${front.port}`,
        SVC_SMTP_HOST: '127.0.0.1',
        SVC_SMTP_PORT: String(DISCARD),
        SVC_SMTP_FROM: 'podstep@home.example',
        SVC_OIDC_ISSUER: `http://127.0.0.1:${DISCARD + 1}`,
        SVC_OIDC_CLIENT_ID: 'podstep',
      },
    })
    await server.client().post('/api/2/register', { username: 'ida', password: 'seaglass', email: 'ida@pods.example' })
    const ida = server.client(basic('ida', 'seaglass'))
    const feeds = [`${base}/feed`, 'https://feeds.example/a']
    await ida.put('/subscriptions/ida/phone.json', feeds)
    for (const feed of feeds) {
      const url = encodeURIComponent(feed)
      const episode = encodeURIComponent(`${feed}.mp3`)
      await ida.get(`/api/2/data/podcast.json?url=${url}.new`)
      await ida.post('/api/2/me/resolve', { text: `${feed}/elsewhere` })
      await ida.get(`/artwork/128?url=${url}`)
      await ida.get(`/api/2/me/podcast/chapters?podcast=${url}&url=${episode}`)
      await ida.post('/api/2/me/podcast/refresh', { url: feed })
      await ida.post(`/api/admin/feeds/update/single?url=${url}`)
      await ida.put('/api/2/me/webhook', { url: feed })
      await ida.post('/api/2/me/webhook/test')
      await ida.post('/api/2/me/import', { from: feed, username: 'ida', password: 'x' })
    }
    await ida.get('/api/2/search/external?q=tide')
    await ida.get('/api/2/trending')
    await ida.post('/api/admin/feeds/update')
    await ida.post('/api/admin/mail/test', {})
    await ida.post('/api/admin/sso/test')
    await ida.post('/api/admin/directory/test')
    await ida.post('/api/admin/doctor')
    // Wait for the schedule, and for running jobs to finish.
    await Bun.sleep(5000)
    // Stop the server; stopping strace would leave it running.
    const child = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')
    process.kill(Number(child.trim()), 'SIGTERM')
    await server.ended()
  }
  const names = new Map([
    [`127.0.0.1:${other.port}`, 'the other server: feeds, directory, webhook, import'],
    [`127.0.0.1:${front.port}`, 'base_url'],
    [`127.0.0.1:${DISCARD}`, 'smtp_host'],
    [`127.0.0.1:${DISCARD + 1}`, 'oidc_issuer'],
  ])
  const counts = new Map<string, number>()
  for (const to of readFileSync(file, 'utf8').split('\n').flatMap(targetOf)) {
    const name = names.get(to) ?? to
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

/** Address in a line of `strace`; empty for lines without one. */
function targetOf(line: string): readonly string[] {
  const [, port, , address] =
    /sin6?_port=htons\((\d+)\).*(inet_addr\("|inet_pton\(AF_INET6, ")([^"]+)"/.exec(line) ?? []
  if (port !== undefined && address !== undefined) return [port === '53' ? 'a name server' : `${address}:${port}`]
  const [, path] = /sun_path="([^"]+)"/.exec(line) ?? []
  return path === undefined ? [] : [path]
}

for (const outbound of ['on', 'off'] as const) {
  process.stdout.write(`outbound = "${outbound}"\n`)
  for (const [name, count] of await trace(outbound)) process.stdout.write(`  ${String(count).padStart(4)}  ${name}\n`)
}
