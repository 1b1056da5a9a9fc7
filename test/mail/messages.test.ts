import { describe, expect, test } from 'bun:test'
import type { Mail } from '../../src/domain/accounts/mail.ts'
import { messageOf } from '../../src/mail/messages.ts'

const TOKEN = '3f1c2b0a-5d6e-4f70-8a9b-0c1d2e3f4a5b'
const TO = 'ole@pods.example'
const ACTIVATION: Mail = { kind: 'activation', to: TO, username: 'ole', token: TOKEN }
const RESET: Mail = { kind: 'password_reset', to: TO, username: 'ole', token: TOKEN }
const TEST: Mail = { kind: 'test', to: TO }
const ALL = [
  ['activation', ACTIVATION],
  ['password reset', RESET],
  ['test', TEST],
] as const

const ROOT = 'https://pods.example'
const SUB_PATH = 'https://home.example:8443/podcasts'

describe('the link', () => {
  test.each([
    ['activates the account', ACTIVATION, ROOT, `https://pods.example/activate#token=${TOKEN}`],
    ['activates the account', ACTIVATION, SUB_PATH, `https://home.example:8443/podcasts/activate#token=${TOKEN}`],
    ['leads to a new password', RESET, ROOT, `https://pods.example/reset-password#token=${TOKEN}`],
    ['leads to a new password', RESET, SUB_PATH, `https://home.example:8443/podcasts/reset-password#token=${TOKEN}`],
  ])('%s, with the token where browsers keep it to themselves', (_case, mail, baseUrl, link) => {
    const { text, html } = messageOf(mail, baseUrl)
    expect(text.split('\n')).toContain(link)
    expect(html).toContain(`<a href="${link}">`)
    // To be copied where the other cannot be followed.
    expect(html).toContain(`<br>${link}</p>`)
  })

  test('is not in a test mail', () => {
    const { text, html } = messageOf(TEST, ROOT)
    expect(`${text}${html}`).not.toContain('#')
  })
})

describe('the words', () => {
  test.each([
    ['activation', ACTIVATION, 'Activate your podstep account', 'within 48 hours'],
    ['password reset', RESET, 'Choose a new podstep password', 'within 24 hours'],
    ['test', TEST, 'podstep can send mail', 'There is nothing to do.'],
  ])('of the %s mail are the same in both forms', (_case, mail, subject, words) => {
    const message = messageOf(mail, ROOT)
    expect(message.subject).toBe(subject)
    for (const form of [message.text, message.html]) expect(form).toContain(words)
    const shown = message.html.replaceAll(/<[^>]+>/g, '\n')
    for (const line of message.text.split('\n').filter((each) => /^[A-Z]/.test(each))) expect(shown).toContain(line)
  })

  test.each([ACTIVATION, RESET])('say who is meant', (mail) => {
    const { text, html } = messageOf(mail, ROOT)
    expect(text).toStartWith('Hello ole,\n')
    expect(html).toContain('<p>Hello ole,</p>')
  })

  test.each(ALL)('of the %s mail do not tell the address, nor the token but in the link', (_case, mail) => {
    const { subject, text, html } = messageOf(mail, ROOT)
    expect(`${subject}${text}${html}`).not.toContain(TO)
    expect(`${subject}${text}${html}`.replaceAll(`#token=${TOKEN}`, '')).not.toContain(TOKEN)
  })
})

describe.each(ALL)('the HTML of the %s mail', (_case, mail) => {
  const { html } = messageOf(mail, SUB_PATH)

  test('loads nothing, runs nothing and asks for nothing', () => {
    const tags = new Set([...html.matchAll(/<([a-z]+)/g)].map(([, tag]) => tag))
    expect([...tags].filter((tag) => !['html', 'body', 'p', 'a', 'br'].includes(tag ?? ''))).toEqual([])
    const attributes = new Set([...html.matchAll(/\s([a-z]+)="/g)].map(([, name]) => name))
    expect([...attributes].filter((name) => name !== 'href' && name !== 'lang')).toEqual([])
  })

  test('leads nowhere but to the public address', () => {
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, link]) => link ?? '')
    expect(links.length).toBeGreaterThan(0)
    expect(links.filter((link) => !link.startsWith(`${SUB_PATH}/`))).toEqual([])
  })
})

test.each(ALL)('the %s mail is signed with the address of the server', (_case, mail) => {
  const { text, html } = messageOf(mail, SUB_PATH)
  expect(text).toEndWith(`\n\n-- \npodstep, ${SUB_PATH}\n`)
  expect(html).toContain(`<p>podstep, <a href="${SUB_PATH}/">${SUB_PATH}</a></p>`)
})

test.each([
  ['<b>ole</b>', '&lt;b&gt;ole&lt;/b&gt;'],
  ['"><script>alert(1)</script>', '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;'],
  ["a & 'b'", 'a &amp; &apos;b&apos;'],
  ['Øle 🎧', 'Øle 🎧'],
])('the user name %j is shown as it is', (username, escaped) => {
  const { text, html } = messageOf({ ...RESET, username }, ROOT)
  expect(text).toStartWith(`Hello ${username},\n`)
  expect(html).toContain(`<p>Hello ${escaped},</p>`)
})

test.each(ALL)('the subject of the %s mail is one line that no user name is part of', (_case, mail) => {
  const hostile = mail.kind === 'test' ? mail : { ...mail, username: 'ole\r\nBcc: eve@pods.example' }
  expect(messageOf(hostile, ROOT).subject).toBe(messageOf(mail, ROOT).subject)
  expect(messageOf(mail, ROOT).subject).toMatch(/^[\x20-\x7E]+$/)
})
