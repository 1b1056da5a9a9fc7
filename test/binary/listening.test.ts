import { expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { chmodSync, existsSync, lstatSync } from 'node:fs'
import { connect } from 'node:tls'
import { CERTIFICATE, PRIVATE_KEY, UNKNOWN_CERTIFICATE } from '../support/certificate.ts'
import { basic } from '../support/client.ts'
import { podstep } from './support/command.ts'
import { emptyFolder } from './support/folder.ts'
import { startServer } from './support/server.ts'

/** Unsets host and port, which `startServer` sets. */
const NO_PORT = { SVC_HOST: undefined, SVC_PORT: undefined }

test('a Unix socket is used by requests and commands, replaced after a kill, and removed at a stop', async () => {
  using folder = emptyFolder()
  const path = folder.file('podstep.sock')
  const env = { ...NO_PORT, SVC_LISTEN: `unix:${path}`, SVC_SOCKET_MODE: '0600', SVC_REGISTRATION: 'open' }
  const ask = (at: string, init: RequestInit = {}) =>
    fetch(`http://localhost${at}`, { ...init, unix: path, proxy: false })
  const killed = await startServer({ cwd: folder.path, env })
  expect(killed.ready).toMatchObject({ address: `unix:${path}`, listen: `unix:${path}` })
  expect(lstatSync(path).mode & 0o777).toBe(0o600)
  expect((await ask('/readyz')).status).toBe(200)
  const register = { method: 'POST', body: JSON.stringify({ username: 'ida', password: 'seaglass' }) }
  expect((await ask('/api/2/register', register)).status).toBe(200)
  const upload = { method: 'POST', headers: basic('ida', 'seaglass'), body: '{"add":["https://feeds.example/a"]}' }
  expect((await ask('/api/2/subscriptions/ida/phone.json', upload)).status).toBe(200)
  expect(await podstep(['healthcheck'], { cwd: folder.path, env })).toMatchObject({ code: 0 })
  await killed[Symbol.asyncDispose]()
  expect(existsSync(path)).toBe(true)
  const unhealthy = await podstep(['healthcheck'], { cwd: folder.path, env })
  expect(unhealthy).toMatchObject({ code: 1, err: expect.stringContaining(`unix:${path} /readyz does not answer`) })

  await using server = await startServer({ cwd: folder.path, env })
  expect((await ask('/api/2/server')).status).toBe(200)
  using other = emptyFolder()
  const second = await podstep(['serve'], { cwd: other.path, env })
  expect(second).toMatchObject({ code: 1, err: expect.stringContaining('another server answers there already') })
  await server.stop()
  expect(existsSync(path)).toBe(false)
})

/** The fingerprint of the server's certificate. */
function served(port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
    resolve(socket.getPeerCertificate().fingerprint256)
    socket.end()
  })
  socket.on('error', reject)
  return promise
}

const fingerprint = (pem: string) => new X509Certificate(pem).fingerprint256

test('with TLS: cookies are secure, and SIGHUP loads a new valid certificate without closing connections', async () => {
  using folder = emptyFolder()
  folder.file('cert.pem', CERTIFICATE)
  chmodSync(folder.file('key.pem', PRIVATE_KEY), 0o600)
  const env = { SVC_TLS_CERT: 'cert.pem', SVC_TLS_KEY: 'key.pem', SVC_REGISTRATION: 'open' }
  await using server = await startServer({ cwd: folder.path, env })
  const { port } = server
  expect(server.ready).toMatchObject({ address: `https://127.0.0.1:${port}` })
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`https://127.0.0.1:${port}${path}`, { ...init, tls: { rejectUnauthorized: false }, keepalive: false })
  expect(await podstep(['healthcheck', '--port', String(port)], { cwd: folder.path, env })).toMatchObject({ code: 0 })
  const checked = await podstep(['check-config'], { cwd: folder.path, env })
  expect(checked.out).toContain('the TLS certificate is valid until 2120-')
  const account = { username: 'ida', password: 'seaglass' }
  await ask('/api/2/register', { method: 'POST', body: JSON.stringify(account) })
  const login = await ask('/api/2/auth/ida/login.json', { method: 'POST', headers: basic('ida', 'seaglass') })
  expect(login.headers.get('set-cookie')).toContain('Secure')
  const events = await ask('/api/2/me/events', { headers: basic('ida', 'seaglass') })
  const reader = events.body?.getReader()
  expect(await served(port)).toBe(fingerprint(CERTIFICATE))

  folder.file('cert.pem', 'half a certificate')
  server.signal('SIGHUP')
  await server.logged('the TLS certificate stays as it was, since the new one cannot be used')
  expect(await served(port)).toBe(fingerprint(CERTIFICATE))
  folder.file('cert.pem', UNKNOWN_CERTIFICATE)
  server.signal('SIGHUP')
  await server.logged('a new TLS certificate is in use')
  expect(await served(port)).toBe(fingerprint(UNKNOWN_CERTIFICATE))
  // The connection opened before still receives hints.
  await ask('/api/2/devices/ida/phone.json', {
    method: 'POST',
    body: '{"caption":"Phone"}',
    headers: basic('ida', 'seaglass'),
  })
  let text = ''
  while (!text.includes('devices')) {
    const piece = await reader?.read()
    if (!piece || piece.done) throw new Error(`the stream ended: ${text}`)
    text += new TextDecoder().decode(piece.value)
  }
  // Plain HTTP is not answered.
  await expect(fetch(`http://127.0.0.1:${port}/readyz`)).rejects.toThrow()
  await reader?.cancel()
  await server.stop()
})
