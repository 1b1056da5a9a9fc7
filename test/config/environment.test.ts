import { describe, expect, test } from 'bun:test'
import { issues, loadWith } from './load-with.ts'

const ADVICE = 'set enableServiceLinks: false or name the Kubernetes service otherwise'

describe('variables that are no setting only warn', () => {
  test.each([
    ['SVC_REGISTRATON', 'SVC_REGISTRATON is ignored: no such setting, did you mean SVC_REGISTRATION?'],
    ['SVC_DATADIR', 'SVC_DATADIR is ignored: no such setting, did you mean SVC_DATA_DIR?'],
    [
      'SVC_SMTP_PASSWORD_FIEL',
      'SVC_SMTP_PASSWORD_FIEL is ignored: no such setting, did you mean SVC_SMTP_PASSWORD_FILE?',
    ],
    ['SVC_COLOUR', 'SVC_COLOUR is ignored: no such setting'],
    ['SVC_BASE_URL_FILE', 'SVC_BASE_URL_FILE is ignored: only secrets are read from files'],
  ])('%s', (name, warning) => {
    expect(loadWith({ env: { [name]: 'x' } }).warnings).toEqual([warning])
  })

  test('variables of other programs and empty ones say nothing', () => {
    expect(loadWith({ env: { PORT: '1', SVCX: '2', SVC_COLOUR: '', SVC_CONFIG: '' } }).warnings).toEqual([])
  })
})

describe('variables that Kubernetes makes for a service called "svc"', () => {
  test('SVC_PORT=tcp://... is ignored with a warning', () => {
    const loaded = loadWith({
      toml: 'port = 9000',
      env: { SVC_PORT: 'tcp://10.0.0.1:8080', SVC_SMTP_PORT: 'udp://10.0.0.1:25' },
    })
    expect([loaded.config.port, loaded.config.smtpPort]).toEqual([9000, 587])
    expect(loaded.warnings).toEqual([
      `SVC_PORT is ignored: such a value (tcp://...) comes from Kubernetes; ${ADVICE}`,
      `SVC_SMTP_PORT is ignored: such a value (udp://...) comes from Kubernetes; ${ADVICE}`,
    ])
  })

  test('the rest of them make one warning', () => {
    const env = {
      SVC_SERVICE_HOST: '10.0.0.1',
      SVC_SERVICE_PORT: '8080',
      SVC_SERVICE_PORT_HTTP: '8080',
      SVC_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
      SVC_PORT_8080_TCP_PROTO: 'tcp',
      SVC_PORT_8080_TCP_PORT: '8080',
      SVC_PORT_8080_TCP_ADDR: '10.0.0.1',
      SVC_WEB_SERVICE_HOST: '10.0.0.2',
    }
    expect(loadWith({ env }).warnings).toEqual([
      `ignored, as they look set by Kubernetes: ${Object.keys(env).join(', ')}; ${ADVICE}`,
    ])
  })

  test('such a value elsewhere stays a mistake', () => {
    expect(issues({ env: { SVC_HOST: 'tcp://10.0.0.1:8080' } })).toHaveLength(1)
  })
})

describe('secrets from files', () => {
  const key = { SVC_DIRECTORY_KEY: 'k' }
  const env = { ...key, SVC_DIRECTORY_SECRET_FILE: '/run/secrets/token' }
  const token = (content: string) =>
    loadWith({ env, files: { '/run/secrets/token': content } }).config.directorySecret?.reveal()

  test.each([
    ['abc', 'abc'],
    ['abc\n', 'abc'],
    ['abc\r\n', 'abc'],
    [' a b ', ' a b '],
  ])('%j is the secret %j', (content, secret) => expect(token(content)).toBe(secret))

  test('the path may be relative to the working directory', () => {
    const loaded = loadWith({ env: { ...key, SVC_DIRECTORY_SECRET_FILE: 'token' }, files: { '/srv/token': 'abc' } })
    expect(loaded.config.directorySecret?.reveal()).toBe('abc')
  })
  test('the file wins over config.toml like any variable', () => {
    const loaded = loadWith({ toml: 'directory_secret = "old"', env, files: { '/run/secrets/token': 'new' } })
    expect(loaded.config.directorySecret?.reveal()).toBe('new')
  })
  test('blanks around a secret in a variable belong to it', () => {
    expect(loadWith({ env: { ...key, SVC_DIRECTORY_SECRET: ' a ' } }).config.directorySecret?.reveal()).toBe(' a ')
  })

  test.each([
    [undefined, 'no such file'],
    ['', 'the file is empty'],
    ['\n', 'the file is empty'],
  ])('content %j is a mistake', (content, problem) => {
    const files = content === undefined ? {} : { '/run/secrets/token': content }
    expect(issues({ env, files })).toContain(`SVC_DIRECTORY_SECRET_FILE: /run/secrets/token: ${problem}`)
  })
  test('more than one line is a mistake', () => {
    expect(issues({ env, files: { '/run/secrets/token': 'a\nb\n' } })).toEqual([
      'SVC_DIRECTORY_SECRET_FILE (/run/secrets/token): expected text on one line',
    ])
  })
  test('both forms at once are a mistake, an empty one does not count', () => {
    const files = { '/run/secrets/token': 'abc' }
    expect(issues({ env: { ...env, SVC_DIRECTORY_SECRET: 'x' }, files })).toEqual([
      'SVC_DIRECTORY_SECRET and SVC_DIRECTORY_SECRET_FILE are both set: keep one of them',
    ])
    expect(loadWith({ env: { ...env, SVC_DIRECTORY_SECRET: '' }, files }).config.directorySecret?.reveal()).toBe('abc')
  })
})
