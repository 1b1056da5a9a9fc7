import { expect, test } from 'bun:test'
import { podstep } from './support/command.ts'
import { emptyFolder } from './support/folder.ts'
import { startServer } from './support/server.ts'

/** What `--json` prints, as statuses by check. */
function statuses(out: string) {
  const { ok, checks }: { ok: boolean; checks: { check: string; status: string }[] } = JSON.parse(out)
  return { ok, ...Object.fromEntries(checks.map(({ check, status }) => [check, status])) }
}

test('podstep doctor finds a server in order, and tells when it is gone', async () => {
  using folder = emptyFolder()
  const args = ['doctor', '--json', '--port']
  let port = ''
  {
    await using server = await startServer({ cwd: folder.path })
    port = String(server.port)
    const { code, out } = await podstep([...args, port], { cwd: folder.path })
    expect(code).toBe(0)
    expect(statuses(out)).toMatchObject({
      ok: true,
      'data folder': 'ok',
      database: 'ok',
      server: 'ok',
      mail: 'skipped',
    })
  }
  const { code, out } = await podstep([...args, port], { cwd: folder.path })
  expect(code).toBe(0)
  expect(statuses(out)).toMatchObject({ ok: true, database: 'ok', server: 'warning' })
})

test.each([
  [['--data-dir', 'file'], 1, 'error'],
  [['--port', 'high'], 2, undefined],
] as const)('podstep doctor %j ends with %i', async (args, expected, dataFolder) => {
  using folder = emptyFolder()
  await Bun.write(folder.file('file'), '')
  const { code, out } = await podstep(['doctor', '--json', ...args], { cwd: folder.path })
  expect(code).toBe(expected)
  expect(statuses(out)).toMatchObject({ ok: false, ...(dataFolder && { 'data folder': dataFolder }) })
})
