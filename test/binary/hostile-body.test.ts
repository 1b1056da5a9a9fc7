import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
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
    // Whatever the environment says: this is what a development machine sets.
    await using server = await startServer({ cwd: folder.path, env: { NODE_ENV: 'development' } })
    const wide = `[${'0,'.repeat(2_000_000)}0]`
    const body = `{"username":${'['.repeat(60)}${wide}${']'.repeat(60)},"password":"seaglass"}`
    const answer = await server.client().post('/api/2/register', body)
    expect([answer.status, answer.json]).toMatchObject([400, { error: 'validation_failed', field: 'username' }])
    expect(peakMemory(server.pid)).toBeLessThan(400)
  })
})
