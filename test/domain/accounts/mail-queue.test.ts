import { afterEach, describe, expect, test } from 'bun:test'
import { createMailQueue } from '../../../src/domain/accounts/mail.ts'
import { BY_COMMAND_LINE, newUser, T } from '../../store/contract/fixtures.ts'
import { reasonOf } from '../../support/values.ts'
import { EVA, expectNoSecrets, OLE, openMailScene } from './mail-scene.ts'

const HOUR = 3600
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

afterEach(expectNoSecrets)

describe('a requested email', () => {
  test('is sent at once to the address as its owner wrote it, and leaves the queue', async () => {
    const { store, ask, calls, waiting, logged } = await openMailScene()
    await store.users.create(newUser('Liv', 'Liv@Pods.example'), false, BY_COMMAND_LINE)
    await ask('LIV@pods.EXAMPLE')
    const mail = { kind: 'password_reset', to: 'Liv@Pods.example', language: 'en', username: 'Liv' } as const
    expect(calls).toEqual([{ ...mail, token: expect.stringMatching(UUID), at: 0 }])
    expect(await waiting()).toEqual([])
    expect(logged('sent an email')).toMatchObject([{ purpose: 'password_reset', user: 'Liv' }])
  })

  test.each([
    ['activation', 48 * HOUR],
    ['password_reset', 24 * HOUR],
  ] as const)('carries a token for the %s that expires', async (purpose, lifetime) => {
    const { ask, register, calls, clock, live } = await openMailScene()
    await (purpose === 'activation' ? register('liv') : ask())
    expect(calls).toMatchObject([{ kind: purpose }])
    clock.advance(lifetime - 1)
    expect(await live(purpose)).toEqual([true])
    clock.advance(1)
    expect(await live(purpose)).toEqual([false])
  })

  test('is not sent to an unknown address or an account that is not active, and leaves no trace', async () => {
    const { store, db, ask, calls, waiting, logs } = await openMailScene()
    await store.users.setActive('eva', false, BY_COMMAND_LINE)
    await store.users.register(newUser('liv', 'liv@pods.example'), 'invite', undefined)
    for (const email of ['nobody@pods.example', EVA, 'liv@pods.example', '']) await ask(email)
    expect(calls).toEqual([])
    expect(await waiting()).toEqual([])
    expect(db.query('SELECT * FROM tokens').all()).toEqual([])
    expect(logs).toEqual([])
  })
})

describe('the queue', () => {
  test('sends all of many emails, each once, even if several runs start at the same time', async () => {
    const { store, queue, recipients, waiting } = await openMailScene()
    const emails = Array.from({ length: 45 }, (_, n) => `${n}@pods.example`)
    for (const [n, email] of emails.entries()) {
      await store.users.create(newUser(`user${n}`, email), false, BY_COMMAND_LINE)
      await store.mails.request({ purpose: 'password_reset', emailKey: email, language: 'en' }, T)
    }
    await Promise.all([queue.deliverDue(), queue.deliverDue(), queue.deliverDue()])
    await queue.deliverDue()
    expect(recipients()).toEqual(emails)
    expect(await waiting()).toEqual([])
  })

  test('sends what is requested while another email is being sent', async () => {
    const { queue, background, script, recipients } = await openMailScene()
    const { promise: taken, resolve: take } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    script.answer = () => {
      begin()
      return taken
    }
    await queue.request('password_reset', OLE, 'en')
    await begun
    await queue.request('password_reset', EVA, 'en')
    expect(recipients()).toEqual([OLE])
    take()
    await background.idle()
    expect(recipients()).toEqual([OLE, EVA])
  })

  test('sends an email again if it is requested again meanwhile, and the older link is void', async () => {
    const { clock, queue, ask, script, calls, recover, waiting, live } = await openMailScene()
    script.answer = async () => {
      recover()
      clock.advance(1)
      await queue.request('password_reset', OLE, 'en')
    }
    await ask()
    expect(calls).toMatchObject([0, 1].map((at) => ({ to: OLE, at })))
    expect(await waiting()).toEqual([])
    expect(await live('password_reset')).toEqual([false, true])
  })

  test.each([0, 1, 2, 3, 4, 5, 6, 7])('sends what is requested %i microtasks after its last query', async (steps) => {
    const { store, clock, recipients, parts } = await openMailScene()
    await store.mails.request({ purpose: 'password_reset', emailKey: OLE, language: 'en' }, T + 1)
    let asked: Promise<void> | undefined
    const due: typeof store.mails.listDue = async (at, limit) => {
      const found = await store.mails.listDue(at, limit)
      asked ??= ask()
      return found
    }
    const { deliverDue } = createMailQueue({ ...parts, mails: { ...store.mails, listDue: due } })
    async function ask() {
      clock.advance(1)
      for (let n = 0; n < steps; n++) await undefined
      await deliverDue()
    }
    await deliverDue()
    await asked
    expect(recipients()).toEqual([OLE])
  })
})

describe('the state of the queue', () => {
  const idle = { isOn: true, lastSentAt: undefined, lastFailure: undefined, total: 0, waiting: [] }

  test('shows sent, failed and waiting emails', async () => {
    const { queue, clock, fail, ask, pass } = await openMailScene()
    expect(await queue.status()).toEqual(idle)
    await ask(EVA)
    expect(await queue.status()).toEqual({ ...idle, lastSentAt: T })
    clock.advance(10)
    fail('server')
    await ask()
    await pass(60)
    const mail = { id: expect.any(Number), purpose: 'password_reset', emailKey: OLE, language: 'en' } as const
    const times = { requestedAt: T + 10, attempts: 2, nextAttemptAt: T + 190 }
    const waiting = [{ ...mail, ...times, lastError: 'low tide' }]
    const lastFailure = { at: T + 70, cause: 'low tide' }
    expect(await queue.status()).toEqual({ ...idle, lastSentAt: T, lastFailure, total: 1, waiting })
  })

  test('is off without a mail server, and nothing is sent', async () => {
    const { queue, ask, calls } = await openMailScene({ mailer: undefined })
    await ask()
    await queue.deliverDue()
    expect(calls).toEqual([])
    expect(await queue.status()).toMatchObject({ isOn: false, lastFailure: undefined })
    expect(queue.isOn).toBe(false)
  })

  test('is limited for anonymous requests, so that they cannot fill the disk, and not for users', async () => {
    const { db, ask, askAnonymously, fail, recipients, waiting, logged } = await openMailScene()
    fail('server')
    await askAnonymously(OLE)
    const columns = 'purpose, email_key, requested_at, next_attempt_at'
    const insert = db.prepare(`INSERT INTO mails (${columns}) VALUES ('password_reset', ?, ?, ?)`)
    for (let n = 1; n < 1000; n++) insert.run(`${n}@pods.example`, T, T + HOUR)
    await askAnonymously(EVA)
    expect(recipients()).toEqual([OLE])
    expect(logged('too many emails')).toMatchObject([{ level: 'error', purpose: 'password_reset' }])
    // A repeated request takes no more room.
    await askAnonymously(OLE)
    expect(recipients()).toEqual([OLE, OLE])
    expect((await waiting())[0]).toEqual([OLE, 1])
    await ask(EVA)
    expect(recipients()).toEqual([OLE, OLE, EVA])
    expect(logged('too many emails')).toHaveLength(1)
  })
})

describe('a test email', () => {
  test('is sent at once, bypassing the queue', async () => {
    const { queue, calls, waiting, logged } = await openMailScene()
    await queue.sendTest('anybody@else.example', 'en')
    expect(calls).toEqual([{ kind: 'test', to: 'anybody@else.example', language: 'en', at: 0 }])
    expect(await waiting()).toEqual([])
    expect(await queue.status()).toMatchObject({ lastSentAt: T })
    expect(logged('sent a test email')).toHaveLength(1)
  })

  test('reports its failure, is not retried, and its error stays until another email is sent', async () => {
    const { queue, fail, recover, pass, calls, waiting } = await openMailScene()
    expect(queue.trouble()).toBeUndefined()
    fail('server')
    expect(await reasonOf(queue.sendTest(OLE, 'en'))).toMatchObject({ code: 'mail_failed', message: 'low tide' })
    await pass(HOUR)
    expect([calls.length, await waiting(), queue.trouble()]).toEqual([1, [], 'low tide'])
    expect(await queue.status()).toMatchObject({ lastSentAt: undefined, lastFailure: { at: T, cause: 'low tide' } })
    recover()
    await queue.sendTest(OLE, 'en')
    expect(queue.trouble()).toBeUndefined()
  })

  test('does not delay the stop of the server', async () => {
    const { queue, fallSilent } = await openMailScene()
    const reached = fallSilent()
    const sending = reasonOf(queue.sendTest(OLE, 'en'))
    await reached
    queue.stop()
    expect(await sending).toMatchObject({ code: 'unavailable' })
  })
})

test('an anonymous request is answered before its email is sent, whether or not the address is known', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let pauses = 0
  const pause = () => {
    pauses++
    return promise
  }
  const { queue, background, recipients } = await openMailScene({ pause })
  for (const email of [OLE, 'nobody@pods.example']) await queue.requestForAnyone('password_reset', email, 'en')
  expect([pauses, recipients()]).toEqual([2, []])
  resolve()
  await background.idle()
  expect(recipients()).toEqual([OLE])
})
