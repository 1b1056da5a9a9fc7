import { expect, test } from 'bun:test'
import { podstep } from './support/command.ts'
import { emptyFolder } from './support/folder.ts'
import { startServer } from './support/server.ts'

/** The codes in the output of `--json`, by check. */
function codes(out: string) {
  const { ok, checks }: { ok: boolean; checks: { check: string; code: string }[] } = JSON.parse(out)
  return { ok, ...Object.fromEntries(checks.map(({ check, code }) => [check, code])) }
}

test('podstep doctor examines a running server, and works without one', async () => {
  using folder = emptyFolder()
  const args = ['doctor', '--json', '--port']
  let port = ''
  {
    await using server = await startServer({ cwd: folder.path })
    port = String(server.port)
    const { code, out } = await podstep([...args, port], { cwd: folder.path })
    expect(code).toBe(0)
    expect(codes(out)).toMatchObject({
      ...{ ok: true, data_folder: 'folder_ok', database: 'database_ok', feed_worker: 'feed_worker_ok' },
      ...{ server: 'server_ok', base_url: 'base_url_none', mail: 'mail_none' },
    })
    // With base_url, it also checks the server at that address.
    const env = { SVC_BASE_URL: `http://127.0.0.1:${port}` }
    const known = await podstep([...args, port], { cwd: folder.path, env })
    expect(codes(known.out)).toMatchObject({ ok: true, base_url: 'base_url_ok', proxy: 'proxy_none' })
  }
  const { code, out } = await podstep([...args, port], { cwd: folder.path })
  expect(code).toBe(0)
  expect(codes(out)).toMatchObject({ ok: true, database: 'database_ok', server: 'server_none' })
})

test.each([
  [['--data-dir', 'file'], 1, { data_folder: 'folder_no_folder' }],
  [['--port', 'high'], 2, { settings: 'settings_wrong' }],
] as const)('podstep doctor %j exits with %i', async (args, expected, findings) => {
  using folder = emptyFolder()
  await Bun.write(folder.file('file'), '')
  const { code, out } = await podstep(['doctor', '--json', ...args], { cwd: folder.path })
  expect(code).toBe(expected)
  expect(codes(out)).toMatchObject({ ok: false, ...findings })
})
