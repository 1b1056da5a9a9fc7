import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { version } from '../../package.json'
import { podstep } from './support/command.ts'
import { emptyFolder } from './support/folder.ts'
import { startServer } from './support/server.ts'

test.each([
  ['version', `podstep ${version}\n`],
  ['-V', `podstep ${version}\n`],
  ['help', 'podstep keeps podcast subscriptions'],
  ['--help', 'podstep keeps podcast subscriptions'],
  ['serve --help', 'Usage: podstep [serve]'],
  ['help check-config', 'Usage: podstep check-config'],
  ['user create --help', 'Usage: podstep user'],
  ['demo --help', 'Usage: podstep demo'],
])('podstep %s writes to standard output and exits with 0', async (args, start) => {
  using folder = emptyFolder()
  const { code, out, err } = await podstep(args.split(' '), { cwd: folder.path })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toStartWith(start)
})

test.each([
  ['dance', 2, 'unknown command "dance"; see podstep help'],
  ['help dance', 2, 'unknown command "dance"; see podstep help'],
  ['--dance', 2, "Unknown option '--dance'"],
  ['serve now', 2, 'serve: unexpected argument "now"'],
  ['check-config --admin', 2, "Unknown option '--admin'"],
  ['user', 2, 'user: what to do?'],
  ['user dance', 2, 'user: unknown command "dance"'],
  ['user create', 2, 'user: which user?'],
  ['user set-role ida king', 2, 'user set-role: the role is "admin" or "user"'],
  ['user reset-second-factor', 2, 'user: which user?'],
  ['user reset-second-factor ida', 1, 'error: unknown user: ida'],
  ['mail', 2, 'mail: what to do?'],
  ['mail send', 2, 'mail: unknown command "send"'],
  ['mail test', 2, 'mail test: to which address?'],
  ['mail test a@b.example more', 2, 'mail test: unexpected argument "more"'],
  ['mail test nonsense', 1, 'error: email must be an email address'],
  ['mail test a@b.example', 1, 'error: set smtp_host, smtp_from and base_url to send email'],
  ['backup', 1, 'error: there is no database in '],
  ['backup a.db b.db', 2, 'backup: unexpected argument "b.db"'],
  ['restore', 2, 'restore: which file?'],
  ['restore a.db b.db', 2, 'restore: unexpected argument "b.db"'],
  ['restore a.db', 2, 'restore: add --yes to restore without being asked'],
  ['restore a.db --yes', 1, '/a.db. Nothing was changed'],
  ['--port high', 2, '--port: expected a whole number from 0 to 65535'],
  ['--config nowhere.toml', 2, 'nowhere.toml: no such file (named by --config)'],
  ['doctor now', 2, 'doctor: unexpected argument "now"'],
  ['doctor --port high', 2, '--port: expected a whole number from 0 to 65535'],
  ['healthcheck --port 0', 1, 'set a port'],
] as const)('podstep %s exits with %i and an error message', async (args, expected, message) => {
  using folder = emptyFolder()
  const { code, out, err } = await podstep(args.split(' '), { cwd: folder.path })
  expect({ code, out }).toEqual({ code: expected, out: '' })
  expect(err).toContain(message)
})

describe('check-config', () => {
  test('prints the settings in effect without secrets from files, settings and environment', async () => {
    using folder = emptyFolder()
    folder.file('secret.txt', 'from-a-file-7c1\n')
    folder.file(
      'config.toml',
      'session_days = 12\nbase_url = "http://pods.lan"\nsmtp_host = "mail.lan"\nsmtp_from = "a@b.example"\nsmtp_user = "ida"\nsmtp_password = "from-toml-91b"\n',
    )
    const env = { SVC_DIRECTORY_KEY: 'from-env-44d', SVC_DIRECTORY_SECRET_FILE: folder.file('secret.txt') }
    const { code, out, err } = await podstep(['check-config'], { cwd: folder.path, env })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^session_days\s*=\s*12\b/m)
    for (const key of ['smtp_password', 'directory_key', 'directory_secret']) expect(out).toContain(key)
    expect(out).not.toMatch(/7c1|91b|44d/)
  })

  test('lists every mistake without secrets, and exits with 2', async () => {
    using folder = emptyFolder()
    folder.file('config.toml', 'porrt = 1\nsmtp_password = 91377\nlog_level = "loud"\n')
    const { code, out, err } = await podstep(['check-config'], { cwd: folder.path })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    for (const key of ['porrt', 'smtp_password', 'log_level']) expect(err).toContain(key)
    // The server does not start with these settings either.
    expect((await podstep([], { cwd: folder.path })).code).toBe(2)
    expect(readdirSync(folder.path)).toEqual(['config.toml'])
    expect(err).not.toContain('91377')
  })
})

describe('healthcheck', () => {
  test('exits with 0 while the server can write, and with 1 once it has stopped', async () => {
    using folder = emptyFolder()
    await using server = await startServer({ cwd: folder.path })
    const args = ['healthcheck', '--port', String(server.port)]
    // Proxy variables must not redirect the request.
    const env = { SVC_HOST: '127.0.0.1', HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1' }
    expect(await podstep(args, { cwd: folder.path, env })).toEqual({ code: 0, out: '', err: '' })
    await server.stop()
    const after = await podstep(args, { cwd: folder.path, env })
    expect(after.code).toBe(1)
    expect(after.err).toContain(`http://127.0.0.1:${server.port}/readyz does not answer`)
  })

  test('uses localhost if the server listens on all addresses, and the root even if base_url has a path', async () => {
    using folder = emptyFolder()
    const env = { SVC_HOST: '0.0.0.0', SVC_BASE_URL: 'http://home.example/podcasts' }
    await using server = await startServer({ cwd: folder.path, env })
    const asked = { cwd: folder.path, env: { ...env, SVC_PORT: String(server.port) } }
    expect((await podstep(['healthcheck'], asked)).code).toBe(0)
  })
})
