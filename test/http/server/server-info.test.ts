import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { clientOf, signUp } from '../../support/client.ts'
import { recordAt } from '../../support/openapi.ts'

const PATH = '/api/2/server'
const BASE = { base_url: 'https://pods.example/podcasts' }

test('a new server says that the next account becomes administrator, and what it cannot do', async () => {
  const { status, json } = await clientOf(startTestApp(), { host: 'nas.local:8080' }).get(PATH)
  expect([status, json]).toEqual([
    200,
    {
      version: 'test',
      registration: 'closed',
      first_run: true,
      mail: false,
      sso: { enabled: false, provider_name: null, login_url: null },
      external_directory: false,
      account: null,
      base_url: 'http://nas.local:8080',
    },
  ])
})

test.each<[string, Record<string, string>, object]>([
  ['registration is open', { registration: 'open' }, { registration: 'open' }],
  ['registration is by invitation', { registration: 'invite' }, { registration: 'invite' }],
  [
    'mail can be sent',
    { ...BASE, smtp_host: 'mail.home.example', smtp_from: 'pods@home.example' },
    { mail: true, base_url: BASE.base_url },
  ],
  ['mail has no address for its links', { smtp_host: 'mail.home.example', smtp_from: 'a@b.example' }, { mail: false }],
  [
    'there is a provider',
    { ...BASE, oidc_issuer: 'https://id.example', oidc_client_id: 'pods', oidc_name: 'Harbour ID' },
    { sso: { enabled: true, provider_name: 'Harbour ID', login_url: '/auth/sso/login' } },
  ],
  ['there is a directory', { directory_key: 'k', directory_secret: 's' }, { external_directory: true }],
])('it says when %s', async (_case, settings, expected) => {
  const base = 'base_url' in settings ? '/podcasts' : ''
  expect(await clientOf(startTestApp({ settings })).get(base + PATH)).toMatchObject({ status: 200, json: expected })
})

test('it is no first run any more once somebody can sign in, but again when nobody can; nothing is said of others', async () => {
  const app = startTestApp()
  const anyone = clientOf(app)
  const isFirst = async () => Object((await anyone.get(PATH)).json).first_run
  expect(await isFirst()).toBe(true)
  const ida = await signUp(app)
  expect(await isFirst()).toBe(false)
  const { json, text } = await anyone.get(PATH)
  expect((await ida.get(PATH)).json).toEqual({ ...recordAt(json), account: expect.any(Object) })
  await signUp(app, 'ole')
  expect((await anyone.get(PATH)).text).toBe(text)
  app.db.run("UPDATE users SET state = 'inactive'")
  expect(await isFirst()).toBe(true)
})
