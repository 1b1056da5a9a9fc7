import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { type Answer, clientOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { countedDatabase } from '../support/database.ts'
import { parseMail, startSmtpServer } from '../support/smtp.ts'
import { outbox } from './accounts.ts'
import { expectRefusal } from './refusal.ts'
import { stored } from './stored.ts'

const PATH = '/api/2/password-reset'
const OK = [200, { status: 'ok' }]
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Whom one may ask for; only the first three are told anything. */
const ADDRESSES = {
  known: 'ole@pods.example',
  'known, in other letters': 'OLE@Pods.Example',
  'known, with white space': ' ole@pods.example ',
  unknown: 'nobody@pods.example',
  'of a pending account': 'kai@pods.example',
  'of an inactive account': 'eva@pods.example',
  'no address': 'ole',
  empty: '',
  'two addresses': 'ole@pods.example,nobody@pods.example',
  'with a header': 'ole@pods.example\r\nBcc: nobody@pods.example',
  'with NUL': 'ole@pods.example\0',
  'half an emoji': '\ud83d@pods.example',
  'far too long': `${'x'.repeat(60_000)}@pods.example`,
} as const
const TOLD = ['known', 'known, in other letters', 'known, with white space']

/** Administrator ida without address, Ole who has one, eva who is deactivated, and kai who is not activated. */
async function open({ canMail = true, settings = {}, db = countedDatabase().db } = {}) {
  const { mailer, sent } = outbox()
  const app = startTestApp({ settings: { registration: 'invite', ...settings }, db, ...(canMail && { mailer }) })
  const ida = await signUp(app)
  const { administration } = app.services
  await administration.create(
    { username: 'Ole', password: 'driftwood', email: 'Ole@Pods.example' },
    false,
    COMMAND_LINE,
  )
  await administration.create({ username: 'eva', password: 'seashell', email: 'eva@pods.example' }, false, COMMAND_LINE)
  await administration.setActive('eva', false, COMMAND_LINE)
  const anyone = clientOf(app)
  await anyone.post('/api/2/register', { username: 'kai', password: 'pebbles', email: 'kai@pods.example' })
  await app.idle()
  sent.length = 0
  app.logs.length = 0
  const ask = async (email: unknown, headers: Record<string, string> = {}) => {
    const answer = await anyone.post(PATH, { email }, { headers })
    await app.idle()
    return answer
  }
  return { app, ida, anyone, sent, ask }
}

const bytes = ({ status, headers, text }: Answer) => JSON.stringify([status, [...headers], text])

describe('POST /api/2/password-reset', () => {
  test('mails a link to the address as it was registered, however it was typed now', async () => {
    const { sent, ask } = await open()
    const answer = await ask('OLE@pods.example')
    expect([answer.status, answer.json]).toEqual(OK)
    expect(sent).toEqual([
      { kind: 'password_reset', to: 'Ole@Pods.example', username: 'Ole', token: expect.stringMatching(UUID_V4) },
    ])
  })

  test.each(Object.entries(ADDRESSES))('answers the same, byte for byte, for an address that is %s', async (...row) => {
    const [kind, email] = row
    const expected = bytes(await (await open()).ask('ole@pods.example'))
    for (const canMail of [true, false]) {
      const { ask, sent } = await open({ canMail })
      expect(bytes(await ask(email))).toBe(expected)
      expect(sent).toHaveLength(canMail && TOLD.includes(kind) ? 1 : 0)
    }
  })

  test('does the same work before it answers, whether or not somebody has the address', async () => {
    const { db, during } = countedDatabase()
    const { app, anyone } = await open({ db, settings: { rate_limit: 'false' } })
    const work: string[][] = []
    for (const email of ['ole', 'nobody', 'kai', 'eva'].map((name) => `${name}@pods.example`)) {
      // Once before, so that every statement is prepared.
      for (let n = 0; n < 2; n++) {
        const executed = await during(() => anyone.post(PATH, { email }))
        // What comes after the answer is noted in the same list.
        work.push([...executed])
        await app.idle()
      }
    }
    const [expected, ...others] = work.filter((_executed, index) => index % 2 === 1)
    expect(expected?.join('\n')).toContain('mails')
    for (const other of others) expect(other).toEqual(expected ?? [])
  })

  test.each<[string, unknown, string, string | undefined]>([
    ['no email', {}, 'validation_failed', 'email'],
    ['null', { email: null }, 'validation_failed', 'email'],
    ['a number', { email: 7 }, 'validation_failed', 'email'],
    ['a list of addresses', { email: ['ole@pods.example'] }, 'validation_failed', 'email'],
    ['a list', [{ email: 'ole@pods.example' }], 'validation_failed', 'body'],
    ['a text', '"ole@pods.example"', 'validation_failed', 'body'],
    ['broken JSON', '{', 'invalid_json', undefined],
    ['no body', undefined, 'invalid_json', undefined],
  ])('refuses %s', async (_case, body, word, field) => {
    const { app, anyone, sent } = await open()
    const before = stored(app)
    expectRefusal(await anyone.post(PATH, body), 400, word, field)
    await app.idle()
    expect([stored(app), sent]).toEqual([before, []])
  })

  test('is limited to five an hour from one address, known or not', async () => {
    for (const email of ['ole@pods.example', 'nobody@pods.example', 'x']) {
      const { app, anyone, sent, ask } = await open()
      // What is no request does not count.
      for (let n = 0; n < 10; n++) expectRefusal(await anyone.post(PATH, {}), 400, 'validation_failed', 'email')
      for (let n = 0; n < 5; n++) expect(await ask(email)).toMatchObject({ status: 200 })
      const mails = sent.length
      app.clock.advance(600)
      const refused = await ask(email)
      expectRefusal(refused, 429, 'rate_limited')
      expect(refused.headers.get('retry-after')).toBe('3000')
      app.setPeer('198.51.100.7')
      expect(await ask('unheard-of@pods.example')).toMatchObject({ status: 200 })
      app.setPeer('192.0.2.1')
      app.clock.advance(3000)
      expect(await ask('unheard-of@pods.example')).toMatchObject({ status: 200 })
      expect(sent).toHaveLength(mails)
    }
  })

  test('fills nobody’s mailbox: three mails an hour, whoever asks, and the answer stays the same', async () => {
    const { app, sent, ask } = await open()
    const answers: string[] = []
    for (let n = 0; n < 5; n++) {
      app.setPeer(`198.51.100.${n}`)
      answers.push(bytes(await ask(n % 2 === 0 ? 'ole@pods.example' : ' OLE@Pods.example')))
    }
    expect([new Set(answers).size, sent.length]).toEqual([1, 3])
    expect(app.logs.filter((line) => line.includes('"level":"warn"'))).toHaveLength(2)
    expect(app.logs.join('')).not.toContain('pods.example')
    app.clock.advance(3600)
    await ask('ole@pods.example')
    expect(sent).toHaveLength(4)
  })

  test('does nothing without a mail server but tell the log, which tells nobody who it was', async () => {
    const { app, ask } = await open({ canMail: false })
    const before = stored(app)
    const answer = await ask('ole@pods.example')
    expect([answer.status, answer.json]).toEqual(OK)
    expect(stored(app)).toBe(before)
    expect(app.logs).toHaveLength(1)
    expect(app.logs.join('')).toContain('"level":"warn"')
    expect(app.logs.join('')).toMatch(/password reset.*smtp_host/)
    expect(app.logs.join('')).not.toContain('pods.example')
  })
})

describe('the mailed link', () => {
  test('leads to base_url, whatever host the request claims to be for', async () => {
    await using server = await startSmtpServer({ security: 'none' })
    const app = startTestApp({
      settings: {
        base_url: 'https://home.example/podcasts',
        smtp_host: server.host,
        smtp_port: String(server.port),
        smtp_from: 'podcasts@home.example',
        smtp_security: 'none',
        // The worst case: the forged headers come from a proxy that is believed.
        trusted_proxies: '192.0.2.1',
      },
    })
    await signUp(app)
    const ole = { username: 'ole', password: 'driftwood', email: 'ole@pods.example' }
    await app.services.administration.create(ole, false, COMMAND_LINE)
    const forged = {
      host: 'evil.example',
      origin: 'https://evil.example',
      // Browsers ask before a page of another site may send this type, so the request itself is let through.
      'content-type': 'application/json',
      referer: 'https://evil.example/',
      forwarded: 'host=evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      'x-forwarded-server': 'evil.example',
      'x-original-host': 'evil.example',
    }
    const client = clientOf(app, forged)
    expect(await client.post(`/podcasts${PATH}`, { email: 'ole@pods.example' })).toMatchObject({ status: 200 })
    await app.idle()

    expect(server.mails).toHaveLength(1)
    for (const { to, raw } of server.mails) {
      expect(to).toEqual(['ole@pods.example'])
      expect(raw).not.toContain('evil')
      const { text, html } = parseMail(raw)
      for (const part of [text, html]) {
        const links = part.match(/https?:[^\s"<]+/g) ?? []
        expect(links.length).toBeGreaterThan(0)
        for (const link of links) expect(link).toStartWith('https://home.example/podcasts')
      }
      const [, token = ''] = /https:\/\/home\.example\/podcasts\/reset-password#token=(\S+)\n/.exec(text) ?? []
      expect(token).toMatch(UUID_V4)
      const confirmed = await client.post(`/podcasts${PATH}/confirm`, { token, new_password: 'seagrass' })
      expect([confirmed.status, confirmed.json]).toEqual(OK)
    }
  })
})
