import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'

const A = 'https://feeds.example/a'
const B = 'https://feeds.example/b'

const pathOf = (url: string) => `/api/2/me/podcast?url=${encodeURIComponent(url)}`

/** Ida, who has a podcast on her phone and none on her desk, and Ole. */
async function open() {
  const app = startTestApp({ settings: { rate_limit: 'false' } })
  const ida = await signUp(app)
  const ole = await signUp(app, 'ole', 'driftwood')
  await ida.post('/api/2/devices/ida/phone.json', { caption: 'Ida’s phone', type: 'mobile' })
  await ida.post('/api/2/subscriptions/ida/phone.json', { add: [A] })
  await ida.post('/api/2/devices/ida/desk.json', {})
  await ole.post('/api/2/subscriptions/ole/phone.json', { add: [B] })
  return { app, ida, ole }
}

const PHONE = { id: 'phone', caption: 'Ida’s phone', type: 'mobile' }
const DESK = { id: 'desk', caption: 'desk', type: 'other' }
const NEVER_FETCHED = { state: 'new', since: '', last_checked: '', last_success: '', reason: '', cause: '' }

describe('GET /api/2/me/podcast', () => {
  test('tells which devices have it, and what is known of its feed', async () => {
    const { ida } = await open()
    const { status, json } = await ida.get(pathOf(A))
    expect([status, json]).toEqual([
      200,
      {
        url: A,
        subscribed: true,
        devices: [
          { ...PHONE, subscribed: true },
          { ...DESK, subscribed: false },
        ],
        added: '2025-03-02T10:00:00',
        newest_release: '',
        private: false,
        health: NEVER_FETCHED,
      },
    ])
  })

  test.each([
    ['was removed from the device', ['phone', 'desk']],
    ['went with the device', ['desk']],
  ])('remembers what the user once had and %s', async (how, left) => {
    const { ida } = await open()
    if (how.startsWith('went')) await ida.delete('/api/2/devices/ida/phone.json')
    else await ida.post('/api/2/subscriptions/ida/phone.json', { remove: [A] })
    const devices = left.map((id) => ({ id, subscribed: false }))
    expect((await ida.get(pathOf(A))).json).toMatchObject({ subscribed: false, added: '', devices })
  })

  test.each([
    ['forbidden', 'failing'],
    ['unreachable', 'failing'],
    ['timeout', 'failing'],
    ['tls', 'failing'],
    ['too_large', 'failing'],
    ['not_a_feed', 'failing'],
    ['gone', 'gone'],
    ['not_found', 'failing'],
    ['denied', 'failing'],
    ['refused', 'failing'],
    ['server_error', 'failing'],
    ['internal', 'failing'],
  ])('says in plain words what %s means', async (reason, state) => {
    const { app, ida } = await open()
    app.db.run(
      `UPDATE podcasts SET checked_at = 1740905000, succeeded_at = 1740900000, failing_since = 1740901000, failures = 3,
              error_reason = ?, error = 'for administrators: 192.168.1.7 is not in feed_allow_private' WHERE url = ?`,
      [reason, A],
    )
    const { json, text } = await ida.get(pathOf(A))
    expect(json).toMatchObject({
      health: {
        state,
        reason,
        cause: expect.stringMatching(/^(?:The|There|This|What) .{15,80}\.$/),
        since: '2025-03-02T07:36:40',
        last_checked: '2025-03-02T08:43:20',
        last_success: '2025-03-02T07:20:00',
      },
    })
    expect(text).not.toContain('192.168')
  })

  test.each([
    ['only somebody else has', B],
    ['nobody has', 'https://feeds.example/z'],
    ['has the own one as its beginning', `${A}/b`],
  ])('does not know a podcast that %s', async (_case, url) => {
    const { ida } = await open()
    const answer = await ida.get(pathOf(url))
    expectRefusal(answer, 404, 'unknown_podcast')
    expect(answer.text).toBe((await ida.get(pathOf('https://nowhere.example/'))).text)
  })

  test.each([
    ['no address', '/api/2/me/podcast'],
    ['an empty address', '/api/2/me/podcast?url='],
    ['a blank address', '/api/2/me/podcast?url=%20'],
    ['no web address', pathOf('ftp://feeds.example/a')],
    ['nonsense', pathOf('nonsense')],
    ['an address without an end', pathOf(`https://feeds.example/${'x'.repeat(100_000)}`)],
  ])('refuses %s', async (_case, path) => {
    const { ida } = await open()
    expectRefusal(await ida.get(path), 400, 'validation_failed', 'url')
  })
})
