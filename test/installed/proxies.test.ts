import { describe, expect, test } from 'bun:test'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder, type Folder } from '../binary/support/folder.ts'
import { startServer } from '../binary/support/server.ts'
import { basic } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/postgres-cluster.ts'

const CERTIFICATES = join(import.meta.dir, '../support/certificates')
const certificate = join(CERTIFICATES, 'certificate.pem')
const key = join(CERTIFICATES, 'private-key.pem')
const MEBIBYTE = 1024 * 1024

interface Ports {
  readonly own: number
  readonly server: number
}

const file = (name: string) => readFileSync(join(import.meta.dir, '../../deploy/proxies', name), 'utf8')

/** Global settings of Caddy. */
const CADDY = '{\n\tadmin off\n\tauto_https disable_redirects\n}\n'
const caddy = (folder: Folder, site: string) => {
  const path = folder.file('Caddyfile', CADDY + site)
  return ['caddy', 'run', '--adapter', 'caddyfile', '--config', path]
}
/** A site on a local port. */
const caddySite = (name: string, own: number) =>
  file(name).replace('podcasts.home.example {', `https://localhost:${own} {\n\ttls ${certificate} ${key}`)

/** The command for each proxy, which uses our file with local ports and certificates. */
const PROXIES = {
  caddy(folder: Folder, { own, server }: Ports) {
    return caddy(folder, caddySite('Caddyfile', own).replace('podstep:8080', `127.0.0.1:${server}`))
  },
  nginx(folder: Folder, { own, server }: Ports) {
    const site = file('nginx.conf')
      .replace('listen 443 ssl', `listen 127.0.0.1:${own} ssl`)
      .replace('/etc/nginx/tls/fullchain.pem', certificate)
      .replace('/etc/nginx/tls/privkey.pem', key)
      .replaceAll('http://podstep:8080', `http://127.0.0.1:${server}`)
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`)
    const rest = `daemon off;\npid pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${paths.join('\n')}\n`
    // Its worker process, of another user, needs access to the folder.
    chmodSync(folder.path, 0o755)
    return ['nginx', '-p', folder.path, '-c', folder.file('nginx.conf', `${rest}${site}}\n`)]
  },
} as const

/** podstep behind the proxy. */
async function startBehind(name: keyof typeof PROXIES) {
  const folder = emptyFolder()
  const own = freePort()
  const server = await startServer({ cwd: folder.path, env: { SVC_TRUSTED_PROXIES: '127.0.0.1' } })
  const proxy = Bun.spawn(PROXIES[name](folder, { own, server: server.port }), {
    env: { PATH: process.env['PATH'], HOME: folder.path },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`https://localhost:${own}${path}`, {
      ...init,
      tls: { rejectUnauthorized: false },
      keepalive: false,
      proxy: false,
    } as RequestInit)
  const stop = async () => {
    proxy.kill()
    await Promise.all([proxy.exited, server[Symbol.asyncDispose]()])
    folder[Symbol.dispose]()
  }
  try {
    const status = () => ask('/readyz').then((response) => response.status, String)
    await eventually(status, (answer) => answer === 200 || proxy.exitCode !== null)
    if (proxy.exitCode !== null) throw new Error(`${name} does not start`)
  } catch (error) {
    await stop()
    throw error
  }
  await server.client().post('/api/2/register', { username: 'ida', password: 'seaglass' })
  return { own, ask, [Symbol.asyncDispose]: stop }
}

for (const name of ['caddy', 'nginx'] as const) {
  if (Bun.which(name) === null)
    process.stderr.write(`skipped the test of podstep behind ${name}, which is not installed\n`)
  describe.skipIf(Bun.which(name) === null)(`behind ${name}`, () => {
    test('podstep gets the client address and scheme, browsers stay on https, and streams and large imports pass', async () => {
      await using scene = await startBehind(name)
      const { ask, own } = scene

      for (const path of ['/', '/readyz', '/api/2/me', '/feeds/none', '/no/such/page'])
        expect([path, (await ask(path)).headers.get('strict-transport-security')]).toEqual([path, 'max-age=31536000'])

      const stream = (await ask('/api/2/server/connection')).body?.getReader()
      const next = async () => new TextDecoder().decode((await stream?.read())?.value)
      const arrival = await next()
      expect(arrival).toContain('"trusted":true,"has_address":true,"scheme":"https"')
      expect(arrival).toContain(`"host":"localhost:${own}"`)
      // What is kept back comes together.
      expect(arrival).not.toContain('event: end')
      expect(await next()).toContain('event: end')

      const login = await ask('/api/2/auth/ida/login.json', { method: 'POST', headers: basic('ida', 'seaglass') })
      expect(login.headers.get('set-cookie')).toContain('; Secure')

      const send = async (path: string, body: string) => {
        const headers = { ...basic('ida', 'seaglass'), 'content-type': 'application/octet-stream' }
        return (await ask(path, { method: 'POST', headers, body })).status
      }
      const opml = (bytes: number) => `<opml version="2.0"><body>${' '.repeat(bytes)}</body></opml>`
      expect(await send('/api/2/me/import?name=list.opml', opml(24 * MEBIBYTE))).toBe(202)
      const changes = (bytes: number) => `{"add":[]${' '.repeat(bytes)}}`
      expect(await send('/api/2/subscriptions/ida/phone.json', changes(9 * MEBIBYTE))).toBe(200)
      expect(await send('/api/2/subscriptions/ida/phone.json', changes(11 * MEBIBYTE))).toBe(413)

      // Forged addresses do not circumvent the limit on failed logins.
      const statuses: number[] = []
      for (let index = 0; index < 12; index++) {
        const headers = { ...basic('ida', 'wrong'), 'x-forwarded-for': `198.51.100.${index}` }
        statuses.push((await ask('/api/2/devices/ida.json', { headers })).status)
      }
      expect(statuses[0]).toBe(401)
      expect(statuses.at(-1)).toBe(429)
    })
  })
}

/** Stands in for an active or waiting podstep on PostgreSQL. */
function startReplica(name: string, isActive: boolean, port = 0) {
  const replica = { isActive }
  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    async fetch(request) {
      if (!replica.isActive) return new Response('waiting', { status: 503, headers: { 'retry-after': '1' } })
      return new Response(`${name}, ${(await request.text()).length}`)
    },
  })
  return {
    port: server.port ?? 0,
    activate() {
      replica.isActive = true
    },
    kill: () => server.stop(true),
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

describe.skipIf(Bun.which('caddy') === null)('behind caddy with two servers', () => {
  test('requests go to the active one, and wait while there is none', async () => {
    using folder = emptyFolder()
    const own = freePort()
    await using first = startReplica('first', true)
    await using second = startReplica('second', false)
    const site = caddySite('Caddyfile.postgres', own)
      .replace('podstep-1:8080', `127.0.0.1:${first.port}`)
      .replace('podstep-2:8080', `127.0.0.1:${second.port}`)
    await using proxy = Bun.spawn(caddy(folder, site), {
      env: { PATH: process.env['PATH'], HOME: folder.path },
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    const send = async (init: RequestInit = {}) => {
      const options = { ...init, tls: { rejectUnauthorized: false }, keepalive: false, proxy: false }
      const response = await fetch(`https://localhost:${own}/api/2/episodes/ida.json`, options as RequestInit)
      return response.text()
    }
    const upload = () => send({ method: 'POST', body: ' '.repeat(MEBIBYTE) })
    await eventually(
      () => send().catch(String),
      (answer) => answer.startsWith('first') || proxy.exitCode !== null,
    )
    expect(await Promise.all([send(), upload(), upload()])).toEqual([
      'first, 0',
      `first, ${MEBIBYTE}`,
      `first, ${MEBIBYTE}`,
    ])

    // Uploads wait as well, but only with Caddy newer than 2.11.1.
    await first.kill()
    const held = [send(), send()]
    second.activate()
    expect(await Promise.all(held)).toEqual(['second, 0', 'second, 0'])

    await using back = startReplica('first', false, first.port)
    expect(back.port).toBe(first.port)
    expect(await upload()).toBe(`second, ${MEBIBYTE}`)
  })
})
