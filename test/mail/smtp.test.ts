import { describe, expect, test } from 'bun:test'
import type { Mail } from '../../src/domain/accounts/mail.ts'
import { messageOf } from '../../src/mail/messages.ts'
import { Secret } from '../../src/platform/secret.ts'
import { EXPIRED_CERTIFICATE, FOREIGN_CERTIFICATE, UNKNOWN_CERTIFICATE } from '../support/certificate.ts'
import { parseMail } from '../support/smtp.ts'
import { ACCOUNT, BASE_URL, MAIL, SIGN_IN, send, TOKEN, trustTestCertificates } from './sending.ts'

const SECURITIES = ['starttls', 'tls', 'none'] as const
const HEADERS = new Set([
  'auto-submitted',
  'content-type',
  'date',
  'from',
  'message-id',
  'mime-version',
  'subject',
  'to',
])

trustTestCertificates()

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
    'smtp_security %s with a server that has %s: says so and sends nothing in clear text',
    async (...pair) => {
      const [security, offered] = pair
      const account = { ...SIGN_IN, security }
      const { failure, steps, mails, server } = await send({ security: offered, account: ACCOUNT }, account)
      expect(failure?.kind).toBe('server')
      expect(steps.filter((step) => step !== 'greeting')).toEqual([])
      expect(mails).toEqual([])
      expect(failure?.message).toContain('smtp_security')
      expect(failure?.message).toEndWith(`(${server})`)
    },
  )

  const faults = [
    ['from nobody known', UNKNOWN_CERTIFICATE, 'self signed certificate'],
    ['of another host', FOREIGN_CERTIFICATE, 'does not match'],
    ['that has expired', EXPIRED_CERTIFICATE, 'certificate has expired'],
  ] as const
  test.each(
    faults.flatMap(([fault, certificate, words]) =>
      (['starttls', 'tls'] as const).map((security) => [fault, security, certificate, words] as const),
    ),
  )('a certificate %s is refused with %s, and neither password nor mail gets there', async (...row) => {
    const [, security, certificate, words] = row
    const { failure, steps } = await send({ security, certificate, account: ACCOUNT }, { ...SIGN_IN, security })
    expect(failure?.kind).toBe('server')
    expect(failure?.message).toContain(words)
    expect(steps.filter((step) => step !== 'greeting')).toEqual([])
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
    ['the wrong name', { ...SIGN_IN, user: 'ida' }, 'smtp_user and smtp_password'],
    ['neither', {}, '530'],
  ])('fails with %s', async (_case, signIn, words) => {
    const { failure, mails } = await send({ account: ACCOUNT }, signIn)
    expect(failure?.kind).toBe('server')
    expect(failure?.message).toContain(words)
    expect(failure?.message).not.toMatch(/tidewater|hunter2/)
    expect(mails).toEqual([])
  })

  test('is left out where the server wants none', async () => {
    const { steps, mails } = await send({}, SIGN_IN)
    expect(steps).not.toContain('sign-in')
    expect(mails).toMatchObject([{ user: undefined }])
  })
})

describe.concurrent('what arrives', () => {
  test.each<[string, Mail]>([
    ['activation', { ...MAIL, kind: 'activation' }],
    ['password reset', MAIL],
    ['test', { kind: 'test', to: 'ole@pods.example' }],
  ])('is the text and the HTML of the %s mail, under the headers it needs and no others', async (_case, mail) => {
    const { mails } = await send({}, {}, mail)
    const { headers, ...body } = parseMail(mails[0]?.raw ?? '')
    expect(body).toEqual(messageOf(mail, BASE_URL))
    expect(Object.fromEntries(headers)).toMatchObject({
      from: 'Podcasts <podcasts@home.example>',
      to: 'ole@pods.example',
      // RFC 3834
      'auto-submitted': 'auto-generated',
    })
    expect(new Set(headers.keys())).toEqual(HEADERS)
  })

  test('leads to the public address, sub-path included, with the token behind the #', async () => {
    const { mails } = await send({})
    const { text, html } = parseMail(mails[0]?.raw ?? '')
    const link = `https://home.example/pods/reset-password#token=${TOKEN}`
    expect(text.split('\n')).toContain(link)
    expect(html).toContain(`<a href="${link}">`)
  })

  test('comes from a sender with any name', async () => {
    const { mails } = await send({}, { from: 'Pødcasts, Büro <podcasts@home.example>' })
    expect(mails[0]?.from).toBe('podcasts@home.example')
    expect(parseMail(mails[0]?.raw ?? '').headers.get('from')).toMatch(/^"?Pødcasts, Büro"? <podcasts@home\.example>$/)
  })
})

describe.concurrent('however hostile', () => {
  test.each([
    ['a,b@pods.example', '"a,b"@pods.example'],
    ['a;b:c@pods.example', '"a;b:c"@pods.example'],
    ['group:a@pods.example', '"group:a"@pods.example'],
    ['a(b)c@pods.example', '"a(b)c"@pods.example'],
    ['"a@pods.example', '"\\"a"@pods.example'],
    ['"a"b@pods.example', '"\\"a\\"b"@pods.example'],
    ['a\\@pods.example', '"a\\\\"@pods.example'],
    ["o'hara@pods.example", "o'hara@pods.example"],
    ['ö@pods.example', 'ö@pods.example'],
    ['a@pöds.example', 'a@pöds.example'],
    ['=?utf-8?q?a=2Cb?=@pods.example', '=?utf-8?q?a=2Cb?=@pods.example'],
  ])('the address %s is one recipient', async (to, recipient) => {
    const { failure, mails } = await send({}, {}, { ...MAIL, to })
    expect(failure).toBeUndefined()
    expect(mails.map((mail) => mail.to)).toEqual([[recipient]])
    expect(new Set(parseMail(mails[0]?.raw ?? '').headers.keys())).toEqual(HEADERS)
  })

  test.each([
    'a<b>c@pods.example',
    '<script>@pods.example',
    'eve@pods.example>\r\nRCPT TO:<ole@pods.example',
    'a\r\nBcc: eve@pods.example',
    'ole@pods.example,eve@pods.example',
    'ole@pods.example\u2028Bcc: eve@pods.example',
  ])('the address %j reaches nobody and shows up nowhere', async (to) => {
    const { failure, mails } = await send({}, {}, { ...MAIL, to })
    // Never of the server: others would have to wait.
    expect(failure?.kind).toMatch(/^(?:address|mail)$/)
    expect(failure?.message).not.toMatch(/ole|eve|script|Bcc|a<b/)
    expect(mails).toEqual([])
  })

  test.each([
    ['<img src=x onerror="alert(1)">', '&lt;img src=x onerror=&quot;alert(1)&quot;&gt;'],
    ['ole\r\nBcc: eve@pods.example\r\n\r\n', 'ole&#13;\nBcc: eve@pods.example&#13;\n&#13;\n'],
    ['ole\r\n.\r\nMAIL FROM:<eve@pods.example>', 'ole&#13;\n.&#13;\nMAIL FROM:&lt;eve@pods.example&gt;'],
    ['Øle 🎧 & "Söhne"', 'Øle 🎧 &amp; &quot;Söhne&quot;'],
  ])('the user name %j is text and nothing else', async (username, escaped) => {
    const { mails } = await send({}, {}, { ...MAIL, username })
    expect(mails.map(({ to }) => to)).toEqual([['ole@pods.example']])
    const { headers, text, html } = parseMail(mails[0]?.raw ?? '')
    expect(new Set(headers.keys())).toEqual(HEADERS)
    expect(text).toStartWith(`Hello ${username.replaceAll('\r\n', '\n')},\n`)
    expect(html).toContain(`<p>Hello ${escaped},</p>`)
  })
})
