import { describe, expect, test } from 'bun:test'
import { chmodSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { emptyFolder, type Folder } from '../binary/support/folder.ts'
import { startServer } from '../binary/support/server.ts'
import { basic } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'

/** The proxies with the files in deploy/proxies, in front of the executable, where they are installed. */

const CERTIFICATES = join(import.meta.dir, '../support/certificates')
const certificate = join(CERTIFICATES, 'certificate.pem')
const key = join(CERTIFICATES, 'private-key.pem')
const MEBIBYTE = 1024 * 1024

interface Ports {
  /** Of the proxy. */
  readonly own: number
  /** Of podstep. */
  readonly server: number
}

const file = (name: string) => readFileSync(join(import.meta.dir, '../../deploy/proxies', name), 'utf8')

/** What starts each proxy: its own file, with ports of this machine and with what the image of the proxy has besides. */
const PROXIES = {
  caddy(folder: Folder, { own, server }: Ports) {
    const site = file('Caddyfile')
      .replace('podcasts.home.example {', `https://localhost:${own} {\n\ttls ${certificate} ${key}`)
      .replace('podstep:8080', `127.0.0.1:${server}`)
    const global = '{\n\tadmin off\n\tauto_https disable_redirects\n}\n'
    return ['caddy', 'run', '--adapter', 'caddyfile', '--config', folder.file('Caddyfile', global + site)]
  },
  nginx(folder: Folder, { own, server }: Ports) {
    const site = file('nginx.conf')
      .replace('listen 443 ssl', `listen 127.0.0.1:${own} ssl`)
      .replace('/etc/nginx/tls/fullchain.pem', certificate)
      .replace('/etc/nginx/tls/privkey.pem', key)
      .replaceAll('http://podstep:8080', `http://127.0.0.1:${server}`)
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`)
    const rest = `daemon off;\npid pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${paths.join('\n')}\n`
    // Its worker is another user, who has to find the folder.
    chmodSync(folder.path, 0o755)
    return ['nginx', '-p', folder.path, '-c', folder.file('nginx.conf', `${rest}${site}}\n`)]
  },
} as const

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port is free')
  return address.port
}

/** podstep behind the proxy. */
async function startBehind(name: keyof typeof PROXIES) {
  const folder = emptyFolder()
  const own = await freePort()
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
    process.stderr.write(`skipped: podstep is not tried behind ${name}, which is not installed\n`)
  describe.skipIf(Bun.which(name) === null)(`behind ${name}`, () => {
    test('podstep knows who asks and how, browsers stay on https, open streams arrive at once, and files of imports may be large', async () => {
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

      // Who claims another address with each guess is still told to wait.
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
