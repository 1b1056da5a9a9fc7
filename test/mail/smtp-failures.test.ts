import { describe, expect, jest, test } from 'bun:test'
import { createServer } from 'node:net'
import { MailFailure } from '../../src/domain/accounts/mail.ts'
import { startSmtpServer } from '../support/smtp.ts'
import { ACCOUNT, attempt, MAIL, PASSWORD, SIGN_IN, send, TOKEN, trustTestCertificates } from './sending.ts'

trustTestCertificates()

describe.concurrent('a mail that is not taken', () => {
  test.each([
    ['turns everybody away', 'greeting', '554 low tide', 'server', 'mail server'],
    ['is too busy', 'greeting', '421 low tide', 'server', 'mail server'],
    ['refuses the sender', 'sender', '550 low tide', 'server', 'the mail server refuses sender or recipient'],
    ['does not like the sender now', 'sender', '451 low tide', 'server', 'the mail server refuses sender'],
    [
      'knows no such recipient',
      'recipient',
      '550 no such user',
      'address',
      'the mail server refuses sender or recipient',
    ],
    ['says no more than 550', 'recipient', '550 low tide', 'mail', 'the mail server refuses sender or recipient'],
    [
      'relays for nobody, without a code',
      'recipient',
      '550 address not local, relay denied',
      'mail',
      'the mail server refuses',
    ],
    ['knows no such recipient', 'recipient', '550 5.1.1 low tide', 'address', 'the mail server refuses sender'],
    [
      'takes that for no address',
      'recipient',
      '553 mailbox name not allowed',
      'address',
      'the mail server refuses sender',
    ],
    ['has no room for the recipient', 'recipient', '552 low tide', 'mail', 'the mail server refuses sender'],
    ['has no room for the recipient', 'recipient', '550 5.2.2 low tide', 'mail', 'the mail server refuses sender'],
    ['puts the recipient off', 'recipient', '450 low tide', 'mail', 'the mail server refuses sender or recipient'],
    ['relays for nobody', 'recipient', '554 5.7.1 low tide', 'server', 'the mail server refuses sender'],
    ['blocks our network', 'recipient', '550 5.7.1 low tide', 'server', 'the mail server refuses sender'],
    ['wants to know who sends', 'recipient', '530 low tide', 'server', 'the mail server refuses sender'],
    ['refuses the content', 'content', '554 low tide', 'mail', 'the mail server refuses the mail'],
    ['puts the content off', 'content', '451 low tide', 'mail', 'the mail server refuses the mail'],
  ] as const)('because the server %s (%s, %s): the fault of the %s', async (_case, at, answer, kind, cause) => {
    const { failure, mails, server } = await send({
      refuse: { at, code: Number(answer.slice(0, 3)), words: answer.slice(4) },
    })
    expect(failure).toMatchObject({ name: 'MailFailure', kind })
    expect(failure?.message).toContain(cause)
    expect(failure?.message).toEndWith(`: ${answer} (${server})`)
    expect(mails).toEqual([])
  })

  test('because the connection breaks off in the middle of it', async () => {
    const { failure, mails, server } = await send({ isBreakingOff: true })
    expect(failure?.kind).toBe('server')
    expect(failure?.message).toStartWith('the connection to the mail server ')
    expect(failure?.message).toEndWith(`(${server})`)
    expect(mails).toEqual([])
  })

  test('because nobody listens', async () => {
    const { host, port, [Symbol.asyncDispose]: close } = await startSmtpServer()
    await close()
    const failure = await attempt({ host, port })
    expect(failure).toMatchObject({ kind: 'server' })
    expect(failure?.message).toMatch(/^nothing answers at the address of the mail server: /)
    expect(failure?.message).toEndWith(`(${host}:${port})`)
  })

  test.each([
    ['the address', 'recipient', `<ole@pods.example>: unknown; ole@PODS.example is not mailto:ole@pods.example`],
    ['the link', 'content', `blocked: https://home.example/pods/reset-password#token=${TOKEN}`],
    ['the token', 'content', `what is ${TOKEN}?`],
    ['the password', 'sign-in', `${PASSWORD} is not the password of podcasts`],
  ] as const)('is reported without %s, even if the server repeats it', async (_case, at, words) => {
    const { failure } = await send({ account: ACCOUNT, refuse: { at, code: 550, words } }, SIGN_IN)
    expect(failure).toBeInstanceOf(MailFailure)
    expect(failure?.message).not.toMatch(/ole@|pods\.example/i)
    expect(failure?.message).not.toContain(TOKEN)
    expect(failure?.message).not.toContain(PASSWORD)
  })
})

describe.concurrent('a server that is slow', () => {
  test('has taken the mail when it says so, not before', async () => {
    const { promise: hold, resolve: release } = Promise.withResolvers<void>()
    await using server = await startSmtpServer({ hold })
    let isDone = false
    const sent = attempt(server).finally(() => {
      isDone = true
    })
    await server.held
    expect(isDone).toBe(false)
    release()
    expect(await sent).toBeUndefined()
    expect(server.mails).toHaveLength(1)
  })

  test('is not waited for when the program stops', async () => {
    const { promise: hold, resolve: release } = Promise.withResolvers<void>()
    await using server = await startSmtpServer({ hold })
    const stopping = new AbortController()
    const sent = attempt(server, MAIL, stopping.signal)
    await server.held
    stopping.abort()
    expect(await sent).toBeInstanceOf(MailFailure)
    release()
  })
})

test.each(['starttls', 'tls', 'none'] as const)(
  'a server that never says a word is given up on; smtp_security %s',
  async (security) => {
    const { promise: accepted, resolve } = Promise.withResolvers<{ destroy(): unknown }>()
    const server = createServer(resolve)
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    jest.useFakeTimers()
    try {
      const failure = attempt({ host: '127.0.0.1', port, security })
      const socket = await accepted
      jest.advanceTimersByTime(10_000)
      expect(await failure).toMatchObject({ kind: 'server' })
      expect((await failure)?.message).toMatch(/^the mail server does not answer in time: .+ \(127\.0\.0\.1:\d+\)$/)
      socket.destroy()
    } finally {
      jest.useRealTimers()
      server.close()
    }
  },
)
