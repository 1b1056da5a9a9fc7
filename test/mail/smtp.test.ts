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
/** What a server asks for, and the settings that answer it. */
const ACCOUNT = { user: 'podcasts', password: PASSWORD }
const SIGN_IN = { user: 'podcasts', password: new Secret(PASSWORD) }
const SECURITIES = ['starttls', 'tls', 'none'] as const
const HEADERS = new Set('auto-submitted content-type date from message-id mime-version subject to'.split(' '))

// Certificates that are faulty otherwise are trusted, too, and the unknown one is not.
const usual = tls.getCACertificates('default')
beforeAll(() => tls.setDefaultCACertificates([CERTIFICATE, FOREIGN_CERTIFICATE, EXPIRED_CERTIFICATE]))
afterAll(() => tls.setDefaultCACertificates(usual))

/** Sends a mail; the failure if there is one. */
async function attempt(
  settings: Pick<SmtpSettings, 'host' | 'port'> & Partial<SmtpSettings>,
  mail: Mail = MAIL,
  signal: AbortSignal = new AbortController().signal,
) {
  const from = 'Podcasts <podcasts@home.example>'
  const nobody = { user: undefined, password: undefined }
  const mailer = createSmtpMailer({ security: 'starttls', ...nobody, from, baseUrl: BASE_URL, ...settings })
  try {
    await mailer.send(mail, signal)
  } catch (error) {
    if (error instanceof MailFailure) return error
    throw error
  }
  return undefined
}

/** Sends one mail to a server of its own. */
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
])('with base_url %s the server calls itself %s', async (baseUrl, helo) => {
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
    const { failure, mails } = await send({ security: offered }, { security })
    expect(failure).toBeUndefined()
    expect(mails).toMatchObject([{ from: 'podcasts@home.example', to: ['ole@pods.example'], isSecure }])
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
    ['from nobody known', UNKNOWN_CERTIFICATE, 'self signed certificate'],
    ['of another host', FOREIGN_CERTIFICATE, 'does not match'],
    ['that has expired', EXPIRED_CERTIFICATE, 'certificate has expired'],
  ])('a certificate %s is refused, and neither password nor mail gets there', async (_fault, certificate, words) => {
    for (const security of ['starttls', 'tls'] as const) {
      const { failure, steps } = await send({ security, certificate, account: ACCOUNT }, { ...SIGN_IN, security })
      expect([failure?.kind, steps]).toEqual(['server', []])
      expect(failure?.message).toContain(words)
    }
  })

  test('the name of the server is what its certificate is compared with', async () => {
    expect(await send({}, { host: 'localhost' })).toMatchObject({ failure: undefined, mails: [{ isSecure: true }] })
  })
})

describe.concurrent('signing in', () => {
  test.each(SECURITIES)('happens with smtp_user and smtp_password; smtp_security %s', async (security) => {
    const { mails } = await send({ security, account: ACCOUNT }, { ...SIGN_IN, security })
    expect(mails).toMatchObject([{ user: 'podcasts', isSecure: security !== 'none' }])
  })

  test.each([
    ['the wrong password', { user: 'podcasts', password: new Secret('tidewater') }, 'smtp_user and smtp_password'],
    ['neither', {}, '530'],
  ])('fails with %s', async (_case, signIn, words) => {
    const { failure, mails } = await send({ account: ACCOUNT }, signIn)
    expect([failure?.kind, mails]).toEqual(['server', []])
    expect(failure?.message).toContain(words)
    expect(failure?.message).not.toMatch(/tidewater|hunter2/)
  })

  test('is left out where the server wants none', async () => {
    const { steps, mails } = await send({}, SIGN_IN)
    expect(steps).not.toContain('sign-in')
    expect(mails).toMatchObject([{ user: undefined }])
  })
})

describe.concurrent('what arrives', () => {
  test('is the text and the HTML of the mail, under the headers it needs and no others', async () => {
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
  ])('is for one recipient, however hostile: %s', async (to, recipient) => {
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
  ])('is nothing for the address %j, which shows up nowhere', async (to) => {
    const { failure, mails } = await send({}, {}, { ...MAIL, to })
    // Never of the server: others would have to wait.
    expect(failure?.kind).toMatch(/^(?:address|mail)$/)
    expect(failure?.message).not.toMatch(/ole|eve|Bcc|a<b/)
    expect(mails).toEqual([])
  })

  test.each([
    ['<img src=x onerror="alert(1)">', '&lt;img src=x onerror=&quot;alert(1)&quot;&gt;'],
    ['ole\r\n.\r\nMAIL FROM:<eve@pods.example>', 'ole&#13;\n.&#13;\nMAIL FROM:&lt;eve@pods.example&gt;'],
    ["Øle 🎧 & 'Söhne'", 'Øle 🎧 &amp; &apos;Söhne&apos;'],
  ])('shows the username %j as text and nothing else', async (username, escaped) => {
    const { mails } = await send({}, {}, { ...MAIL, username })
    expect(mails.map(({ to }) => to)).toEqual([['ole@pods.example']])
    const { headers, text, html } = parseMail(mails[0]?.raw ?? '')
    expect(new Set(headers.keys())).toEqual(HEADERS)
    expect(text).toStartWith(`Hello ${username.replaceAll('\r\n', '\n')},\n`)
    expect(html).toContain(`<p>Hello ${escaped},</p>`)
  })
})

describe.concurrent('a mail that is not taken', () => {
  const REFUSED = 'the mail server refuses sender or recipient'
  const CONTENT = 'the mail server refuses the mail'
  test.each([
    ['turns everybody away', 'greeting', '554 low tide', 'server', 'mail server'],
    ['refuses the sender', 'sender', '550 low tide', 'server', REFUSED],
    ['knows no such recipient', 'recipient', '550 no such user', 'address', REFUSED],
    ['knows no such recipient, by its code', 'recipient', '550 5.1.1 low tide', 'address', REFUSED],
    ['takes that for no address', 'recipient', '553 mailbox name not allowed', 'address', REFUSED],
    ['says no more than 550', 'recipient', '550 low tide', 'mail', REFUSED],
    ['relays for nobody, without a code', 'recipient', '550 address not local, relay denied', 'mail', REFUSED],
    ['has no room for the recipient', 'recipient', '552 low tide', 'mail', REFUSED],
    ['has no room for the recipient, by its code', 'recipient', '550 5.2.2 low tide', 'mail', REFUSED],
    ['puts the recipient off', 'recipient', '450 low tide', 'mail', REFUSED],
    ['relays for nobody', 'recipient', '554 5.7.1 low tide', 'server', REFUSED],
    ['wants to know who sends', 'recipient', '530 low tide', 'server', REFUSED],
    ['refuses the content', 'content', '554 low tide', 'mail', CONTENT],
  ] as const)('because the server %s (%s, %s): the fault of the %s', async (_case, at, answer, kind, cause) => {
    const refuse = { at, code: Number(answer.slice(0, 3)), words: answer.slice(4) }
    const { failure, mails, server } = await send({ refuse })
    expect(failure).toMatchObject({ name: 'MailFailure', kind })
    expect(failure?.message).toContain(cause)
    expect(failure?.message).toEndWith(`: ${answer} (${server})`)
    expect(mails).toEqual([])
  })

  test('because the connection breaks off in the middle of it, or nobody listens', async () => {
    const { failure, mails, server } = await send({ isBreakingOff: true })
    expect([failure?.kind, mails]).toEqual(['server', []])
    expect(failure?.message).toMatch(/^the connection to the mail server /)
    const [host = '', port] = server.split(':')
    const refused = await attempt({ host, port: Number(port) })
    expect(refused?.message).toMatch(/^nothing answers at the address of the mail server: /)
    for (const each of [failure, refused]) expect(each?.message).toEndWith(`(${server})`)
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
    for (const secret of [TOKEN, PASSWORD]) expect(failure?.message).not.toContain(secret)
  })
})

test('a server has taken the mail when it says so, not before, and is not waited for when the program stops', async () => {
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

test.each(SECURITIES)('a server that never says a word is given up on; smtp_security %s', async (security) => {
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

test('the connection and the sign-in are tried without a mail', async () => {
  await using server = await startSmtpServer({ security: 'none', account: ACCOUNT })
  const from = 'Podcasts <podcasts@home.example>'
  const settings = { host: server.host, port: server.port, security: 'none', from, baseUrl: BASE_URL } as const
  await createSmtpMailer({ ...settings, ...SIGN_IN }).verify()
  const wrong = createSmtpMailer({ ...settings, user: 'podcasts', password: new Secret('wrong') })
  await expect(wrong.verify()).rejects.toThrow('the mail server refuses smtp_user and smtp_password')
  expect(server.mails).toEqual([])
})
