import { expect, test } from 'bun:test'
import { existsSync, lstatSync } from 'node:fs'
import { podstep } from './support/command.ts'
import { emptyFolder } from './support/folder.ts'
import { startServer } from './support/server.ts'

/** Neither host nor port, which the support for tests sets otherwise. */
const NO_PORT = { SVC_HOST: undefined, SVC_PORT: undefined }

test('on a Unix socket: it answers there alone, commands find it, a killed one is replaced, and a stop removes it', async () => {
  using folder = emptyFolder()
  const path = folder.file('podstep.sock')
  const env = { ...NO_PORT, SVC_LISTEN: `unix:${path}`, SVC_SOCKET_MODE: '0600' }
  const ask = (at: string) => fetch(`http://localhost${at}`, { unix: path, proxy: false })
  const killed = await startServer({ cwd: folder.path, env })
  expect(killed.ready).toMatchObject({ address: `unix:${path}`, listen: `unix:${path}` })
  expect(lstatSync(path).mode & 0o777).toBe(0o600)
  expect((await ask('/readyz')).status).toBe(200)
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
