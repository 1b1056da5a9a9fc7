import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { basic, type Client, clientOf, cookieOf } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { expectRefusal } from './refusal.ts'
import { stored } from './stored.ts'

const PASSWORD = 'seaglass'

type Change = (client: Client, more: object) => ReturnType<Client['post']>

const CHANGES: readonly (readonly [what: string, change: Change])[] = [
  ['a new password', (client, more) => client.post('/api/2/me/password', { ...PASSWORDS, ...more })],
  ['a new email address', (client, more) => client.post('/api/2/me/email', { ...EMAIL, ...more })],
  ['the end of the account', (client, more) => client.delete('/api/2/me', { body: { password: PASSWORD, ...more } })],
]

const PASSWORDS = { old_password: PASSWORD, new_password: 'driftwood' }
const EMAIL = { email: 'new@pods.example', password: PASSWORD }

/** Two people with the same password, and the browser of Ida, who is signed in. */
async function open() {
  const app = startTestApp()
  const { administration } = app.services
  for (const username of ['ole', 'Ida', 'zoe'])
    await administration.create({ username, password: PASSWORD, email: '' }, username === 'ole', COMMAND_LINE)
  const desk = clientOf(app, basic('ida', PASSWORD))
  const browser = clientOf(app, cookieOf(await desk.post('/api/2/auth/ida/login.json')))
  return { app, desk, browser }
}

describe.each(CHANGES)('%s', (_what, change) => {
  test.each([
    ['nobody in particular', {}],
    ['null', { username: null }],
    ['Ida', { username: 'Ida' }],
    ['IDA', { username: 'IDA' }],
  ])('that is meant for %s is made for whoever asks', async (_name, more) => {
    const { browser } = await open()
    expect((await change(browser, more)).status).toBe(200)
  })

  test.each([
    ['somebody else', 'zoe'],
    ['nobody there is', 'nils'],
    ['an empty name', ''],
  ])('that is meant for %s is refused and changes nothing', async (_name, username) => {
    const { app, browser, desk } = await open()
    const before = stored(app)
    for (const client of [browser, desk]) expectRefusal(await change(client, { username }), 403, 'forbidden')
    expect(stored(app)).toBe(before)
  })

  test('that is meant for somebody else counts as no attempt at the password', async () => {
    const { browser } = await open()
    for (let n = 0; n < 11; n++) await change(browser, { username: 'zoe' })
    expect((await change(browser, { username: 'ida' })).status).toBe(200)
  })

  test('that is meant for a number is refused', async () => {
    const { browser } = await open()
    expectRefusal(await change(browser, { username: 1 }), 400, 'validation_failed', 'username')
  })
})
