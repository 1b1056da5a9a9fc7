import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { basic } from '../support/client.ts'
import { podstep } from './support/command.ts'
import { emptyFolder } from './support/folder.ts'
import { startServer } from './support/server.ts'

const LINUX = existsSync('/proc/self/status')

/** The most memory the process has ever had, in MB. */
function peakMemory(pid: number): number {
  const kilobytes = /VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}

describe.skipIf(!LINUX)('a body made to cost much when it is refused', () => {
  test('costs little: the refusal does not contain it', async () => {
    using folder = emptyFolder()
    await podstep(['user', 'create', 'ida'], { cwd: folder.path, stdin: 'seaglass' })
    // Whatever the environment says: this is what a development machine sets.
    await using server = await startServer({ cwd: folder.path, env: { NODE_ENV: 'development' } })
    const ida = server.client(basic('ida', 'seaglass'))
    const nested = (items: number) => `${'['.repeat(60)}[${'0,'.repeat(items)}0]${']'.repeat(60)}`
    const bodyOf = (items: number) => `{"old_password":${nested(items)},"new_password":"seaglass"}`
    const refused = await ida.post('/api/2/me/password', bodyOf(9000))
    expect([refused.status, refused.json]).toMatchObject([400, { error: 'validation_failed', field: 'old_password' }])
    // Not even parsed.
    expect(await ida.post('/api/2/me/password', bodyOf(2_000_000))).toMatchObject({ status: 413 })
    expect(peakMemory(server.pid)).toBeLessThan(400)
  })
})
