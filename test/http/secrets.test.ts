import { describe, expect, test } from 'bun:test'
import { startTestApp, type TestApp } from '../support/app.ts'
import { type Answer, basic, type CallOptions, clientOf, signUp } from '../support/client.ts'

const PASSWORD = 'canary1seaglass'
const NEXT = 'canary2driftwood'
const WRONG = 'canary3wrong'
const BEARER = 'canary4bearer'
const UNDECODABLE = 'canary5undecodable!'
const FOREIGN_COOKIE = 'canary6'.padEnd(43, 'x')
/** Too long and too short to be passwords; people paste the wrong thing all the time. */
const LONG = `canary7${'x'.repeat(300)}`
const SHORT = '~7~'

/** Ida by Basic, and everything secret that went over the wire so far, in both directions and as the database keeps it. */
async function open(settings: Record<string, string> = {}) {
  const app = startTestApp({ settings: { log_level: 'debug', registration: 'open', ...settings } })
  await signUp(app, 'ida', PASSWORD)
  const answers: Answer[] = []
  const sent = new Set([PASSWORD, NEXT, WRONG, BEARER, UNDECODABLE, FOREIGN_COOKIE, LONG, SHORT])
  const client = clientOf(app)

  async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    for (const value of Object.values(options.headers ?? {})) {
      const [scheme, encoded] = value.split(' ', 2)
      if (scheme === 'Basic' && encoded) sent.add(encoded)
    }
    const answer = await client.call(method, path, options)
    answers.push(answer)
    return answer
  }

  const cookies = () =>
    answers.flatMap(({ headers }) => /sessionid=([^;]+)/.exec(headers.get('set-cookie') ?? '')?.[1] ?? [])
  return { app, call, answers, secrets: () => [...sent, ...cookies(), ...stored(app)], cookies }
}

/** What the database keeps in place of passwords and cookies. */
function stored({ db }: TestApp): string[] {
  const hashes = db.query<{ hash: string | null }, []>('SELECT password_hash AS hash FROM users').all()
  const tokens = db.query<{ hash: Uint8Array }, []>('SELECT token_hash AS hash FROM sessions').all()
  return [
    ...hashes.flatMap(({ hash }) => hash ?? []),
    ...tokens.flatMap(({ hash }) => [Buffer.from(hash).toString('hex'), Buffer.from(hash).toString('base64')]),
  ]
}

type Scene = Awaited<ReturnType<typeof open>>

/** An answer as its reader sees it, without the one header whose point is a secret. */
function visible({ status, headers, text }: Answer): string {
  const shown = [...headers].filter(([name]) => name !== 'set-cookie').map(([name, value]) => `${name}: ${value}`)
  return [status, ...shown, text].join('\n')
}

function expectNothingShown({ app, answers, secrets }: Scene): void {
  const shown = [...answers.map(visible), ...app.logs].join('\n')
  expect(secrets().filter((secret) => shown.includes(secret))).toEqual([])
}

/** Signs in, fails to in every way there is, and changes the password. */
async function signInOften({ call, cookies }: Scene): Promise<number[]> {
  const login = '/api/2/auth/ida/login.json'
  const good = basic('ida', PASSWORD)
  const change = (body: unknown, headers = good) => call('POST', '/api/2/me/password', { headers, body })
  const first = await call('POST', login, { headers: good })
  const cookie = { cookie: `sessionid=${cookies()[0] ?? ''}` }
  const answers = [
    first,
    await call('POST', login, { headers: basic('ida', WRONG) }),
    await call('POST', login, { headers: basic(WRONG, PASSWORD) }),
    await call('GET', '/api/2/me', { headers: good }),
    await call('GET', '/api/2/me', { headers: basic('nobody', WRONG) }),
    await call('GET', '/api/2/me', { headers: { authorization: `Bearer ${BEARER}` } }),
    await call('GET', '/api/2/me', { headers: { authorization: `Basic ${UNDECODABLE}` } }),
    await call('GET', '/api/2/me', { headers: { cookie: `sessionid=${FOREIGN_COOKIE}` } }),
    await call('GET', '/api/2/me', { headers: cookie }),
    await call('GET', '/nowhere', { headers: { ...cookie, ...good } }),
    await call('PATCH', '/api/2/me', { headers: { ...cookie, ...good } }),
    await call('GET', '/api/2/devices/ole.json', { headers: good }),
    await change({ old_password: WRONG, new_password: NEXT }),
    await change({ old_password: PASSWORD, new_password: SHORT }),
    await change({ old_password: PASSWORD, new_password: LONG }),
    await change({ old_password: [PASSWORD], new_password: { value: NEXT } }),
    await change(`{"old_password": ${PASSWORD}, "new_password": "${NEXT}"}`),
    await change(`{"old_password": "${PASSWORD}", "new_password": "${NEXT}`),
    await change({ old_password: PASSWORD, new_password: NEXT }, { ...cookie, origin: 'https://evil.example' }),
    await change({ old_password: PASSWORD, new_password: NEXT }, cookie),
    await call('POST', '/api/2/auth/ida/logout.json', { headers: cookie }),
  ]
  return answers.map(({ status }) => status)
}

async function registerOften({ call }: Scene): Promise<number[]> {
  const statuses: number[] = []
  for (const body of [
    { username: 'ole', password: PASSWORD },
    { username: 'ole', password: WRONG },
    { username: 'eva', password: SHORT },
    { username: 'eva', password: LONG },
    { username: 'eva', password: [PASSWORD] },
    { username: 'not a name', password: PASSWORD },
    { username: 'eva', password: PASSWORD, email: 'not an address' },
    `{"username": "eva", "password": ${PASSWORD}}`,
    `{"username": "eva", "password": "${PASSWORD}`,
  ])
    statuses.push((await call('POST', '/api/2/register', { body })).status)
  return statuses
}

describe('passwords, cookies and Authorization values, and what is stored of them', () => {
  test('appear in no log line and no answer, whatever happens', async () => {
    const scene = await open()
    expect(await signInOften(scene)).toEqual([
      200, 401, 400, 200, 401, 401, 400, 401, 200, 404, 405, 403, 403, 400, 400, 400, 400, 400, 403, 200, 200,
    ])
    expect(await registerOften(scene)).toEqual([200, 409, 400, 400, 400, 400, 400, 400, 400])
    expect(scene.cookies().length).toBeGreaterThan(0)
    expectNothingShown(scene)
  })

  test('appear in none either while every request fails inside', async () => {
    const scene = await open()
    const { app, call, cookies } = scene
    const headers = basic('ida', PASSWORD)
    await call('GET', '/api/2/me', { headers })
    const cookie = { cookie: `sessionid=${cookies()[0] ?? ''}` }
    app.db.run('ALTER TABLE devices RENAME TO gone')
    app.db.run('ALTER TABLE users RENAME COLUMN email_key TO gone')
    const broken: Promise<Answer>[] = [
      call('GET', '/api/2/devices/ida.json', { headers }),
      call('GET', '/api/2/devices/ida.json', { headers: cookie }),
      call('POST', '/api/2/devices/ida/phone.json', { headers, body: {} }),
      call('POST', '/api/2/register', { body: { username: 'ole', password: NEXT, email: 'ole@pods.example' } }),
    ]
    expect((await Promise.all(broken)).map(({ status }) => status)).toEqual([500, 500, 500, 500])
    expect(app.logs.length).toBeGreaterThanOrEqual(4)
    expectNothingShown(scene)
  })

  test('appear in none either when the rate limit refuses', async () => {
    const scene = await open()
    let last = 0
    for (let n = 0; n < 11; n++)
      last = (await scene.call('GET', '/api/2/me', { headers: basic('ida', `${WRONG}${n}`) })).status
    expect(last).toBe(429)
    expectNothingShown(scene)
  })
})
