import { describe, expect, test } from 'bun:test'
import { readFileSync, readlinkSync } from 'node:fs'
import { platform } from 'node:os'
import { eventually } from '../support/eventually.ts'
import { recordAt } from '../support/openapi.ts'
import { childrenOf, isThere, nicenessOf } from '../support/processes.ts'
import { endlessSchema } from '../transfer/files/hostile-databases.ts'
import { LIST, type Scene, startScene } from './support/scene.ts'

const IMPORTS = '/api/2/me/import'

/** Imports a file that takes forever to read. Returns the process that reads it, and the path of its report. */
async function readEndlessly({ ida, server }: Scene) {
  const headers = { 'content-type': 'application/octet-stream' }
  const { json } = await ida.post(`${IMPORTS}?name=hostile.db`, endlessSchema(), { headers })
  const [pid = 0] = await eventually(
    () => childrenOf(server.pid).filter((child) => commandOf(child)[1] === 'read-imports'),
    (children) => children.length > 0,
  )
  return { pid, path: `${IMPORTS}/${recordAt(json)['id']}` }
}

const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
const goneOf = (pid: number) =>
  eventually(
    () => isThere(pid),
    (isLeft) => !isLeft,
  )

describe.if(platform() === 'linux')('the import reader of the executable', () => {
  test('has the lowest priority and no settings, does not delay others, and ends when cancelled', async () => {
    await using scene = await startScene()
    const { pid, path } = await readEndlessly(scene)
    expect(readlinkSync(`/proc/${pid}/exe`)).toBe(readlinkSync(`/proc/${scene.server.pid}/exe`))
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('SVC_')
    await eventually(
      () => nicenessOf(pid),
      (threads) => threads.every((niceness) => niceness === 19),
    )
    expect(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8').trim()).toBe('500')
    expect(await scene.ida.put(LIST, ['https://feeds.example/a'])).toMatchObject({ status: 200 })
    expect(await scene.ida.delete(path)).toMatchObject({ status: 200 })
    await goneOf(pid)
    expect((await scene.ida.get(path)).json).toMatchObject({ state: 'cancelled' })
  })

  test('takes only its import down when the system kills it', async () => {
    await using scene = await startScene()
    const { pid, path } = await readEndlessly(scene)
    process.kill(pid, 'SIGKILL')
    const { json } = await eventually(
      () => scene.ida.get(path),
      ({ json: report }) => recordAt(report)['state'] !== 'running',
    )
    expect(json).toMatchObject({ state: 'failed', error: 'the file needs too much memory to read' })
    expect(await scene.ida.get('/readyz')).toMatchObject({ status: 200 })
  })

  test.each(['SIGKILL', 'SIGTERM'] as const)('does not outlive the server (%s), even when busy', async (signal) => {
    await using scene = await startScene()
    const { pid } = await readEndlessly(scene)
    scene.server.signal(signal)
    await goneOf(pid)
  })
})
