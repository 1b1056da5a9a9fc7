import { afterAll, beforeAll, describe, expect, jest, test } from 'bun:test'
import { createServer } from 'node:net'
import tls from 'node:tls'
import { type Mail, MailFailure } from '../../src/domain/accounts/mail.ts'
import { messageOf } from '../../src/mail/messages.ts'
import { createSmtpMailer, type SmtpSettings } from '../../src/mail/smtp.ts'
import { Secret } from '../../src/platform/secret.ts'
import { CERTIFICATE, EXPIRED_CERTIFICATE, FOREIGN_CERTIFICATE, UNKNOWN_CERTIFICATE } from '../support/certificate.ts'
import { parseMail, type SmtpServerSettings, startSmtpServer } from '../support/smtp.ts'

const TOKEN = '3f1c2b0a-5d6e-4f70-8a9b-0c1d2e3f4a5b'
const MAIL = { kind: 'password_reset', to: 'ole@pods.example', language: 'en', username: 'ole', token: TOKEN } as const
const BASE_URL = 'https://home.example/pods'
const PASSWORD = 'hunter2seaglass'
/** Credentials of the server, and the settings that match. */
const ACCOUNT = { user: 'podcasts', password: PASSWORD }
const SIGN_IN = { user: 'podcasts', password: new Secret(PASSWORD) }
const SECURITIES = ['starttls', 'tls', 'none'] as const
const HEADERS = new Set('auto-submitted content-type date from message-id mime-version subject to'.split(' '))

// The CA store has all certificates but the unknown one, so that their other faults matter.
const usual = tls.getCACertificates('default')
beforeAll(() => tls.setDefaultCACertificates([CERTIFICATE, FOREIGN_CERTIFICATE, EXPIRED_CERTIFICATE]))
afterAll(() => tls.setDefaultCACertificates(usual))

/** Sends a mail; returns the failure, if any. */
async function attempt(
  settings: Pick<SmtpSettings, 'host' | 'port'> & Partial<SmtpSettings>,
  mail: Mail = MAIL,
  signal: AbortSignal = new AbortController().signal,
) {
  const from = 'Podcasts <podcasts@home.example>'
  const anonymous = { user: undefined, password: undefined }
  const mailer = createSmtpMailer({ security: 'starttls', ...anonymous, from, baseUrl: BASE_URL, ...settings })
  try {
    await mailer.send(mail, signal)
  } catch (error) {
    if (error instanceof MailFailure) return error
    throw error
  }
  return undefined
}

/** Sends one mail to a new server. */
async function send(offers: SmtpServerSettings, settings: Partial<SmtpSettings> = {}, mail: Mail = MAIL) {
  await using server = await startSmtpServer(offers)
  const { host, port, steps, mails } = server
  const failure = await attempt({ host, port, ...settings }, mail)
  return { failure, steps: steps.filter((step) => step !== 'greeting'), mails, server: `${host}:${port}` }
}

test.each([
  ['https://pods.home.example/pods', 'pods.home.example'],
  ['https://pods.home.example.:8443', 'pods.home.example'],
  ['https://bücher.example', 'xn--bcher-kva.example'],
  ['http://192.168.1.20:8080', '[192.168.1.20]'],
  ['http://[fd00::2]:8080', '[IPv6:fd00::2]'],
])('with base_url %s the HELO name is %s', async (baseUrl, helo) => {
  const { failure, mails } = await send({}, { baseUrl })
  expect(failure).toBeUndefined()
  expect(mails[0]?.helo.toUpperCase()).toBe(helo.toUpperCase())
})

describe.concurrent('encryption', () => {
  test.each([
    ['starttls', 'starttls', true],
    ['tls', 'tls', true],
    ['none', 'starttls', false],
    ['none', 'none', false],
  ] as const)('smtp_security %s with a server that has %s: encrypted %p', async (security, offered, isSecure) => {
    const { failure, mails } = await send({ security: offered, account: ACCOUNT }, { ...SIGN_IN, security })
    expect(failure).toBeUndefined()
    const envelope = { from: 'podcasts@home.example', to: ['ole@pods.example'] }
    expect(mails).toMatchObject([{ ...envelope, user: 'podcasts', isSecure }])
  })

  test.each([
    ['starttls', 'none'],
    ['tls', 'none'],
    ['tls', 'starttls'],
  ] as const)(
    'smtp_security %s with a server that has %s: nothing is sent in clear text',
    async (security, offered) => {
      const account = { ...SIGN_IN, security }
      const { failure, steps, mails, server } = await send({ security: offered, account: ACCOUNT }, account)
      expect([failure?.kind, steps, mails]).toEqual(['server', [], []])
      expect(failure?.message).toContain('smtp_security')
      expect(failure?.message).toEndWith(`(${server})`)
    },
  )

  test.each([
    ['from an unknown issuer', UNKNOWN_CERTIFICATE, 'self signed certificate'],
    ['for another host', FOREIGN_CERTIFICATE, 'does not match'],
    ['that has expired', EXPIRED_CERTIFICATE, 'certificate has expired'],
  ])('a certificate %s is refused before password and mail are sent', async (_fault, certificate, words) => {
    for (const security of ['starttls', 'tls'] as const) {
      const { failure, steps } = await send({ security, certificate, account: ACCOUNT }, { ...SIGN_IN, security })
      expect([failure?.kind, steps]).toEqual(['server', []])
      expect(failure?.message).toContain(words)
    }
  })

  test('the certificate is verified against the host name', async () => {
    expect(await send({}, { host: 'localhost' })).toMatchObject({ failure: undefined, mails: [{ isSecure: true }] })
  })
})

describe.concurrent('authentication', () => {
  test.each([
    ['the wrong password', { user: 'podcasts', password: new Secret('tidewater') }, 'smtp_user and smtp_password'],
    ['no credentials', {}, '530'],
  ])('fails with %s', async (_case, signIn, words) => {
    const { failure, mails } = await send({ account: ACCOUNT }, signIn)
    expect([failure?.kind, mails]).toEqual(['server', []])
    expect(failure?.message).toContain(words)
    expect(failure?.message).not.toMatch(/tidewater|hunter2/)
  })

  test('is skipped if the server does not offer it', async () => {
    const { steps, mails } = await send({}, SIGN_IN)
    expect(steps).not.toContain('sign-in')
    expect(mails).toMatchObject([{ user: undefined }])
  })
})

describe.concurrent('a mail', () => {
  test('has text, HTML and only the necessary headers', async () => {
    const { mails } = await send({}, { from: 'Pødcasts, Büro <podcasts@home.example>' })
    const { headers, ...body } = parseMail(mails[0]?.raw ?? '')
    expect(body).toEqual(messageOf(MAIL, BASE_URL))
    // RFC 3834
    expect(Object.fromEntries(headers)).toMatchObject({ to: MAIL.to, 'auto-submitted': 'auto-generated' })
    expect(headers.get('from')).toMatch(/^"?Pødcasts, Büro"? <podcasts@home\.example>$/)
    expect(new Set(headers.keys())).toEqual(HEADERS)
  })

  test.each([
    ['group:a@pods.example', '"group:a"@pods.example'],
    ['"a"b@pods.example', '"\\"a\\"b"@pods.example'],
    ['ö@pöds.example', 'ö@pöds.example'],
    ['=?utf-8?q?a=2Cb?=@pods.example', '=?utf-8?q?a=2Cb?=@pods.example'],
  ])('has one recipient for the hostile address %s', async (to, recipient) => {
    const { failure, mails } = await send({}, {}, { ...MAIL, to })
    expect(failure).toBeUndefined()
    expect(mails.map((mail) => mail.to)).toEqual([[recipient]])
    expect(new Set(parseMail(mails[0]?.raw ?? '').headers.keys())).toEqual(HEADERS)
  })

  test.each([
    'a<b>c@pods.example',
    'eve@pods.example>\r\nRCPT TO:<ole@pods.example',
    'ole@pods.example,eve@pods.example',
    'ole@pods.example\u2028Bcc: eve@pods.example',
  ])('is not sent to the address %j, which the failure does not contain', async (to) => {
    const { failure, mails } = await send({}, {}, { ...MAIL, to })
    // The failure must not count against the server, or other mails would wait.
    expect(failure?.kind).toMatch(/^(?:address|mail)$/)
    expect(failure?.message).not.toMatch(/ole|eve|Bcc|a<b/)
    expect(mails).toEqual([])
  })

  test.each([
    ['<img src=x onerror="alert(1)">', '&lt;img src=x onerror=&quot;alert(1)&quot;&gt;'],
    ['ole\r\n.\r\nMAIL FROM:<eve@pods.example>', 'ole&#13;\n.&#13;\nMAIL FROM:&lt;eve@pods.example&gt;'],
    ["Øle 🎧 & 'Söhne'", 'Øle 🎧 &amp; &apos;Söhne&apos;'],
  ])('escapes the username %j', async (username, escaped) => {
    const { mails } = await send({}, {}, { ...MAIL, username })
    expect(mails.map(({ to }) => to)).toEqual([['ole@pods.example']])
    const { headers, text, html } = parseMail(mails[0]?.raw ?? '')
    expect(new Set(headers.keys())).toEqual(HEADERS)
    expect(text).toStartWith(`Hello ${username.replaceAll('\r\n', '\n')},\n`)
    expect(html).toContain(`<p>Hello ${escaped},</p>`)
  })
})

describe.concurrent('a failed mail', () => {
  const REFUSED = 'the mail server rejects the sender or recipient'
  const CONTENT = 'the mail server rejects the email'
  test.each([
    ['rejects all connections', 'greeting', '554 low tide', 'server', 'mail server'],
    ['refuses the sender', 'sender', '550 low tide', 'server', REFUSED],
    ['does not know the recipient', 'recipient', '550 no such user', 'address', REFUSED],
    ['does not know the recipient, by code', 'recipient', '550 5.1.1 low tide', 'address', REFUSED],
    ['finds the address invalid', 'recipient', '553 mailbox name not allowed', 'address', REFUSED],
    ['answers 550 without details', 'recipient', '550 low tide', 'mail', REFUSED],
    ['does not relay, without a code', 'recipient', '550 address not local, relay denied', 'mail', REFUSED],
    ['has a full mailbox', 'recipient', '552 low tide', 'mail', REFUSED],
    ['has a full mailbox, by code', 'recipient', '550 5.2.2 low tide', 'mail', REFUSED],
    ['defers the recipient', 'recipient', '450 low tide', 'mail', REFUSED],
    ['does not relay', 'recipient', '554 5.7.1 low tide', 'server', REFUSED],
    ['requires authentication', 'recipient', '530 low tide', 'server', REFUSED],
    ['refuses the content', 'content', '554 low tide', 'mail', CONTENT],
  ] as const)('whose server %s (%s, %s) is attributed to the %s', async (_case, at, answer, kind, cause) => {
    const refuse = { at, code: Number(answer.slice(0, 3)), words: answer.slice(4) }
    const { failure, mails, server } = await send({ refuse })
    expect(failure).toMatchObject({ name: 'MailFailure', kind })
    expect(failure?.message).toContain(cause)
    expect(failure?.message).toEndWith(`: ${answer} (${server})`)
    expect(mails).toEqual([])
  })

  test('is explained if the connection breaks or is refused', async () => {
    const { failure, mails, server } = await send({ isBreakingOff: true })
    expect([failure?.kind, mails]).toEqual(['server', []])
    expect(failure?.message).toMatch(/^the connection to the mail server /)
    const [host = '', port] = server.split(':')
    const refused = await attempt({ host, port: Number(port) })
    expect(refused?.message).toMatch(/^the mail server refuses connections: /)
    for (const each of [failure, refused]) expect(each?.message).toEndWith(`(${server})`)
  })

  test.each([
    ['the address', 'recipient', `<ole@pods.example>: unknown; ole@PODS.example is not mailto:ole@pods.example`],
    ['the link', 'content', `blocked: https://home.example/pods/reset-password#token=${TOKEN}`],
    ['the token', 'content', `what is ${TOKEN}?`],
    ['the password', 'sign-in', `${PASSWORD} is not the password of podcasts`],
  ] as const)('is reported without %s, even if the server quotes it', async (_case, at, words) => {
    const { failure } = await send({ account: ACCOUNT, refuse: { at, code: 550, words } }, SIGN_IN)
    expect(failure).toBeInstanceOf(MailFailure)
    expect(failure?.message).not.toMatch(/ole@|pods\.example/i)
    for (const secret of [TOKEN, PASSWORD]) expect(failure?.message).not.toContain(secret)
  })
})

test('sending waits for the final response of the server, unless stopped', async () => {
  for (const isStopping of [false, true]) {
    const { promise: hold, resolve: release } = Promise.withResolvers<void>()
    await using server = await startSmtpServer({ hold })
    const stopping = new AbortController()
    let isDone = false
    const sent = attempt(server, MAIL, stopping.signal).finally(() => {
      isDone = true
    })
    await server.held
    expect(isDone).toBe(false)
    if (isStopping) stopping.abort()
    else release()
    expect((await sent)?.name).toBe(isStopping ? 'MailFailure' : undefined)
    release()
  }
})

test.each(SECURITIES)('a silent server times out with smtp_security %s', async (security) => {
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
    expect((await failure)?.message).toMatch(/^the mail server does not answer in time: .+ \(127\.0\.0\.1:\d+\)$/)
    socket.destroy()
  } finally {
    jest.useRealTimers()
    server.close()
  }
})

test('connection and authentication can be verified without a mail', async () => {
  await using server = await startSmtpServer({ security: 'none', account: ACCOUNT })
  const from = 'Podcasts <podcasts@home.example>'
  const settings = { host: server.host, port: server.port, security: 'none', from, baseUrl: BASE_URL } as const
  await createSmtpMailer({ ...settings, ...SIGN_IN }).verify()
  const wrong = createSmtpMailer({ ...settings, user: 'podcasts', password: new Secret('wrong') })
  await expect(wrong.verify()).rejects.toThrow('the mail server rejects smtp_user and smtp_password')
  expect(server.mails).toEqual([])
})
