import { expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { createListener, freePort } from '../../../src/cli/listening/listener.ts'
import { tempDirs } from '../../store/temp-dir.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { CERTIFICATE, PRIVATE_KEY, UNKNOWN_CERTIFICATE } from '../../support/certificate.ts'
import { basic, clientOf } from '../../support/client.ts'

const dirs = tempDirs()
const PORT = { host: '127.0.0.1', port: 0, listen: undefined, socketMode: '0600' }

/** The whole application behind a listener, and clients that connect to it. */
async function open(kind: 'port' | 'port with TLS' | 'Unix socket') {
  const path = join(dirs.make(), 'podstep.sock')
  const config = kind === 'Unix socket' ? { ...PORT, listen: `unix:${path}` } : PORT
  const listener = createListener(config, (request) => app.fetch(request))
  const app: TestApp = startTestApp({
    settings: { registration: 'open' },
    peerOf: listener.peerOf,
    idleLimit: listener.idleLimit,
  })
  const isTls = kind === 'port with TLS'
  const { port } = await listener.start(isTls ? { cert: CERTIFICATE, key: PRIVATE_KEY } : undefined)
  const base = `${isTls ? 'https' : 'http'}://127.0.0.1:${port}`
  const fetchThere = async (request: Request) => {
    const { pathname, search } = new URL(request.url)
    const { method, headers } = request
    const body = method === 'GET' ? undefined : await request.bytes()
    return fetch(`${kind === 'Unix socket' ? 'http://localhost' : base}${pathname}${search}`, {
      ...{ method, headers, body, keepalive: false, proxy: false },
      ...(kind === 'Unix socket' && { unix: path }),
      ...(isTls && { tls: { rejectUnauthorized: false } }),
    })
  }
  return {
    client: (headers?: Record<string, string>) => clientOf({ fetch: fetchThere }, headers),
    async [Symbol.asyncDispose]() {
      await listener.stop(true)
      app.end()
    },
  }
}

const ACTION = { podcast: 'https://feeds.example/a', episode: 'https://feeds.example/a/1.mp3', action: 'download' }

test.each(['port', 'port with TLS', 'Unix socket'] as const)('every kind of change works on a %s', async (kind) => {
  await using server = await open(kind)
  const account = { username: 'ida', password: 'seaglass' }
  expect(await server.client().post('/api/2/register', account)).toMatchObject({ status: 200 })
  const ida = server.client(basic('ida', 'seaglass'))
  for (const [method, path, body] of [
    ['POST', '/api/2/auth/ida/login.json', undefined],
    ['PUT', '/subscriptions/ida/phone.txt', 'https://feeds.example/a\n'],
    ['POST', '/api/2/episodes/ida.json', Array.from({ length: 2000 }, (_, n) => ({ ...ACTION, device: `${n % 9}` }))],
    ['DELETE', '/api/2/devices/ida/phone.json', undefined],
  ] as const)
    expect([path, (await ida.call(method, path, { body })).status]).toEqual([path, 200])
})

const answer = async () => new Response()

test('another certificate can be served on the same port', async () => {
  const listener = createListener(PORT, answer)
  const { port } = await listener.start({ cert: CERTIFICATE, key: PRIVATE_KEY })
  expect(await certificateAt(port)).toBe(new X509Certificate(CERTIFICATE).fingerprint256)
  listener.useCertificate({ cert: UNKNOWN_CERTIFICATE, key: PRIVATE_KEY })
  expect(listener.server()?.port).toBe(port)
  expect(await certificateAt(port)).toBe(new X509Certificate(UNKNOWN_CERTIFICATE).fingerprint256)
  await listener.stop()
})

function certificateAt(port: number | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: port ?? 0, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256)
      socket.end()
    })
    socket.on('error', reject)
  })
}

test('an address that cannot be used is reported with its settings', async () => {
  const port = await freePort(PORT.host)
  const first = createListener({ ...PORT, port }, answer)
  await first.start()
  await expect(createListener({ ...PORT, port }, answer).start()).rejects.toThrow(
    `error: cannot listen on 127.0.0.1 port ${port} (settings host, port): `,
  )
  await first.stop()
  const listen = `unix:${join(dirs.make(), 'long'.repeat(60))}`
  await expect(createListener({ ...PORT, listen }, answer).start()).rejects.toThrow(
    `error: cannot listen on ${listen} (setting listen): `,
  )
})
