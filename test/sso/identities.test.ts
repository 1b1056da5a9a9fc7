import { describe, expect, test } from 'bun:test'
import { expectRefusal } from '../http/refusal.ts'
import { openBrowser } from '../support/browser.ts'
import { basic, type Client, clientOf, signUp } from '../support/client.ts'
import { type LyingProvider, startLyingProvider } from '../support/lying-provider.ts'
import { clientIn, comeIn, expectSignedIn, names, open } from './sign-ins.ts'

const ME = '/podcasts/api/2/me'
const SERVER = '/podcasts/api/2/server'
const IDENTITIES = `${ME}/identities`
const PASSWORD = `${ME}/password`
const ida = { sub: '1', preferred_username: 'ida' }

/** Administrator eva, who has a password, and ida, who has none but has come in by the provider. */
async function openWithIda(provider: LyingProvider) {
  const { app } = open(provider)
  await signUp(app, 'eva')
  const { client, browser } = await comeIn(app, provider, ida)
  return { app, client, browser, eva: clientOf(app, basic('eva', 'seaglass')) }
}

/** Eva, who keeps her password, links an identity too. */
async function linkEva({ app }: Awaited<ReturnType<typeof openWithIda>>, provider: LyingProvider): Promise<Client> {
  const browser = openBrowser(app)
  await browser.visit('/api/2/auth/eva/login.json', { form: {}, headers: basic('eva', 'seaglass') })
  await comeIn(app, provider, { sub: '2' }, '/auth/sso/login?link=1', browser)
  return clientIn(app, browser)
}

async function firstId(client: Client): Promise<string> {
  const { text } = await client.get(IDENTITIES)
  return /"id":(\d+)/.exec(text)?.[1] ?? ''
}

describe('GET /api/2/me/identities', () => {
  test('lists one’s own, to the day they were linked', async () => {
    await using provider = startLyingProvider()
    const { client, eva } = await openWithIda(provider)
    const answer = await client.get(IDENTITIES)
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.json).toEqual([
      { id: expect.any(Number), issuer: provider.issuer, subject: '1', linked: '2025-03-02T10:00:00' },
    ])
    expect((await eva.get(IDENTITIES)).json).toEqual([])
  })

  test('is for users only', async () => {
    await using provider = startLyingProvider()
    const { app } = await openWithIda(provider)
    expectRefusal(await clientOf(app).get(IDENTITIES), 401, 'unauthorized')
    expectRefusal(await clientOf(app, basic('ida', '')).get(IDENTITIES), 401, 'invalid_credentials')
  })
})

describe('DELETE /api/2/me/identities/{id}', () => {
  test('unlinks: the identity is an unknown one from then on, and the session lives on', async () => {
    await using provider = startLyingProvider()
    const stage = await openWithIda(provider)
    const eva = await linkEva(stage, provider)
    const answer = await eva.delete(`${IDENTITIES}/${await firstId(eva)}`)
    expect(answer).toMatchObject({ status: 200, json: { status: 'ok' } })
    expect((await eva.get(IDENTITIES)).json).toEqual([])
    await comeIn(stage.app, provider, { sub: '2', preferred_username: 'eva' })
    expect(await names(stage.app)).toEqual(['eva', 'eva-2', 'ida'])
  })

  test('is refused to somebody who has no password, until there is one', async () => {
    await using provider = startLyingProvider()
    const { client } = await openWithIda(provider)
    const path = `${IDENTITIES}/${await firstId(client)}`
    expectRefusal(await client.delete(path), 409, 'no_password')
    expect((await client.get(IDENTITIES)).json).toHaveLength(1)
    await client.post(PASSWORD, { new_password: 'driftwood' })
    expect(await client.delete(path)).toMatchObject({ status: 200 })
  })

  test('knows nothing of the identities of others', async () => {
    await using provider = startLyingProvider()
    const { client, eva } = await openWithIda(provider)
    expectRefusal(await eva.delete(`${IDENTITIES}/${await firstId(client)}`), 404, 'not_found')
    expect((await client.get(IDENTITIES)).json).toHaveLength(1)
  })

  test.each<[id: string, status: number, word: string, field: string | undefined]>([
    ['999', 404, 'not_found', undefined],
    ['0', 404, 'not_found', undefined],
    ['000000000000001', 404, 'not_found', undefined],
    ['9999999999999999', 400, 'validation_failed', 'id'],
    ['-1', 400, 'validation_failed', 'id'],
    ['1.5', 400, 'validation_failed', 'id'],
    ['one', 400, 'validation_failed', 'id'],
    ['%00', 400, 'validation_failed', 'id'],
  ])('of %s is %i', async (id, status, word, field) => {
    await using provider = startLyingProvider()
    const { eva } = await openWithIda(provider)
    expectRefusal(await eva.delete(`${IDENTITIES}/${id}`), status, word, field)
  })

  test('is for users only, and not for pages of other sites', async () => {
    await using provider = startLyingProvider()
    const { app, client } = await openWithIda(provider)
    const path = `${IDENTITIES}/${await firstId(client)}`
    expectRefusal(await clientOf(app).delete(path), 401, 'unauthorized')
    const headers = { origin: 'https://evil.example' }
    expectRefusal(await client.delete(path, { headers }), 403, 'csrf_rejected')
  })
})

describe('a password for podcast apps', () => {
  test('is set with the session alone by somebody who has none, and works', async () => {
    await using provider = startLyingProvider()
    const { app, client } = await openWithIda(provider)
    expect((await client.get(ME)).json).toMatchObject({ has_password: false })
    expect((await client.get(SERVER)).json).toMatchObject({ account: { has_password: false } })
    expect(await client.post(PASSWORD, { new_password: 'driftwood' })).toMatchObject({ status: 200 })
    expect((await client.get(ME)).json).toMatchObject({ has_password: true })
    expect(await clientOf(app, basic('ida', 'driftwood')).get(ME)).toMatchObject({ status: 200 })
    expect(await client.get(ME)).toMatchObject({ status: 200 })
    expectSignedIn((await comeIn(app, provider, ida)).page)
  })

  test('ends the other sessions', async () => {
    await using provider = startLyingProvider()
    const { app, client } = await openWithIda(provider)
    const { client: another } = await comeIn(app, provider, ida)
    await client.post(PASSWORD, { new_password: 'driftwood', old_password: null })
    expect(await client.get(ME)).toMatchObject({ status: 200 })
    expectRefusal(await another.get(ME), 401, 'unauthorized')
  })

  test('is set with the session alone by local users who are linked', async () => {
    await using provider = startLyingProvider()
    const stage = await openWithIda(provider)
    const eva = await linkEva(stage, provider)
    expect(await eva.post(PASSWORD, { new_password: 'driftwood' })).toMatchObject({ status: 200 })
    expectRefusal(await stage.eva.get(ME), 401, 'invalid_credentials')
  })

  test('needs the old one with Basic, and so does everybody who is not linked', async () => {
    await using provider = startLyingProvider()
    const { app, client, eva } = await openWithIda(provider)
    await client.post(PASSWORD, { new_password: 'driftwood' })
    const byBasic = clientOf(app, basic('ida', 'driftwood'))
    const local = openBrowser(app)
    await local.visit('/api/2/auth/eva/login.json', { form: {}, headers: basic('eva', 'seaglass') })
    for (const each of [byBasic, eva, clientIn(app, local)]) {
      const answer = await each.post(PASSWORD, { new_password: 'sandbank' })
      expectRefusal(answer, 400, 'validation_failed', 'old_password')
    }
  })

  test('with an old one that is wrong is refused, though it need not be sent', async () => {
    await using provider = startLyingProvider()
    const { client } = await openWithIda(provider)
    for (const old_password of ['', 'wrong']) {
      const answer = await client.post(PASSWORD, { old_password, new_password: 'driftwood' })
      expectRefusal(answer, 403, 'wrong_password', 'old_password')
    }
  })

  test('is not set by pages of other sites', async () => {
    await using provider = startLyingProvider()
    const { app, client } = await openWithIda(provider)
    const headers = { origin: 'https://evil.example' }
    expectRefusal(await client.post(PASSWORD, { new_password: 'driftwood' }, { headers }), 403, 'csrf_rejected')
    expectRefusal(await clientOf(app, basic('ida', 'driftwood')).get(ME), 401, 'invalid_credentials')
  })
})
