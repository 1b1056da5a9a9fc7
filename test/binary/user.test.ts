import { describe, expect, test } from 'bun:test'
import { type Answer, basic, cookieOf } from '../support/client.ts'
import { PATIENCE_MS } from '../support/eventually.ts'
import { requireBinary } from './support/binary.ts'
import { type Outcome, podstep } from './support/command.ts'
import { emptyFolder, type Folder } from './support/folder.ts'
import { createUser, startScene } from './support/scene.ts'
import { type Server, startServer } from './support/server.ts'

function user(folder: Folder, words: string, stdin?: string): Promise<Outcome> {
  return podstep(['user', ...words.split(' ')], { cwd: folder.path, ...(stdin !== undefined && { stdin }) })
}

function me(server: Server, headers: Record<string, string>): Promise<Answer> {
  return server.client(headers).get('/api/2/me')
}

const OLAF = basic('olaf', 'seaglass')

const users = async (folder: Folder) => JSON.parse((await user(folder, 'list --json')).out)

test('without a running server, podstep user creates and lists accounts, the first one an administrator', async () => {
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
  expect((await users(folder))[0]).toEqual({ ...listed, devices: 0, subscriptions: 0, second_factor: false })
  await using server = await startServer({ cwd: folder.path })
  for (const name of ['ida', 'olaf', 'inga'])
    expect((await me(server, basic(name, 'seaglass'))).json).toMatchObject({ is_admin: name !== 'olaf' })
})

test('beside a running server, podstep user takes effect immediately, also on sessions and cached passwords', async () => {
  await using scene = await startScene()
  const { folder, server } = scene
  expect((await user(folder, 'create olaf', 'seaglass')).code).toBe(0)
  await server.client(OLAF).put('/subscriptions/olaf/phone.json', ['https://a.example/1', 'https://a.example/2'])
  expect(await users(folder)).toMatchObject([
    { username: 'ida', devices: 0, subscriptions: 0 },
    { username: 'olaf', devices: 1, subscriptions: 2 },
  ])

  for (const role of ['admin', 'user']) {
    expect((await user(folder, `set-role olaf ${role}`)).code).toBe(0)
    expect((await me(server, OLAF)).json).toMatchObject({ is_admin: role === 'admin' })
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
})

test('podstep user explains what it refuses, and changes nothing', async () => {
  using folder = emptyFolder()
  await user(folder, 'create ida', 'seaglass')
  for (const [words, stdin, code, says] of [
    ['create IDA', 'seaglass', 1, 'error: '],
    ['create current', 'seaglass', 1, 'error: '],
    ['create ada', 'abc', 1, 'password must have at least 4 characters'],
    ['create ada', '', 1, 'password must have at least 4 characters'],
    ['create ada seaglass', '', 2, 'passwords are asked for, never given as arguments'],
    ['create ada --password=x', '', 2, "Unknown option '--password'"],
    ['set-password ada', 'seaglass', 1, 'unknown user: ada'],
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
  expect(await users(folder)).toMatchObject([{ username: 'ida', state: 'active', is_admin: true }])
})

/** Runs a command at a pseudo-terminal and answers each question of `dialogue`. Returns everything shown. */
async function atTerminal(
  folder: Folder,
  words: string,
  dialogue: Record<string, string>,
): Promise<{ code: number | null; screen: string }> {
  let screen = ''
  let seen = 0
  const questions = Object.entries(dialogue)
  const child = Bun.spawn([requireBinary(), ...words.split(' ')], {
    cwd: folder.path,
    env: {},
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
    terminal: {
      data(terminal, bytes) {
        screen += Buffer.from(bytes).toString()
        const [next] = questions
        const at = next ? screen.indexOf(next[0], seen) : -1
        if (!next || at === -1) return
        seen = at + next[0].length
        questions.shift()
        terminal.write(next[1])
      },
    },
  })
  await child.exited
  child.terminal?.close()
  return { code: child.exitCode, screen }
}

const CTRL_C = '\u0003'
const BACKSPACE = '\u007f'

describe('at a terminal, podstep user', () => {
  test('create asks for the password twice without showing it, with backspace and non-ASCII letters', async () => {
    using folder = emptyFolder()
    const typed = { 'Password: ': `snø-i-majx${BACKSPACE}\r`, 'Again: ': 'snø-i-maj\r' }
    const { code, screen } = await atTerminal(folder, 'user create ida', typed)
    expect(code).toBe(0)
    expect(screen).toContain('created ida (administrator)')
    expect(screen).not.toContain('snø')
    await using server = await startServer({ cwd: folder.path })
    expect((await server.client(basic('ida', 'snø-i-maj')).get('/api/2/me')).status).toBe(200)
  })

  test('create makes no account if the passwords differ or on Ctrl-C', async () => {
    using folder = emptyFolder()
    for (const [typed, message] of [
      [{ 'Password: ': 'sea\r', 'Again: ': 'see\r' }, 'the two passwords differ; nothing was changed'],
      [{ 'Password: ': `sea${CTRL_C}` }, 'nothing was changed'],
    ] as const) {
      const { code, screen } = await atTerminal(folder, 'user create ida', typed)
      expect(code).toBe(1)
      expect(screen).toContain(message)
    }
    expect(await users(folder)).toEqual([])
  })

  test('delete asks for the user name, and deletes only if it is typed', async () => {
    using folder = emptyFolder()
    for (const name of ['ida', 'olaf']) await createUser(folder, name)
    const question = 'Type the name to confirm: '
    const wrong = await atTerminal(folder, 'user delete olaf', { [question]: 'yes\r' })
    expect(wrong.code).toBe(1)
    expect(wrong.screen).toContain('nothing was deleted')
    expect(await users(folder)).toMatchObject([{ username: 'ida' }, { username: 'olaf' }])
    const right = await atTerminal(folder, 'user delete olaf', { [question]: 'olaf\r' })
    expect(right.code).toBe(0)
    expect(await users(folder)).toMatchObject([{ username: 'ida' }])
  })
})
