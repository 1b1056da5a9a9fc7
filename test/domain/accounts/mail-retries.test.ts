import { afterEach, describe, expect, test } from 'bun:test'
import { createMailQueue } from '../../../src/domain/accounts/mail.ts'
import { BY_COMMAND_LINE } from '../../store/contract/fixtures.ts'
import { EVA, expectNoSecrets, MINUTE, OLE, openMailScene } from './mail-scene.ts'

const HOUR = 60 * MINUTE

afterEach(expectNoSecrets)

describe('an email that cannot be sent', () => {
  test.each(['server', 'mail'] as const)('is retried after 1, 2, 4 … minutes, up to an hour (%s)', async (kind) => {
    const { fail, recover, ask, pass, calls, waiting, logged } = await openMailScene()
    fail(kind)
    await ask()
    await pass(6 * HOUR)
    const minutes = [0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 303]
    expect(calls.map(({ at }) => at / MINUTE)).toEqual(minutes)
    const line = { level: 'error', purpose: 'password_reset', user: 'ole', cause: 'low tide' }
    expect(logged('cannot send an email')).toMatchObject(minutes.map((_, n) => ({ ...line, attempts: n + 1 })))
    recover()
    await pass(HOUR)
    expect([calls.length, await waiting(), logged('"sent an email"').length]).toEqual([12, [], 1])
  })

  test.each([
    ['password_reset', 24 * HOUR],
    ['activation', 48 * HOUR],
  ] as const)('for the %s is given up when its token expires, which is logged', async (purpose, lifetime) => {
    const { fail, ask, register, pass, calls, waiting, logged } = await openMailScene()
    fail('server')
    await (purpose === 'activation' ? register('liv') : ask())
    await pass(lifetime - MINUTE, 15 * MINUTE)
    expect(await waiting()).toHaveLength(1)
    expect(logged('gave up')).toEqual([])
    await pass(HOUR)
    expect(await waiting()).toEqual([])
    const user = purpose === 'activation' ? 'liv' : 'ole'
    expect(logged('gave up sending an email')).toMatchObject([{ level: 'error', purpose, user, cause: 'low tide' }])
    expect(calls.at(-1)?.at).toBeLessThan(lifetime)
    expect(calls.at(-1)?.at).toBeGreaterThanOrEqual(lifetime - HOUR)
  })
})

test.each([
  ['the address drops its email, and the next one is sent', 'address', [OLE, EVA], {}],
  ['the email lets the next one be sent', 'mail', [OLE, EVA], { [OLE]: 1 }],
  ['the mail server ends the run, since another email would fail as well', 'server', [OLE], { [OLE]: 1, [EVA]: 0 }],
] as const)('a failure of %s', async (_what, kind, tried, left) => {
  const { queue, enqueue, fail, recover, pass, recipients, waiting, logged } = await openMailScene()
  await enqueue()
  fail(kind, ({ to }) => to === OLE)
  await queue.deliverDue()
  expect([recipients(), Object.fromEntries(await waiting())]).toEqual([[...tried], left])
  const refused = { level: 'error', user: 'ole', cause: 'low tide' }
  expect(logged('refuses the address of a user')).toMatchObject(kind === 'address' ? [refused] : [])
  recover()
  await pass(MINUTE)
  const later = { address: [], mail: [OLE], server: [EVA, OLE] }[kind]
  expect(recipients()).toEqual([...tried, ...later])
})

test('a link stays valid while its email is retried, since it may have arrived; three of them at most', async () => {
  const { fail, ask, pass, live } = await openMailScene()
  fail('server')
  await ask()
  await pass(3 * MINUTE)
  expect(await live('password_reset')).toEqual([true, true, true])
  await pass(4 * MINUTE)
  expect(await live('password_reset')).toEqual([false, true, true, true])
  await ask()
  expect(await live('password_reset')).toEqual([false, false, false, false, true])
})

test('an account that is removed at the moment of sending does not keep others from their emails', async () => {
  const { store, parts, enqueue, recipients, waiting, logs } = await openMailScene()
  await enqueue()
  const findByEmail: typeof store.users.findByEmail = async (key) => {
    const user = await store.users.findByEmail(key)
    if (user?.username === 'ole') await store.users.remove('ole', BY_COMMAND_LINE)
    return user
  }
  await createMailQueue({ ...parts, users: { ...store.users, findByEmail } }).deliverDue()
  expect([recipients(), await waiting()]).toEqual([[EVA], []])
  expect(logs.filter((line) => line.includes('error'))).toEqual([])
})

describe('a restart', () => {
  test('loses no email and keeps the schedule of attempts', async () => {
    const { fail, recover, ask, clock, restart, calls, waiting } = await openMailScene()
    fail('server')
    await ask()
    recover()
    const queue = restart()
    await queue.deliverDue()
    expect(calls).toHaveLength(1)
    expect(await queue.status()).toMatchObject({ total: 1, waiting: [{ attempts: 1, lastError: 'low tide' }] })
    clock.advance(MINUTE)
    await queue.deliverDue()
    expect(calls).toHaveLength(2)
    expect(await waiting()).toEqual([])
  })

  test('sends the email again that the stop interrupted', async () => {
    const { queue, ask, background, fallSilent, recover, restart, recipients, waiting, logs } = await openMailScene()
    const reached = fallSilent()
    await queue.request('password_reset', OLE, 'en')
    await queue.request('password_reset', EVA, 'en')
    await reached
    queue.stop()
    await background.idle()
    // It may have arrived. It counts as an attempt, so the next one leaves its link valid.
    expect(Object.fromEntries(await waiting())).toEqual({ [OLE]: 1, [EVA]: 0 })
    recover()
    await queue.deliverDue()
    // Requests after the stop are kept as well.
    await ask(EVA)
    expect(recipients()).toEqual([OLE])
    expect(logs).toEqual([])
    await restart().deliverDue()
    expect(recipients()).toEqual([OLE, OLE, EVA])
    expect(await waiting()).toEqual([])
  })
})
