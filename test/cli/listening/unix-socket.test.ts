import { expect, test } from 'bun:test'
import { existsSync, lstatSync, renameSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { clearSocket, socketRemover, withMode } from '../../../src/cli/listening/unix-socket.ts'
import { tempDirs } from '../../store/temp-dir.ts'

const dirs = tempDirs()
const place = () => join(dirs.make(), 'podstep.sock')
const modeOf = (path: string) => lstatSync(path).mode & 0o777

async function listenOn(path: string): Promise<Server & AsyncDisposable> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return server
}

/** Leaves a socket like a killed process. */
async function leaveSocket(path: string): Promise<void> {
  const server = await listenOn(`${path}.moved`)
  // Closing a server removes the file at its original name.
  renameSync(`${path}.moved`, path)
  await new Promise((resolve) => server.close(resolve))
}

test('a free path is accepted, and a socket without a server is removed', async () => {
  const path = place()
  await clearSocket(path)
  await leaveSocket(path)
  expect(existsSync(path)).toBe(true)
  await clearSocket(path)
  expect(existsSync(path)).toBe(false)
})

test('the socket of a running server is not removed', async () => {
  const path = place()
  await using _server = await listenOn(path)
  await expect(clearSocket(path)).rejects.toThrow(`unix:${path} (setting listen): another server answers there already`)
  expect(existsSync(path)).toBe(true)
})

test('a path that is no socket is refused, and nothing is removed', async () => {
  const path = place()
  writeFileSync(path, 'precious')
  await expect(clearSocket(path)).rejects.toThrow('no socket')
  expect(existsSync(path)).toBe(true)
  const folder = place()
  await expect(clearSocket(join(folder, 'deeper.sock'))).rejects.toThrow(`the folder ${folder} does not exist`)
})

test('nobody else can connect before the mode is set', async () => {
  const path = place()
  let first = 0
  const bound = withMode(path, '0660', () => {
    const server = Bun.serve({ unix: path, fetch: () => new Response() })
    first = modeOf(path)
    return server
  })
  expect([first, modeOf(path)]).toEqual([0o600, 0o660])
  writeFileSync(`${path}.after`, '')
  expect(modeOf(`${path}.after`) & 0o600).toBe(0o600)
  await bound.stop(true)
})

test('a socket is removed at the end, unless another one has replaced it', async () => {
  const path = place()
  await leaveSocket(path)
  const remove = socketRemover(path)
  renameSync(path, `${path}.old`)
  await leaveSocket(path)
  remove()
  expect(existsSync(path)).toBe(true)
  socketRemover(path)()
  expect(existsSync(path)).toBe(false)
})
