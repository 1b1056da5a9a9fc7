import { describe, expect, test } from 'bun:test'
import { type Answer, basic, cookieOf } from '../support/client.ts'
import { type Outcome, podstep } from './support/command.ts'
import { emptyFolder, type Folder } from './support/folder.ts'
import { type Server, startServer } from './support/server.ts'

function user(folder: Folder, words: string, stdin?: string): Promise<Outcome> {
  return podstep(['user', ...words.split(' ')], { cwd: folder.path, ...(stdin !== undefined && { stdin }) })
}

/** `ida`, an administrator, and `olaf`, both with the password "seaglass", on a running server. */
async function twoUsers(folder: Folder): Promise<Server> {
  const server = await startServer({ cwd: folder.path })
  await user(folder, 'create ida --email ida@pods.example', 'seaglass\n')
  await user(folder, 'create olaf', 'seaglass\n')
  return server
}

function me(server: Server, headers: Record<string, string>): Promise<Answer> {
  return server.client(headers).get('/api/2/me')
}

describe('podstep user, without a server', () => {
  test('create on an empty folder makes the first account, an administrator, active and able to log in', async () => {
    using folder = emptyFolder()
    expect(await user(folder, 'create ida', 'seaglass\n')).toEqual({
      code: 0,
      out: 'created ida (administrator)\n',
      err: '',
    })
    expect((await user(folder, 'create olaf', 'seaglass')).out).toBe('created olaf\n')
    expect((await user(folder, 'create inga --admin', 'seaglass\r\n')).out).toBe('created inga (administrator)\n')
    await using server = await startServer({ cwd: folder.path })
    for (const [name, isAdmin] of [
      ['ida', true],
      ['olaf', false],
      ['inga', true],
    ] as const)
      expect((await me(server, basic(name, 'seaglass'))).json).toMatchObject({ username: name, is_admin: isAdmin })
  })

  test('list prints a table, or JSON', async () => {
    using folder = emptyFolder()
    await user(folder, 'create ida --email ida@pods.example', 'seaglass')
    expect((await user(folder, 'list')).out.split('\n').map((line) => line.split(/\s+/))).toEqual([
      ['USER', 'STATE', 'ROLE', 'DEVICES', 'FEEDS', 'EMAIL'],
      ['ida', 'active', 'admin', '0', '0', 'ida@pods.example'],
      [''],
    ])
    expect(JSON.parse((await user(folder, 'list --json')).out)).toEqual([
      { username: 'ida', email: 'ida@pods.example', state: 'active', is_admin: true, devices: 0, subscriptions: 0 },
    ])
  })
})

describe('podstep user, beside a running server, works at once:', () => {
  test('create makes an account that can log in', async () => {
    using folder = emptyFolder()
    await using server = await twoUsers(folder)
    expect((await me(server, basic('olaf', 'seaglass'))).json).toMatchObject({ username: 'olaf', is_admin: false })
  })

  test('list sees what the server has just acknowledged', async () => {
    using folder = emptyFolder()
    await using server = await twoUsers(folder)
    const client = server.client(basic('olaf', 'seaglass'))
    await client.put('/subscriptions/olaf/phone.json', ['https://a.example/1', 'https://a.example/2'])
    expect(JSON.parse((await user(folder, 'list --json')).out)).toMatchObject([
      { username: 'ida', devices: 0, subscriptions: 0 },
      { username: 'olaf', devices: 1, subscriptions: 2 },
    ])
  })

  test('set-password ends sessions and makes the old password wrong, even one verified a moment ago', async () => {
    using folder = emptyFolder()
    await using server = await twoUsers(folder)
    const old = basic('olaf', 'seaglass')
    const cookie = cookieOf(await me(server, old))
    expect((await me(server, cookie)).status).toBe(200)
    expect((await user(folder, 'set-password olaf', 'driftwood\n')).out).toContain('changed the password of olaf')
    expect((await me(server, old)).status).toBe(401)
    expect((await me(server, cookie)).status).toBe(401)
    expect((await me(server, basic('olaf', 'driftwood'))).status).toBe(200)
  })

  test('deactivate ends sessions and refuses the password with 403; activate lets the password in again', async () => {
    using folder = emptyFolder()
    await using server = await twoUsers(folder)
    const olaf = basic('olaf', 'seaglass')
    const cookie = cookieOf(await me(server, olaf))
    expect((await user(folder, 'deactivate olaf')).code).toBe(0)
    expect((await me(server, cookie)).status).toBe(401)
    const refused = await me(server, olaf)
    expect([refused.status, refused.json]).toMatchObject([403, { error: 'account_inactive' }])
    expect((await user(folder, 'activate olaf')).code).toBe(0)
    expect((await me(server, olaf)).status).toBe(200)
    expect((await me(server, cookie)).status).toBe(401)
  })

  test('set-role makes an administrator and takes the role away', async () => {
    using folder = emptyFolder()
    await using server = await twoUsers(folder)
    const olaf = basic('olaf', 'seaglass')
    for (const [role, isAdmin] of [
      ['admin', true],
      ['user', false],
    ] as const) {
      expect((await user(folder, `set-role olaf ${role}`)).code).toBe(0)
      expect((await me(server, olaf)).json).toMatchObject({ is_admin: isAdmin })
    }
  })

  test('delete --yes removes the account; its session and password are worth nothing, its name is free', async () => {
    using folder = emptyFolder()
    await using server = await twoUsers(folder)
    const olaf = basic('olaf', 'seaglass')
    const cookie = cookieOf(await me(server, olaf))
    expect((await user(folder, 'delete olaf --yes')).code).toBe(0)
    expect((await me(server, cookie)).status).toBe(401)
    expect((await me(server, olaf)).status).toBe(401)
    expect((await user(folder, 'create olaf', 'driftwood')).code).toBe(0)
    expect((await me(server, basic('olaf', 'driftwood'))).status).toBe(200)
  })

  test('while clients write all the time', async () => {
    using folder = emptyFolder()
    await using server = await twoUsers(folder)
    const client = server.client(cookieOf(await me(server, basic('ida', 'seaglass'))))
    const over = new AbortController()
    const statuses = new Set<number>()
    const writing = (async () => {
      for (let n = 0; !over.signal.aborted; n++)
        statuses.add(
          (await client.post('/api/2/subscriptions/ida/phone.json', { add: [`https://a.example/${n}`] })).status,
        )
    })()
    const names = ['ada', 'bo', 'cleo', 'dag']
    const outcomes = await Promise.all(names.map((name) => user(folder, `create ${name}`, 'seaglass')))
    over.abort()
    await writing
    expect(outcomes.map(({ code, err }) => ({ code, err }))).toEqual(names.map(() => ({ code: 0, err: '' })))
    expect([...statuses]).toEqual([200])
  })
})

describe('podstep user refuses', () => {
  const cases: { words: string; stdin?: string; code: number; says: string }[] = [
    { words: 'create ida', stdin: 'seaglass', code: 1, says: 'error: ' },
    { words: 'create IDA', stdin: 'seaglass', code: 1, says: 'error: ' },
    { words: 'create current', stdin: 'seaglass', code: 1, says: 'error: ' },
    { words: 'create ada', stdin: 'abc', code: 1, says: 'password must have at least 4 characters' },
    { words: 'create ada', stdin: '', code: 1, says: 'password must have at least 4 characters' },
    { words: 'create ada seaglass', stdin: '', code: 2, says: 'Passwords are asked for, never given as arguments' },
    { words: 'create ada --password=x', stdin: '', code: 2, says: "Unknown option '--password'" },
    { words: 'set-password ada', stdin: 'seaglass', code: 1, says: 'unknown user: ada' },
    { words: 'set-role ada admin', code: 1, says: 'unknown user: ada' },
    { words: 'deactivate ada', code: 1, says: 'unknown user: ada' },
    { words: 'delete ada --yes', code: 1, says: 'unknown user: ada' },
    { words: 'delete ida', code: 2, says: 'add --yes to delete without being asked' },
    { words: 'deactivate ida', code: 1, says: 'this is the last active administrator' },
    { words: 'set-role ida user', code: 1, says: 'this is the last active administrator' },
    { words: 'delete ida --yes', code: 1, says: 'this is the last active administrator' },
  ]
  test.each(cases)('"user $words" with a reason', async ({ words, stdin, code, says }) => {
    using folder = emptyFolder()
    await user(folder, 'create ida', 'seaglass')
    const outcome = await user(folder, words, stdin)
    expect({ code: outcome.code, out: outcome.out }).toEqual({ code, out: '' })
    expect(outcome.err).toContain(says)
    expect(JSON.parse((await user(folder, 'list --json')).out)).toMatchObject([
      { username: 'ida', state: 'active', is_admin: true },
    ])
  })
})
