import { describe, expect, test } from 'bun:test'
import { type Answer, basic, cookieOf } from '../support/client.ts'
import { type Outcome, podstep } from './support/command.ts'
import { emptyFolder, type Folder } from './support/folder.ts'
import { CHANGES, IDA, startScene } from './support/scene.ts'
import { type Server, startServer } from './support/server.ts'

function user(folder: Folder, words: string, stdin?: string): Promise<Outcome> {
  return podstep(['user', ...words.split(' ')], { cwd: folder.path, ...(stdin !== undefined && { stdin }) })
}

function me(server: Server, headers: Record<string, string>): Promise<Answer> {
  return server.client(headers).get('/api/2/me')
}

const OLAF = basic('olaf', 'seaglass')

test('without a server, podstep user makes accounts that can sign in, the first an administrator, and lists them', async () => {
  using folder = emptyFolder()
  const created = { code: 0, out: 'created ida (administrator)\n', err: '' }
  expect(await user(folder, 'create ida --email ida@pods.example', 'seaglass\n')).toEqual(created)
  expect((await user(folder, 'list')).out.split('\n').map((line) => line.split(/\s+/))).toEqual([
    ['USER', 'STATE', 'ROLE', 'DEVICES', 'FEEDS', 'EMAIL'],
    ['ida', 'active', 'admin', '0', '0', 'ida@pods.example'],
    [''],
  ])
  expect((await user(folder, 'create olaf', 'seaglass')).out).toBe('created olaf\n')
  expect((await user(folder, 'create inga --admin', 'seaglass\r\n')).out).toBe('created inga (administrator)\n')
  const listed = { username: 'ida', email: 'ida@pods.example', state: 'active', is_admin: true }
  const [, , first] = JSON.parse((await user(folder, 'list --json')).out).toReversed()
  expect(first).toEqual({ ...listed, devices: 0, subscriptions: 0 })
  await using server = await startServer({ cwd: folder.path })
  for (const [name, isAdmin] of [
    ['ida', true],
    ['olaf', false],
    ['inga', true],
  ] as const)
    expect((await me(server, basic(name, 'seaglass'))).json).toMatchObject({ username: name, is_admin: isAdmin })
})

describe('podstep user, beside a running server, works at once:', () => {
  test('every command, and for sessions and passwords that were verified a moment ago', async () => {
    await using scene = await startScene()
    const { folder, server } = scene
    expect((await user(folder, 'create olaf', 'seaglass')).code).toBe(0)
    await server.client(OLAF).put('/subscriptions/olaf/phone.json', ['https://a.example/1', 'https://a.example/2'])
    expect(JSON.parse((await user(folder, 'list --json')).out)).toMatchObject([
      { username: 'ida', devices: 0, subscriptions: 0 },
      { username: 'olaf', devices: 1, subscriptions: 2 },
    ])

    for (const [role, isAdmin] of [
      ['admin', true],
      ['user', false],
    ] as const) {
      expect((await user(folder, `set-role olaf ${role}`)).code).toBe(0)
      expect((await me(server, OLAF)).json).toMatchObject({ is_admin: isAdmin })
    }

    let cookie = cookieOf(await me(server, OLAF))
    expect((await me(server, cookie)).status).toBe(200)
    expect((await user(folder, 'deactivate olaf')).code).toBe(0)
    expect((await me(server, cookie)).status).toBe(401)
    expect(await me(server, OLAF)).toMatchObject({ status: 403, json: { error: 'account_inactive' } })
    expect((await user(folder, 'activate olaf')).code).toBe(0)
    expect((await me(server, cookie)).status).toBe(401)

    cookie = cookieOf(await me(server, OLAF))
    expect((await user(folder, 'set-password olaf', 'driftwood\n')).out).toContain('changed the password of olaf')
    for (const old of [OLAF, cookie]) expect((await me(server, old)).status).toBe(401)
    const olaf = basic('olaf', 'driftwood')
    cookie = cookieOf(await me(server, olaf))

    expect((await user(folder, 'delete olaf --yes')).code).toBe(0)
    for (const old of [olaf, cookie]) expect((await me(server, old)).status).toBe(401)
    expect((await user(folder, 'create olaf', 'seaglass')).code).toBe(0)
    expect((await me(server, OLAF)).status).toBe(200)
  }, 20_000)

  test('while clients write all the time', async () => {
    await using scene = await startScene()
    const client = scene.server.client(cookieOf(await me(scene.server, IDA)))
    const over = new AbortController()
    const statuses = new Set<number>()
    const writing = (async () => {
      for (let n = 0; !over.signal.aborted; n++)
        statuses.add((await client.post(CHANGES, { add: [`https://a.example/${n}`] })).status)
    })()
    const names = ['ada', 'bo', 'cleo', 'dag']
    const outcomes = await Promise.all(names.map((name) => user(scene.folder, `create ${name}`, 'seaglass')))
    over.abort()
    await writing
    expect(outcomes.map(({ code, err }) => ({ code, err }))).toEqual(names.map(() => ({ code: 0, err: '' })))
    expect([...statuses]).toEqual([200])
  })
})

test('podstep user refuses with a reason, and changes nothing', async () => {
  using folder = emptyFolder()
  await user(folder, 'create ida', 'seaglass')
  for (const [words, stdin, code, says] of [
    ['create IDA', 'seaglass', 1, 'error: '],
    ['create current', 'seaglass', 1, 'error: '],
    ['create ada', 'abc', 1, 'password must have at least 4 characters'],
    ['create ada', '', 1, 'password must have at least 4 characters'],
    ['create ada seaglass', '', 2, 'Passwords are asked for, never given as arguments'],
    ['create ada --password=x', '', 2, "Unknown option '--password'"],
    ['set-password ada', 'seaglass', 1, 'unknown user: ada'],
    ['set-role ada admin', undefined, 1, 'unknown user: ada'],
    ['deactivate ada', undefined, 1, 'unknown user: ada'],
    ['delete ada --yes', undefined, 1, 'unknown user: ada'],
    ['delete ida', undefined, 2, 'add --yes to delete without being asked'],
    ['deactivate ida', undefined, 1, 'this is the last active administrator'],
    ['set-role ida user', undefined, 1, 'this is the last active administrator'],
    ['delete ida --yes', undefined, 1, 'this is the last active administrator'],
  ] as const) {
    const outcome = await user(folder, words, stdin)
    expect([words, outcome.code, outcome.out]).toEqual([words, code, ''])
    expect(outcome.err).toContain(says)
  }
  expect(JSON.parse((await user(folder, 'list --json')).out)).toMatchObject([
    { username: 'ida', state: 'active', is_admin: true },
  ])
}, 20_000)
