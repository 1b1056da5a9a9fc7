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

describe('the executable', () => {
  test('runs alone in a folder, without configuration, and ignores files of Bun', async () => {
    using folder = emptyFolder()
    const alone = folder.file('podstep')
    copyFileSync(requireBinary(), alone)
    folder.file('.env', 'SVC_REGISTRATION=open\nSVC_DATA_DIR=elsewhere\n')
    folder.file('.env.local', 'SVC_REGISTRATION=open\n')
    folder.file('bunfig.toml', 'preload = ["./intruder.ts"]\n')
    folder.file('intruder.ts', "await Bun.write('touched', 'by the intruder')\nprocess.exit(99)\n")
    for (const name of ['package.json', 'tsconfig.json']) folder.file(name, '{ broken')
    const before = readdirSync(folder.path)
    await using server = await startServer({ cwd: folder.path, program: [alone] })
    expect(server.ready).toMatchObject({
      ...{ msg: `podstep ${version} is ready`, address: `http://127.0.0.1:${server.port}` },
      ...{ config: 'none', registration: 'closed', data_dir: folder.file('data') },
    })
    expect((await server.client().get('/healthz')).json).toEqual({ status: 'ok' })
    expect((await server.client().get('/readyz')).status).toBe(200)
    expect((await server.client().post('/api/2/register', IDA)).json).toMatchObject({ is_admin: true })
    const client = server.client(basic(IDA.username, IDA.password))
    await client.post(CHANGES, { add: ['https://a.example/feed'] })
    expect((await client.get('/subscriptions/ida/phone.txt')).text).toBe('https://a.example/feed\n')
    expect((await client.get('/openapi.json')).json).toMatchObject({ info: { version } })
    expect(statSync(folder.file('data')).mode & 0o777).toBe(0o700)
    expect(statSync(folder.file('data/podstep.db')).mode & 0o777).toBe(0o600)
    await server.stop()
    expect(new Set(readdirSync(folder.path))).toEqual(new Set([...before, 'data']))
  })

  test('started at a terminal greets and logs in a readable format', async () => {
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
    // Ctrl-C, which the terminal turns into SIGINT.
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

  test('keeps serving when the reader of its log has gone', async () => {
    using folder = emptyFolder()
    const args = ['--port', '0', '--host', '127.0.0.1']
    // The pipe is closed after the line with the port.
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
      // Each failed login writes a log line. If that killed the server, the next request would fail.
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
  test('on the data folder or the port of a running server', async () => {
    using folder = emptyFolder()
    await using server = await startServer({ cwd: folder.path })
    const sameFolder = await podstep(['--port', '0'], { cwd: folder.path })
    const err = `error: another podstep server is already running on ${folder.file('data')}\n`
    expect(sameFolder).toEqual({ code: 1, out: '', err })
    const args = ['--host', '127.0.0.1', '--port', String(server.port), '--data-dir', 'other']
    const samePort = await podstep(args, { cwd: folder.path })
    expect(samePort.code).toBe(1)
    expect(samePort.err).toContain(`error: cannot listen on 127.0.0.1 port ${server.port} (settings host, port): `)
    expect(new Set(readdirSync(folder.file('other')))).toEqual(new Set(['podstep.db', 'podstep.lock']))
    expect((await server.client().get('/readyz')).status).toBe(200)
  })

  test('on an unusable data folder, and explains how to fix it', async () => {
    using folder = emptyFolder()
    folder.file('a-file', '')
    mkdirSync(folder.file('odd/podstep.db'), { recursive: true })
    for (const [dataDir, ...problem] of [
      ['a-file', 'a-file is not a folder.', 'Choose a folder for the data, or move that file away.'],
      ['odd', 'odd/podstep.db is a folder, not a file.', 'Move that folder away.'],
    ] as const) {
      const { code, err } = await podstep(['--port', '0', '--data-dir', dataDir], { cwd: folder.path })
      expect(code).toBe(1)
      expect(err).toStartWith(`error: cannot use the data folder ${folder.file(dataDir)} (setting data_dir): `)
      expect(err.trimEnd().split('\n').slice(1)).toEqual([`  ${folder.file(problem[0])}`, `  ${problem[1]}`])
    }
  })
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
if (reason) process.stderr.write(`skipped the test of the arm64 executable: ${reason}\n`)
const program = [EMULATOR ?? '', '-L', LIBRARIES, ARM64_BINARY]

describe.skipIf(reason !== undefined)('the arm64 executable, emulated', () => {
  test('starts, registers, syncs, stops cleanly and keeps everything', async () => {
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
