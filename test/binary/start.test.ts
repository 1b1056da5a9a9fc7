import { describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { version } from '../../package.json'
import { basic } from '../support/client.ts'
import { ARM64_BINARY, requireBinary, staleness } from './support/binary.ts'
import { podstep } from './support/command.ts'
import { emptyFolder } from './support/folder.ts'
import { CHANGES, LIST } from './support/scene.ts'
import { startServer } from './support/server.ts'

const IDA = { username: 'ida', password: 'seaglass' }

describe('the executable starts', () => {
  test('in an empty folder, without any configuration: it makes its data folder, logs its address and answers', async () => {
    using folder = emptyFolder()
    await using server = await startServer({ cwd: folder.path })
    expect(server.ready).toMatchObject({
      msg: `podstep ${version} is ready`,
      address: `http://127.0.0.1:${server.port}`,
      config: 'none',
      registration: 'closed',
    })
    expect(server.port).toBeGreaterThan(0)
    expect((await server.client().get('/healthz')).json).toEqual({ status: 'ok' })
    expect((await server.client().get('/readyz')).status).toBe(200)
    expect((await server.client().post('/api/2/register', IDA)).json).toMatchObject({ is_admin: true })
    expect(statSync(folder.file('data')).mode & 0o777).toBe(0o700)
    expect(statSync(folder.file('data/podstep.db')).mode & 0o777).toBe(0o600)
  })

  test('copied alone into an empty folder, where it needs nothing beside it', async () => {
    using folder = emptyFolder()
    const alone = folder.file('podstep')
    copyFileSync(requireBinary(), alone)
    await using server = await startServer({ cwd: folder.path, program: [alone] })
    const client = server.client(basic(IDA.username, IDA.password))
    await client.post('/api/2/register', IDA)
    await client.post(CHANGES, { add: ['https://a.example/feed'] })
    expect((await client.get('/subscriptions/ida/phone.txt')).text).toBe('https://a.example/feed\n')
    expect((await client.get('/openapi.json')).json).toMatchObject({ info: { version } })
    await server.stop()
    expect(new Set(readdirSync(folder.path))).toEqual(new Set(['data', 'podstep']))
  })

  test('without reading .env, bunfig.toml, package.json or tsconfig.json that lie in its folder', async () => {
    using folder = emptyFolder()
    folder.file('.env', 'SVC_REGISTRATION=open\nSVC_DATA_DIR=elsewhere\n')
    folder.file('.env.local', 'SVC_REGISTRATION=open\n')
    folder.file('bunfig.toml', 'preload = ["./intruder.ts"]\n')
    folder.file('intruder.ts', "await Bun.write('touched', 'by the intruder')\nprocess.exit(99)\n")
    folder.file('package.json', '{ broken')
    folder.file('tsconfig.json', '{ broken')
    await using server = await startServer({ cwd: folder.path })
    expect(server.ready).toMatchObject({ registration: 'closed', data_dir: folder.file('data') })
    expect(existsSync(folder.file('touched'))).toBe(false)
  })

  test('at a terminal, where it says what people need to know, and logs lines for them', async () => {
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
    child.terminal?.write('\u0003')
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

There is no account yet. Open the address and create the first one: it becomes the administrator.
Stop with Ctrl-C.
`)
    expect(screen).toMatch(/^\d\d:\d\d:\d\d INFO {2}stopped/m)
  })

  test('and goes on serving when nobody reads its log any more', async () => {
    using folder = emptyFolder()
    const args = ['--port', '0', '--host', '127.0.0.1']
    // The reader takes the line that tells the port, and goes away; every later line meets a closed pipe.
    const script = `"$0" "$@" 2>&1 >/dev/null & echo $!; exec 2>/dev/null; wait`
    const child = Bun.spawn(['sh', '-c', script, requireBinary(), ...args], {
      cwd: folder.path,
      env: { SVC_LOG_LEVEL: 'debug', SVC_LOG_FORMAT: 'json' },
      stdout: 'pipe',
    })
    const reader = child.stdout.getReader()
    let text = ''
    while (!text.includes('is ready')) text += Buffer.from((await reader.read()).value ?? []).toString()
    await reader.cancel()
    const [pid = '', port = ''] = [/^\d+/m.exec(text)?.[0], /"port":(\d+)/.exec(text)?.[1]]
    try {
      // A refused request is a line in the log at level debug or above; a failed start of the next one would show a dead server.
      for (let attempt = 0; attempt < 3; attempt++) {
        const answer = await fetch(`http://127.0.0.1:${port}/api/2/auth/ida/login.json`, {
          method: 'POST',
          headers: basic('ida', 'wrong'),
        })
        expect(answer.status).toBe(401)
      }
    } finally {
      process.kill(Number(pid), 'SIGTERM')
      await child.exited
    }
  })
})

describe('the executable refuses to start', () => {
  test('a second time on the same data folder, with exit code 1, while the first goes on', async () => {
    using folder = emptyFolder()
    await using server = await startServer({ cwd: folder.path })
    const second = await podstep(['--port', '0'], { cwd: folder.path })
    expect(second).toEqual({
      code: 1,
      out: '',
      err: `error: another podstep server is already running on ${folder.file('data')}\n`,
    })
    expect((await server.client().get('/readyz')).status).toBe(200)
  })

  test('on a port in use, naming the port, and leaves the data folder free for the next try', async () => {
    using folder = emptyFolder()
    await using server = await startServer({ cwd: folder.path })
    const args = ['--host', '127.0.0.1', '--port', String(server.port), '--data-dir', 'other']
    const second = await podstep(args, { cwd: folder.path })
    expect(second.code).toBe(1)
    expect(second.err).toContain(`error: cannot listen on 127.0.0.1 port ${server.port} (settings host, port): `)
    expect(new Set(readdirSync(folder.file('other')))).toEqual(new Set(['podstep.db', 'podstep.lock']))
  })

  test.each<[string, string, (path: string) => void, readonly [wrong: string, todo: string]]>([
    [
      'a file',
      'a-file',
      (path) => void Bun.write(path, ''),
      ['a-file is not a folder.', 'Choose a folder for the data, or move that file away.'],
    ],
    [
      'a folder whose database is one',
      'odd',
      (path) => void mkdirSync(`${path}/podstep.db`, { recursive: true }),
      ['odd/podstep.db is a folder, not a file.', 'Move that folder away.'],
    ],
  ])(
    'on a data folder that is %s, naming it, the setting and what mends it',
    async (_title, dataDir, prepare, words) => {
      using folder = emptyFolder()
      prepare(folder.file(dataDir))
      const { code, err } = await podstep(['--port', '0', '--data-dir', dataDir], { cwd: folder.path })
      expect(code).toBe(1)
      expect(err).toStartWith(`error: cannot use the data folder ${folder.file(dataDir)} (setting data_dir): `)
      const [wrong, todo] = words
      expect(err.trimEnd().split('\n').slice(1)).toEqual([`  ${folder.file(wrong)}`, `  ${todo}`])
    },
  )
})

/** Debian: qemu-user-static libc6-arm64-cross libgcc-s1-arm64-cross. */
const EMULATOR = Bun.which('qemu-aarch64-static')
const LIBRARIES = '/usr/aarch64-linux-gnu'

function whyNot(): string | undefined {
  if (EMULATOR === null) return 'there is no qemu-aarch64-static'
  if (!existsSync(`${LIBRARIES}/lib/ld-linux-aarch64.so.1`)) return `there are no arm64 libraries in ${LIBRARIES}`
  const reason = staleness(ARM64_BINARY)
  return reason && `${reason} (bun run build:all)`
}

const reason = whyNot()
if (reason) process.stderr.write(`skipped: the arm64 executable is not tried, ${reason}\n`)
const program = [EMULATOR ?? '', '-L', LIBRARIES, ARM64_BINARY]

describe.skipIf(reason !== undefined)('the arm64 executable, emulated', () => {
  test('starts, registers, syncs, stops in order and finds everything again', async () => {
    using folder = emptyFolder()
    const feeds = ['https://a.example/1', 'https://a.example/2']
    const ida = basic('ida', 'seaglass')
    {
      await using server = await startServer({ cwd: folder.path, program })
      expect(server.ready).toMatchObject({ msg: `podstep ${version} is ready` })
      await server.client().post('/api/2/register', { username: 'ida', password: 'seaglass' })
      const client = server.client(ida)
      expect((await client.post(CHANGES, { add: feeds })).status).toBe(200)
      await server.stop()
    }
    await using server = await startServer({ cwd: folder.path, program })
    expect((await server.client(ida).get(LIST)).json).toEqual(feeds)
  })
})
