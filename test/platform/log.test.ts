import { describe, expect, test } from 'bun:test'
import { inspect } from 'node:util'
import { createLog, type Log, type LogOptions } from '../../src/platform/log.ts'
import { Secret } from '../../src/platform/secret.ts'

/** Everything that could move a terminal's cursor, change its title, or make one line look like two. */
const EVIL = 'a\u001b[2Jb\u009bc\r\nd\u0007\u202e\u2028\u0000'

function open(options: Partial<LogOptions> = {}): { log: Log; lines: string[] } {
  const lines: string[] = []
  return { log: createLog({ level: 'debug', format: 'json', write: (line) => lines.push(line), ...options }), lines }
}

/** Characters that a terminal would interpret, except line ends. */
const controls = (text: string) => text.match(/[^\P{Cc}\n]|\p{Cf}|[\u2028\u2029]/gu) ?? []

const turn = () => new Promise((resolve) => setImmediate(resolve))
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test.each([
  ['debug', ['debug', 'info', 'warn', 'error', 'info']],
  ['info', ['info', 'warn', 'error', 'info']],
  ['warn', ['warn', 'error']],
  ['error', ['error']],
] as const)('level %s shows lines of at least that severity', async (level, shown) => {
  const { log, lines } = open({ level })
  for (const word of ['debug', 'info', 'warn', 'error'] as const) log[word]('x')
  log.infoOften('x', {})
  await turn()
  expect(lines.map((line) => JSON.parse(line).level)).toEqual([...shown])
  expect(log.isDebug).toBe(level === 'debug')
})

test('infoOften writes the lines of a turn together, in the format of info', async () => {
  const { log, lines } = open()
  log.infoOften('a', { user: 1, route: EVIL, left: undefined })
  log.infoOften('b', {})
  expect(lines).toEqual([])
  await turn()
  expect(lines).toHaveLength(1)
  const [first, second] = (lines[0] ?? '').trimEnd().split('\n')
  expect([first, second].map((line): unknown => JSON.parse(line ?? ''))).toEqual([
    { level: 'info', time: TIME, msg: 'a', user: 1, route: EVIL },
    { level: 'info', time: TIME, msg: 'b' },
  ])
})

test('infoOften keeps the order of lines', async () => {
  const { log, lines } = open({ format: 'pretty' })
  log.infoOften('first', {})
  log.warn('second')
  log.infoOften('third', {})
  await turn()
  expect(lines.map((line) => line.slice(9))).toEqual(['INFO  first\n', 'WARN  second\n', 'INFO  third\n'])
})

describe('JSON', () => {
  test('is one object per line, which keeps any text and gives it back, without details of the machine', () => {
    const { log, lines } = open()
    log.warn(EVIL, { ms: 70, path: EVIL })
    expect(lines).toEqual([expect.stringMatching(/^[^\n]+\}\n$/)])
    expect(lines[0]).not.toContain('\u001b')
    expect(JSON.parse(lines[0] ?? '')).toEqual({ level: 'warn', time: TIME, msg: EVIL, ms: 70, path: EVIL })
  })

  test('has the message, stack and cause of an error', () => {
    const { log, lines } = open()
    log.error('failed', { error: new TypeError('no such thing', { cause: new Error('disk full') }) })
    const { error } = JSON.parse(lines[0] ?? '')
    expect([error.type, error.message, error.stack]).toEqual([
      'TypeError',
      expect.stringContaining('no such thing'),
      expect.stringContaining('disk full'),
    ])
  })
})

describe('pretty', () => {
  test('is readable, with the stack of an error below its line', () => {
    const { log, lines } = open({ format: 'pretty' })
    log.info('listening', { port: 8080, host: '::', note: 'two words', list: [1, 'a b'], empty: '' })
    log.error('failed', { error: new TypeError('no such thing') })
    const fields = 'port=8080 host=:: note="two words" list=\\[1,"a b"\\] empty='
    expect(lines[0]).toMatch(new RegExp(`^\\d\\d:\\d\\d:\\d\\d INFO {2}listening ${fields}\n$`))
    expect(lines[1]).toMatch(/ERROR failed error=\n {2}TypeError: no such thing\n {2} *at [\s\S]*\n$/)
  })

  test.each<[string, (log: Log) => void]>([
    ['the message', (log) => log.info(EVIL)],
    ['a field', (log) => log.info('x', { field: EVIL })],
    ['a nested field', (log) => log.info('x', { field: { deep: [EVIL] } })],
    ['an error', (log) => log.error('x', { error: new Error(EVIL) })],
    ['the cause of an error', (log) => log.error('x', { error: new Error('y', { cause: new Error(EVIL) }) })],
  ])('has no control characters from %s, and no additional lines', (what, write) => {
    const { log, lines } = open({ format: 'pretty' })
    write(log)
    expect(lines).toHaveLength(1)
    expect(controls(lines[0] ?? '')).toEqual([])
    if (!what.includes('error')) expect(lines[0]?.match(/\n/g)).toHaveLength(1)
  })
})

describe('a secret', () => {
  const secret = new Secret('seaglass')

  test('is only revealed on request', () => {
    expect(secret.reveal()).toBe('seaglass')
    for (const text of [
      `${secret}`,
      JSON.stringify({ deep: [{ secret }], copy: { ...secret } }),
      inspect({ deep: { secret } }, { showHidden: true, depth: 9 }),
      Bun.inspect({ deep: { secret } }),
      JSON.stringify([Object.entries(secret), Object.getOwnPropertyNames(secret)]),
    ])
      expect(text).not.toContain('seaglass')
  })

  test.each(['json', 'pretty'] as const)('is not shown by a log in format %s', (format) => {
    const { log, lines } = open({ format })
    log.info(`settings ${secret}`, { secret, deep: { list: [secret] } })
    log.error('failed', { error: Object.assign(new Error('no'), { secret }) })
    expect(lines.join('')).not.toContain('seaglass')
    expect(lines[0]).toContain('[redacted]')
  })
})
