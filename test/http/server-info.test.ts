import { expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { clientOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { recordAt } from '../support/openapi.ts'

const PATH = '/api/2/server'

const BASE = { base_url: 'https://pods.example/podcasts' }
const NO_PROVIDER = { enabled: false, provider_name: null, login_url: null }

test('a new server says that the next account becomes administrator, and what it cannot do', async () => {
  const answer = await clientOf(startTestApp(), { host: 'nas.local:8080' }).get(PATH)
  expect([answer.status, answer.json]).toEqual([
    200,
    {
      version: 'test',
      registration: 'closed',
      first_run: true,
      mail: false,
      sso: NO_PROVIDER,
      external_directory: false,
      account: null,
      base_url: 'http://nas.local:8080',
    },
  ])
})

test.each([
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
])('says when %s', async (_case, settings: Record<string, string>, expected) => {
  const app = startTestApp({ settings })
  const base = 'base_url' in settings ? '/podcasts' : ''
  expect(await clientOf(app).get(base + PATH)).toMatchObject({ status: 200, json: expected })
})

test('it is no first run any more once somebody can sign in, but again when nobody can', async () => {
  const app = startTestApp({ settings: { registration: 'open' } })
  const anyone = clientOf(app)
  const isFirst = async () => (await anyone.get(PATH)).text.includes('"first_run":true')
  expect(await isFirst()).toBe(true)
  await anyone.post('/api/2/register', { username: 'ida', password: 'seaglass' })
  expect(await isFirst()).toBe(false)
  app.db.run("UPDATE users SET state = 'inactive'")
  expect(await isFirst()).toBe(true)
})

test('the answer is kept by nobody, and says nothing about other accounts', async () => {
  const app = startTestApp()
  const ida = await signUp(app)
  const [known, unknown] = [await ida.get(PATH), await clientOf(app).get(PATH)]
  expect(recordAt(known.json)).toEqual({ ...recordAt(unknown.json), account: expect.any(Object) })
  expect(known.headers.get('cache-control')).toBe('no-store')
  await app.services.administration.create({ username: 'ole', password: 'driftwood', email: '' }, false, COMMAND_LINE)
  expect((await clientOf(app).get(PATH)).text).toBe(unknown.text)
})
