import { describe, expect, test } from 'bun:test'
import { basic } from '../support/client.ts'
import { requireBinary } from './support/binary.ts'
import { podstep } from './support/command.ts'
import { emptyFolder, type Folder } from './support/folder.ts'
import { createUser } from './support/scene.ts'
import { startServer } from './support/server.ts'

/** Runs a command at a pseudo-terminal and types each answer when its question appears; returns what the screen showed. */
async function atTerminal(
  folder: Folder,
  args: readonly string[],
  dialogue: readonly (readonly [question: string, typed: string])[],
): Promise<{ code: number | null; screen: string }> {
  let screen = ''
  let seen = 0
  const questions = [...dialogue]
  const child = Bun.spawn([requireBinary(), ...args], {
    cwd: folder.path,
    env: {},
    timeout: 20_000,
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

async function users(folder: Folder): Promise<unknown> {
  return JSON.parse((await podstep(['user', 'list', '--json'], { cwd: folder.path })).out)
}

const CTRL_C = '\u0003'
const BACKSPACE = '\u007f'

describe('at a terminal, podstep user', () => {
  test('create asks for the password twice, understands the backspace key and letters beyond ASCII, and never shows it', async () => {
    using folder = emptyFolder()
    const { code, screen } = await atTerminal(
      folder,
      ['user', 'create', 'ida'],
      [
        ['Password: ', `snø-i-majx${BACKSPACE}\r`],
        ['Again: ', 'snø-i-maj\r'],
      ],
    )
    expect(code).toBe(0)
    expect(screen).toContain('created ida (administrator)')
    expect(screen).not.toContain('snø')
    await using server = await startServer({ cwd: folder.path })
    expect((await server.client(basic('ida', 'snø-i-maj')).get('/api/2/me')).status).toBe(200)
  })

  test.each<[string, [string, string][], string]>([
    [
      'when the two differ',
      [
        ['Password: ', 'sea\r'],
        ['Again: ', 'see\r'],
      ],
      'the two passwords differ; nothing was changed',
    ],
    ['on Ctrl-C', [['Password: ', `sea${CTRL_C}`]], 'nothing was changed'],
  ])('create makes no account %s', async (_when, dialogue, says) => {
    using folder = emptyFolder()
    const { code, screen } = await atTerminal(folder, ['user', 'create', 'ida'], dialogue)
    expect(code).toBe(1)
    expect(screen).toContain(says)
    expect(await users(folder)).toEqual([])
  })

  test('delete asks for the name, and deletes only when it is typed', async () => {
    using folder = emptyFolder()
    for (const name of ['ida', 'olaf']) await createUser(folder, name)
    const question = 'Type the name to confirm: '
    const wrong = await atTerminal(folder, ['user', 'delete', 'olaf'], [[question, 'yes\r']])
    expect(wrong.code).toBe(1)
    expect(wrong.screen).toContain('nothing was deleted')
    expect(await users(folder)).toMatchObject([{ username: 'ida' }, { username: 'olaf' }])
    const right = await atTerminal(folder, ['user', 'delete', 'olaf'], [[question, 'olaf\r']])
    expect(right.code).toBe(0)
    expect(await users(folder)).toMatchObject([{ username: 'ida' }])
  })

  test('and the server says what people need to know, and logs lines for them', async () => {
    using folder = emptyFolder()
    let screen = ''
    const isReady = Promise.withResolvers<void>()
    const child = Bun.spawn([requireBinary(), '--port', '0', '--host', '127.0.0.1'], {
      cwd: folder.path,
      env: {},
      terminal: {
        data(_, bytes) {
          screen += Buffer.from(bytes).toString()
          if (screen.includes('Ctrl-C')) isReady.resolve()
        },
      },
    })
    await isReady.promise
    // The terminal turns the key into SIGINT.
    child.terminal?.write(CTRL_C)
    expect(await child.exited).toBe(0)
    expect(
      screen
        .replaceAll('\r', '')
        .replace(/\d+\.\d+\.\d+ is/, 'X is')
        .replace(/:\d+$/m, ':PORT'),
    ).toStartWith(`podstep X is ready.

  In your browser   http://127.0.0.1:PORT
  Data              ${folder.file('data')}
  Settings          none, so the defaults are in effect

There is no account yet. Open the address and make the first one: it is the administrator.
Stop with Ctrl-C.
`)
    expect(screen).toMatch(/^\d\d:\d\d:\d\d INFO {2}stopped/m)
  })
})
