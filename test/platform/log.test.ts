import { describe, expect, test } from 'bun:test'
import { createLog, type Log, type LogOptions } from '../../src/platform/log.ts'

/** Everything that could move a terminal's cursor, change its title, or make a line look like two. */
const EVIL = 'a\u001b[2Jb\u009bc\r\nd\u0007\u202e\u2028\u0000'

function open(options: Partial<LogOptions> = {}): { log: Log; lines: string[] } {
  const lines: string[] = []
  return { log: createLog({ level: 'debug', format: 'json', write: (line) => lines.push(line), ...options }), lines }
}

/** Characters that a terminal would act upon, line ends apart. */
const controls = (text: string) => text.match(/[^\P{Cc}\n]|\p{Cf}|[\u2028\u2029]/gu) ?? []

describe('levels', () => {
  test.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
  ] as const)('%s shows what is at least that grave', (level, shown) => {
    const { log, lines } = open({ level })
    for (const word of ['debug', 'info', 'warn', 'error'] as const) log[word]('x')
    expect(lines.map((line) => JSON.parse(line).level)).toEqual([...shown])
    expect(log.isDebug).toBe(level === 'debug')
  })
})

describe('infoOften', () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  test('writes the lines of a turn together, each as info writes it', async () => {
    const { log, lines } = open()
    log.infoOften('a', { user: 1, route: EVIL, left: undefined })
    log.infoOften('b', {})
    expect(lines).toEqual([])
    await turn()
    const [text = '', ...more] = lines
    expect(more).toEqual([])
    const [first = '', second = ''] = text.split('\n')
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(JSON.parse(first)).toEqual({ level: 'info', time, msg: 'a', user: 1, route: EVIL })
    expect(JSON.parse(second)).toEqual({ level: 'info', time, msg: 'b' })
  })

  test('keeps the order of lines', async () => {
    const { log, lines } = open({ format: 'pretty' })
    log.infoOften('first', {})
    log.infoOften('second', {})
    log.warn('third')
    log.infoOften('fourth', {})
    await turn()
    expect(lines.map((line) => line.slice(9))).toEqual([
      'INFO  first\n',
      'INFO  second\n',
      'WARN  third\n',
      'INFO  fourth\n',
    ])
  })

  test.each(['warn', 'error'] as const)('is silent at level %s', async (level) => {
    const { log, lines } = open({ level })
    log.infoOften('x', {})
    await turn()
    expect(lines).toEqual([])
  })
})

describe('JSON', () => {
  test('is one object per line, with time, level, message and fields, and nothing about the machine', () => {
    const { log, lines } = open()
    log.warn('slow disk', { ms: 70, path: '/data' })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toEndWith('}\n')
    const { time, ...rest } = JSON.parse(lines[0] ?? '')
    expect(rest).toEqual({ level: 'warn', msg: 'slow disk', ms: 70, path: '/data' })
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  test('keeps any text inside its one line and gives it back', () => {
    const { log, lines } = open()
    log.info(EVIL, { field: EVIL })
    expect(lines).toHaveLength(1)
    expect(lines[0]?.trimEnd()).not.toContain('\n')
    expect(lines[0]).not.toContain('\u001b')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: EVIL, field: EVIL })
  })

  test('shows an error with its message, stack and cause', () => {
    const { log, lines } = open()
    log.error('failed', { error: new TypeError('no such thing', { cause: new Error('disk full') }) })
    const { error } = JSON.parse(lines[0] ?? '')
    expect(error).toMatchObject({ type: 'TypeError' })
    expect(error.message).toContain('no such thing')
    expect(error.stack).toContain('disk full')
  })
})

describe('pretty', () => {
  test('is for people', () => {
    const { log, lines } = open({ format: 'pretty' })
    log.info('listening', { port: 8080, host: '::', note: 'two words', list: [1, 'a b'], empty: '' })
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d INFO {2}listening port=8080 host=:: note="two words" list=\[1,"a b"\] empty=\n$/,
    )
  })

  test('shows an error’s stack below the line', () => {
    const { log, lines } = open({ format: 'pretty' })
    log.error('failed', { error: new TypeError('no such thing') })
    expect(lines[0]).toMatch(/ERROR failed error=\n {2}TypeError: no such thing\n {2} *at /)
    expect(lines[0]).toEndWith('\n')
  })

  test.each([
    ['the message', (log: Log) => log.info(EVIL)],
    ['a field', (log: Log) => log.info('x', { field: EVIL })],
    ['a nested field', (log: Log) => log.info('x', { field: { deep: [EVIL] } })],
    ['the message of an error', (log: Log) => log.error('x', { error: new Error(EVIL) })],
    ['the cause of an error', (log: Log) => log.error('x', { error: new Error('y', { cause: new Error(EVIL) }) })],
  ])('lets nobody draw on the terminal by %s', (_case, write) => {
    const { log, lines } = open({ format: 'pretty' })
    write(log)
    expect(lines).toHaveLength(1)
    expect(controls(lines[0] ?? '')).toEqual([])
  })

  test('keeps text outside of errors on its one line', () => {
    const { log, lines } = open({ format: 'pretty' })
    log.info('a\nb', { field: 'c\nd', deep: { list: ['e\nf'] } })
    expect(lines[0]?.match(/\n/g)).toHaveLength(1)
  })
})
