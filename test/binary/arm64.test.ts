import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { version } from '../../package.json'
import { basic } from '../support/client.ts'
import { ARM64_BINARY, staleness } from './support/binary.ts'
import { podstep } from './support/command.ts'
import { emptyFolder } from './support/folder.ts'
import { startServer } from './support/server.ts'

/** Debian: qemu-user-static libc6-arm64-cross libgcc-s1-arm64-cross. */
const EMULATOR = Bun.which('qemu-aarch64-static')
const LIBRARIES = '/usr/aarch64-linux-gnu'

function whyNot(): string | undefined {
  if (EMULATOR === null) return 'there is no qemu-aarch64-static'
  if (!existsSync(`${LIBRARIES}/lib/ld-linux-aarch64.so.1`)) return `there are no arm64 libraries in ${LIBRARIES}`
  const reason = staleness(ARM64_BINARY)
  return reason && `${reason} (bun run build:all)`
}

const reason = whyNot()
if (reason) process.stderr.write(`skipped: the arm64 executable is not tried, ${reason}\n`)
const program = [EMULATOR ?? '', '-L', LIBRARIES, ARM64_BINARY]

describe.skipIf(reason !== undefined)('the arm64 executable, emulated', () => {
  test('tells its version', async () => {
    using folder = emptyFolder()
    expect(await podstep(['version'], { cwd: folder.path, program })).toEqual({
      code: 0,
      out: `podstep ${version}\n`,
      err: '',
    })
  }, 30_000)

  test('starts, registers, syncs, stops in order and finds everything again', async () => {
    using folder = emptyFolder()
    const feeds = ['https://a.example/1', 'https://a.example/2']
    const ida = basic('ida', 'seaglass')
    {
      await using server = await startServer({ cwd: folder.path, program })
      await server.client().post('/api/2/register', { username: 'ida', password: 'seaglass' })
      const client = server.client(ida)
      expect((await client.post('/api/2/subscriptions/ida/phone.json', { add: feeds })).status).toBe(200)
      expect((await client.post('/api/2/devices/ida/laptop.json', {})).status).toBe(200)
      const joined = await client.post('/api/2/sync-devices/ida.json', { synchronize: [['phone', 'laptop']] })
      expect(joined.json).toEqual({ synchronized: [['phone', 'laptop']], 'not-synchronized': [] })
      await server.stop()
    }
    await using server = await startServer({ cwd: folder.path, program })
    expect((await server.client(ida).get('/subscriptions/ida/laptop.json')).json).toEqual(feeds)
  }, 60_000)
})
