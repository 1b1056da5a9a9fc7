import { describe, expect, test } from 'bun:test'
import { version } from '../../package.json'
import { podstep } from './support/command.ts'
import { emptyFolder } from './support/folder.ts'
import { startServer } from './support/server.ts'

describe('help and version', () => {
  const cases: { args: string[]; starts: string }[] = [
    { args: ['version'], starts: `podstep ${version}\n` },
    { args: ['--version'], starts: `podstep ${version}\n` },
    { args: ['-V'], starts: `podstep ${version}\n` },
    { args: ['help'], starts: 'podstep keeps podcast subscriptions' },
    { args: ['--help'], starts: 'podstep keeps podcast subscriptions' },
    { args: ['-h'], starts: 'podstep keeps podcast subscriptions' },
    { args: ['serve', '--help'], starts: 'Usage: podstep [serve]' },
    { args: ['check-config', '--help'], starts: 'Usage: podstep check-config' },
    { args: ['user', '--help'], starts: 'Usage: podstep user' },
    { args: ['user', 'create', '--help'], starts: 'Usage: podstep user' },
    { args: ['healthcheck', '--help'], starts: 'Usage: podstep healthcheck' },
    { args: ['version', '--help'], starts: 'Usage: podstep version' },
    { args: ['help', 'user'], starts: 'Usage: podstep user' },
    { args: ['help', 'help'], starts: 'Usage: podstep help' },
  ]
  test.each(cases)('podstep $args prints it to standard output, exit code 0', async ({ args, starts }) => {
    using folder = emptyFolder()
    const { code, out, err } = await podstep(args, { cwd: folder.path })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toStartWith(starts)
  })
})

describe('words it does not know', () => {
  const cases: { args: string[]; says: string }[] = [
    { args: ['dance'], says: 'unknown command "dance"; see podstep help' },
    { args: ['help', 'dance'], says: 'unknown command "dance"; see podstep help' },
    { args: ['--dance'], says: "Unknown option '--dance'" },
    { args: ['serve', 'now'], says: 'serve: what is "now" for?' },
    { args: ['check-config', '--admin'], says: "Unknown option '--admin'" },
    { args: ['user'], says: 'user: what to do?' },
    { args: ['user', 'dance'], says: 'user: unknown command "dance"' },
    { args: ['user', 'create'], says: 'user: which user?' },
    { args: ['user', 'set-role', 'ida', 'king'], says: 'user set-role: the role is "admin" or "user"' },
    { args: ['--port', 'high'], says: '--port: expected a whole number from 0 to 65535' },
    { args: ['--config', 'nowhere.toml'], says: 'nowhere.toml: no such file (named by --config)' },
  ]
  test.each(cases)('podstep $args says so on standard error, exit code 2', async ({ args, says }) => {
    using folder = emptyFolder()
    const { code, out, err } = await podstep(args, { cwd: folder.path })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(says)
  })
})

describe('check-config', () => {
  test('prints what is in effect and hides every secret, wherever it comes from', async () => {
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

  test('lists every mistake and no secret, exit code 2', async () => {
    using folder = emptyFolder()
    folder.file('config.toml', 'porrt = 1\nsmtp_password = 91377\nlog_level = "loud"\n')
    const { code, out, err } = await podstep(['check-config'], { cwd: folder.path })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    for (const key of ['porrt', 'smtp_password', 'log_level']) expect(err).toContain(key)
    expect(err).not.toContain('91377')
  })
})

describe('healthcheck', () => {
  test('exit code 0 while the server of the same settings can write, 1 once it is gone', async () => {
    using folder = emptyFolder()
    await using server = await startServer({ cwd: folder.path })
    const args = ['healthcheck', '--port', String(server.port)]
    // The proxy variable must not send the question away.
    const env = { SVC_HOST: '127.0.0.1', HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1' }
    expect(await podstep(args, { cwd: folder.path, env })).toEqual({ code: 0, out: '', err: '' })
    await server.stop()
    const after = await podstep(args, { cwd: folder.path, env })
    expect(after.code).toBe(1)
    expect(after.err).toContain(`http://127.0.0.1:${server.port}/readyz does not answer`)
  })

  test('asks this machine when the server listens on every address, and at the root when it lives below a path', async () => {
    using folder = emptyFolder()
    const env = { SVC_HOST: '0.0.0.0', SVC_BASE_URL: 'http://home.example/podcasts' }
    await using server = await startServer({ cwd: folder.path, env })
    const { code } = await podstep(['healthcheck'], {
      cwd: folder.path,
      env: { ...env, SVC_PORT: String(server.port) },
    })
    expect(code).toBe(0)
  })

  test('cannot know where to ask when the port is left to chance: exit code 1', async () => {
    using folder = emptyFolder()
    const { code, err } = await podstep(['healthcheck', '--port', '0'], { cwd: folder.path })
    expect(code).toBe(1)
    expect(err).toContain('set a port')
  })
})
