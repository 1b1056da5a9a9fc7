import { describe, expect, test } from 'bun:test'
import { keys } from '../../../src/config/options.ts'
import {
  type Check,
  createDoctor,
  FINDINGS,
  found,
  hasError,
  openResults,
  runChecks,
} from '../../../src/domain/server/doctor.ts'
import texts from '../../../src/web/locales/en.json'

/** Timer of a clock that stands still. */
const never = () => () => undefined

const CHECKS: readonly Check[] = [
  { name: 'settings', run: () => found('settings_none') },
  { name: 'mail', isRemote: true, run: () => Promise.resolve(found('mail_failed', {}, { cause: 'refused' })) },
]

test('every finding has a text, and every problem has a text that says what to do', () => {
  const { seen, todo } = texts.admin.doctor
  const codes = Object.entries(FINDINGS)
  expect(new Set(Object.keys(seen))).toEqual(new Set(codes.map(([code]) => code)))
  const wrong = codes.filter(([, status]) => status !== 'ok' && status !== 'skipped').map(([code]) => code)
  expect(new Set(Object.keys(todo))).toEqual(new Set(wrong))
})

test('results come one by one, in order, with their status', async () => {
  const reported: unknown[] = []
  const results = await runChecks(CHECKS, never, (result) => reported.push(result))
  expect(reported).toEqual([...results])
  expect(results).toEqual([
    { check: 'settings', status: 'ok', code: 'settings_none', values: {} },
    { check: 'mail', status: 'error', code: 'mail_failed', values: {}, cause: 'refused' },
  ])
  expect(hasError(results)).toBe(true)
  expect(hasError(results.slice(0, 1))).toBe(false)
})

test('remote checks start before local ones have ended', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const local: Check = { name: 'database', run: () => promise.then(() => found('database_ok')) }
  const remote: Check = {
    ...{ name: 'mail', isRemote: true },
    run() {
      resolve()
      return found('mail_ok')
    },
  }
  const results = await runChecks([local, remote], never)
  expect(results.map(({ check }) => check)).toEqual(['database', 'mail'])
})

test('a check that throws is an error, and does not stop the others', async () => {
  const broken: Check = { name: 'clock', run: () => Promise.reject(new Error('no such thing')) }
  const results = await runChecks([broken, ...CHECKS], never)
  expect(results.map(({ code }) => code)).toEqual(['check_failed', 'settings_none', 'mail_failed'])
  expect(results[0]?.cause).toBe('no such thing')
})

test('a check that takes too long is given up, and anything it leaves running is aborted', async () => {
  const signals: AbortSignal[] = []
  const check = (more: Partial<Check>, answer: ReturnType<Check['run']> = new Promise(() => undefined)): Check => ({
    ...{ name: 'database', ...more },
    run(signal) {
      signals.push(signal)
      return answer
    },
  })
  const waits: number[] = []
  const atOnce = (ms: number, then: () => void) => {
    waits.push(ms)
    queueMicrotask(then)
    return () => undefined
  }
  const results = await runChecks([check({ limitMs: 120_000, late: 'database_late' }), check({})], atOnce)
  expect(results).toMatchObject([
    { code: 'database_late', status: 'skipped', values: { seconds: 120 } },
    { code: 'check_late', status: 'warning', values: { seconds: 20 } },
  ])
  expect(waits).toEqual([120_000, 20_000])
  await runChecks([check({}, found('base_url_wrong'))], never)
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true])
}, 20_000)

test('simultaneous examinations are one, and the next one is new', async () => {
  let begun = 0
  const doctor = createDoctor(() => {
    begun++
    return CHECKS
  }, never)
  const [one, other] = await Promise.all([doctor.examine([]), doctor.examine([])])
  expect(one).toBe(other)
  expect(begun).toBe(1)
  await doctor.examine([])
  expect(begun).toBe(2)
})

test('no text names a setting, since settings are in the lines to copy', () => {
  const { seen, todo } = texts.admin.doctor
  const names = keys.filter((key) => key.includes('_'))
  const sentences = [...Object.values(seen), ...Object.values(todo)]
  expect(sentences.filter((text) => names.some((name) => text.includes(name)))).toEqual([])
})

describe('the list without an examination', () => {
  const world = { users: 1 }
  const list = (remote: () => ReturnType<typeof found>): readonly Check[] => [
    {
      name: 'users',
      ...{ run: () => found('users_alone'), glance: () => found(world.users > 1 ? 'users_ok' : 'users_alone') },
    },
    { name: 'mail', isRemote: true, run: remote, glance: () => undefined },
    { name: 'directory', isRemote: true, run: () => found('directory_none'), glance: () => found('directory_none') },
    { name: 'clock', isRemote: true, run: () => found('clock_ok') },
  ]
  const reported = (results: Awaited<ReturnType<ReturnType<typeof createDoctor>['known']>>) =>
    results.map(({ check, code, status }) => `${check} ${code} ${status}`)

  test('has the results of quick checks, and marks others as unchecked, which does not count as open', async () => {
    const doctor = createDoctor(() => list(() => found('mail_failed')), never)
    const known = await doctor.known()
    expect(reported(known)).toEqual([
      'users users_alone todo',
      'mail not_checked skipped',
      'directory directory_none optional',
      'clock not_checked skipped',
    ])
    expect(openResults(known).map(({ check }) => check)).toEqual(['users'])
  })

  test('repeats the last examination, with its open entries', async () => {
    const doctor = createDoctor(() => list(() => found('mail_failed')), never)
    const examined = await doctor.examine([])
    expect(await doctor.known()).toEqual(examined)
    expect(openResults(await doctor.known()).map(({ code }) => code)).toEqual(['users_alone', 'mail_failed'])
  })

  test('is up to date where a check is quick', async () => {
    const doctor = createDoctor(() => list(() => found('mail_ok')), never)
    await doctor.examine([])
    world.users = 2
    expect(openResults(await doctor.known())).toEqual([])
    world.users = 1
  })

  test('has an entry for a check that throws', async () => {
    const broken: Check = {
      name: 'backup',
      run: () => found('backup_ok'),
      glance: () => Promise.reject(new Error('EIO')),
    }
    const [entry] = await createDoctor(() => [broken], never).known()
    expect(entry).toMatchObject({ code: 'check_failed', status: 'error', cause: 'EIO' })
  })
})
