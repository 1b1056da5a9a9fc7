import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { basic } from '../support/client.ts'
import { requireBinary } from './support/binary.ts'
import { type Outcome, podstep } from './support/command.ts'
import { emptyFolder, type Folder } from './support/folder.ts'
import { createUser, startScene } from './support/scene.ts'
import { type Server, startServer } from './support/server.ts'

const A = 'https://a.example/feed'

function run(folder: Folder, words: readonly string[], server?: Server): Promise<Outcome> {
  return podstep(words, { cwd: folder.path, env: server ? { SVC_PORT: String(server.port) } : {} })
}

/** An archive without its head: user name and time of the export. */
function bodyOf(archive: string): string {
  return archive.slice(archive.indexOf('"devices"'))
}

/** An archive with this number of episode actions. */
function archiveOf(actions: number): string {
  const items = Array.from({ length: actions }, (_, n) => ({
    podcast: A,
    episode: `https://cdn.example/${n}.mp3`,
    action: 'play',
    timestamp: '2025-03-01T10:00:00',
    position: 61,
  }))
  const devices = [{ id: 'phone', caption: 'Phone', type: 'mobile', subscriptions: [{ url: A, added: '' }] }]
  return JSON.stringify({ format: 'podstep account', version: 1, devices, episode_actions: items })
}

describe('podstep export and podstep import', () => {
  test('without a running server move an account to another data folder', async () => {
    using folder = emptyFolder()
    using other = emptyFolder()
    await createUser(folder, 'ida')
    writeFileSync(folder.file('old.json'), archiveOf(3))
    expect(await run(folder, ['import', '--from', 'old.json', '--to', 'ida'])).toMatchObject({
      code: 0,
      out: [
        'devices: 1 imported, 0 already here, 0 skipped',
        'subscriptions: 1 imported, 0 already here, 0 skipped',
        'episode actions: 3 imported, 0 already here, 0 skipped',
        '',
      ].join('\n'),
    })
    expect(await run(folder, ['export', 'ida', '--out', 'ida.json'])).toEqual({ code: 0, out: '', err: '' })
    expect(statSync(folder.file('ida.json')).mode & 0o777).toBe(0o600)

    await createUser(other, 'olaf')
    const moved = await run(other, ['import', '--from', folder.file('ida.json'), '--to', 'olaf'])
    expect(moved.code).toBe(0)
    const { out } = await run(other, ['export', 'olaf'])
    expect(bodyOf(out)).toBe(bodyOf(readFileSync(folder.file('ida.json'), 'utf8')))
    // The commands leave neither files nor sessions.
    expect(readdirSync(join(other.path, 'data', 'imports'))).toEqual([])
    await using server = await startServer({ cwd: other.path })
    expect((await server.client(basic('olaf', 'seaglass')).get('/api/2/me/sessions')).json).not.toContainEqual(
      expect.objectContaining({ client: expect.stringContaining('podstep') }),
    )
  })

  test('use a running server', async () => {
    await using scene = await startScene()
    const { folder, server } = scene
    writeFileSync(folder.file('old.json'), archiveOf(2))
    const words = ['import', '--from', 'old.json', '--to', 'ida']
    expect(await run(folder, words, server)).toMatchObject({
      code: 0,
      out: expect.stringContaining('episode actions: 2 imported'),
    })
    const reports = (await server.client(basic('ida', 'seaglass')).get('/api/2/me/import')).json
    expect(reports).toMatchObject([{ name: 'old.json', state: 'done' }])
    const { out } = await run(folder, ['export', 'ida', '--csv'], server)
    expect(out.split('\r\n')[1]).toMatch(/^2025-03-01T10:00:00,play,,,,,61,,https:\/\/a\.example\/feed,/)
    expect((await run(folder, ['export', 'ida', '--opml'], server)).out).toContain(`xmlUrl="${A}"`)

    // Nothing listens on port 1.
    const elsewhere = await podstep(['export', 'ida'], { cwd: folder.path, env: { SVC_PORT: '1' } })
    expect(elsewhere).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/does not answer at .*--port/) })
  })

  test('resume a killed import when the command is repeated or the server starts', async () => {
    using folder = emptyFolder()
    await createUser(folder, 'ida')
    const total = 40_000
    writeFileSync(folder.file('old.json'), archiveOf(total))
    const words = ['import', '--from', 'old.json', '--to', 'ida']
    /** Sends a signal when the progress matches, and returns the exit code. */
    const kill = async (signal: 'SIGKILL' | 'SIGINT', progress: RegExp) => {
      const child = Bun.spawn([requireBinary(), ...words], {
        ...{ cwd: folder.path, env: {}, stdout: 'ignore', stderr: 'pipe' },
      })
      for await (const piece of child.stderr) if (progress.test(Buffer.from(piece).toString())) break
      child.kill(signal)
      await child.exited
      return child.exitCode
    }
    expect(await kill('SIGINT', / imported/)).toBe(130)
    await kill('SIGKILL', / [1-9]\d* imported/)
    await using server = await startServer({ cwd: folder.path })
    const { code, out } = await run(folder, words, server)
    expect(code).toBe(0)
    expect(out).toMatch(/^episode actions: \d+ imported, \d+ already here, 0 skipped$/m)
    const { json } = await server.client(basic('ida', 'seaglass')).get('/api/2/episodes/ida.json?since=0')
    expect(json).toMatchObject({ actions: { length: total } })
  })

  test('refuse wrong arguments, unknown files and inactive users', async () => {
    using folder = emptyFolder()
    for (const name of ['ida', 'olaf']) await createUser(folder, name)
    await run(folder, ['user', 'deactivate', 'olaf'])
    writeFileSync(folder.file('old.json'), archiveOf(1))
    writeFileSync(folder.file('notes.txt'), 'buy milk')
    for (const [args, code, message] of [
      ['import', 2, 'from where'],
      ['import --from old.json', 2, 'into which account'],
      ['import old.json', 2, 'unexpected argument "old.json"'],
      ['import --from old.json --to nobody', 1, 'unknown user: nobody'],
      ['import --from none.json --to ida', 1, 'there is no file'],
      ['import --from notes.txt --to ida', 1, 'file cannot be imported'],
      ['import --from https://pods.example --to ida', 2, 'as which user'],
      ['import --from https://pods.example --user ida --to ida', 1, 'there is no password'],
      ['import --from old.json --user x --to ida', 2, '--user is for another'],
      ['import --from old.json --kind x --to ida', 2, '--kind is for another'],
      ['export', 2, 'which user'],
      ['export ida olaf', 2, 'unexpected argument "olaf"'],
      ['export ida --csv --opml', 2, 'either'],
      ['export ida --out no/folder/x.json', 1, 'ENOENT'],
      ['export nobody', 1, 'unknown user: nobody'],
      ['export olaf', 1, 'not active'],
    ] as const) {
      const outcome = await run(folder, args.split(' '))
      expect([args, outcome.code]).toEqual([args, code])
      expect(outcome.err).toContain(message)
    }
  })
})
