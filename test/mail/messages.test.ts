import { describe, expect, test } from 'bun:test'
import type { Mail } from '../../src/domain/accounts/mail.ts'
import { LANGUAGES } from '../../src/domain/shared/languages.ts'
import { type Message, messageOf } from '../../src/mail/messages.ts'

const TOKEN = '3f1c2b0a-5d6e-4f70-8a9b-0c1d2e3f4a5b'
const TO = 'ole@pods.example'
const ACTIVATION: Mail = { kind: 'activation', to: TO, language: 'en', username: 'ole', token: TOKEN }
const RESET: Mail = { kind: 'password_reset', to: TO, language: 'en', username: 'ole', token: TOKEN }
const TEST: Mail = { kind: 'test', to: TO, language: 'en' }

const ROOT = 'https://pods.example'
const SUB_PATH = 'https://home.example:8443/podcasts'

test.each([
  [ACTIVATION, ROOT, `https://pods.example/activate#token=${TOKEN}`],
  [RESET, ROOT, `https://pods.example/reset-password#token=${TOKEN}`],
  [RESET, SUB_PATH, `https://home.example:8443/podcasts/reset-password#token=${TOKEN}`],
])('the link has the token in the fragment: %j', (mail, baseUrl, link) => {
  const { text, html } = messageOf(mail, baseUrl)
  expect(text.split('\n')).toContain(link)
  expect(html).toContain(`<a href="${link}">`)
  // As text, to be copied.
  expect(html).toContain(`<br>${link}</p>`)
  for (const form of [text, html]) expect(form).toContain('Hello ole,')
})

describe.each([
  ['activation', ACTIVATION, 'Activate your podstep account', 'within 48 hours'],
  ['password reset', RESET, 'Choose a new podstep password', 'within 24 hours'],
  ['test', TEST, 'podstep can send email', 'There is nothing you need to do.'],
])('the %s mail', (_case, mail, subject, words) => {
  const message = messageOf(mail, SUB_PATH)
  const { text, html } = message

  test('has the same content as text and HTML, signed with base_url', () => {
    for (const form of [text, html]) expect(form).toContain(words)
    const shown = html.replaceAll(/<[^>]+>/g, '\n')
    for (const line of text.split('\n').filter((each) => /^[A-Z]/.test(each))) expect(shown).toContain(line)
    expect(text).toEndWith(`\n\n-- \npodstep, ${SUB_PATH}\n`)
    expect(html).toContain(`<p>podstep, <a href="${SUB_PATH}/">${SUB_PATH}</a></p>`)
  })

  test('contains neither the email address nor the token outside its link', () => {
    const all = Object.values(message).join('')
    expect(all).not.toContain(TO)
    expect(all.replaceAll(`#token=${TOKEN}`, '')).not.toContain(TOKEN)
    expect(all.includes('#token')).toBe(mail.kind !== 'test')
  })

  test('has a fixed subject of one line', () => {
    const hostile = mail.kind === 'test' ? mail : { ...mail, username: 'ole\r\nBcc: eve@pods.example' }
    expect([message.subject, messageOf(hostile, ROOT).subject]).toEqual([subject, subject])
  })

  test('has only plain HTML elements and links to base_url', () => {
    const found = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, one = '']) => one)
    expect(found(/<([a-z]+)/g).filter((tag) => !['html', 'body', 'p', 'a', 'br'].includes(tag))).toEqual([])
    expect(found(/\s([a-z]+)="/g).filter((name) => name !== 'href' && name !== 'lang')).toEqual([])
    expect(found(/href="([^"]*)"/g).filter((link) => !link.startsWith(`${SUB_PATH}/`))).toEqual([])
  })
})

describe.each([...LANGUAGES])('in %s', (language) => {
  test.each([ACTIVATION, RESET, TEST])('a mail is complete as text and HTML: %j', (mail) => {
    const { subject, text, html } = messageOf({ ...mail, language }, ROOT)
    expect(html).toContain(`<html lang="${language}">`)
    const shown = html.replaceAll(/<[^>]+>/g, '\n')
    for (const line of text.split('\n-- ')[0]?.split('\n') ?? []) expect(shown).toContain(line)
    expect([subject, text, html].filter((each) => /\{\w+\}|undefined/.test(each))).toEqual([])
    if (mail.kind !== 'test') expect(text.split('\n')[0]).toContain('ole')
    // Translations must have the same hours.
    expect(text.match(/\b(?:24|48)\b/g)).toEqual(messageOf(mail, ROOT).text.match(/\b(?:24|48)\b/g))
  })
})

describe.each(LANGUAGES.filter((language) => language !== 'en'))('in %s', (language) => {
  test.each([ACTIVATION, RESET, TEST])('a mail has no English sentences: %j', (mail) => {
    const own = sentencesOf(messageOf({ ...mail, language }, ROOT))
    expect(sentencesOf(messageOf(mail, ROOT)).filter((sentence) => own.includes(sentence))).toEqual([])
  })
})

function sentencesOf({ subject, html }: Message): string[] {
  const lines = html.replaceAll(/<[^>]+>/g, '\n').split('\n')
  return [subject, ...lines].filter((line) => line.includes(' ') && !line.startsWith('podstep, '))
}

test('mails in French have no-break spaces before colons', () => {
  for (const mail of [ACTIVATION, RESET]) expect(messageOf({ ...mail, language: 'fr' }, ROOT).text).toMatch(/\u00a0:\n/)
})
