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
    const wide = `[${'0,'.repeat(2_000_000)}0]`
    const body = `{"old_password":${'['.repeat(60)}${wide}${']'.repeat(60)},"new_password":"seaglass"}`
    const answer = await server.client(basic('ida', 'seaglass')).post('/api/2/me/password', body)
    expect([answer.status, answer.json]).toMatchObject([400, { error: 'validation_failed', field: 'old_password' }])
    expect(peakMemory(server.pid)).toBeLessThan(400)
  })
})
