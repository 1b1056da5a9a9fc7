import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { signUp } from '../../support/client.ts'
import { COMMAND_LINE } from '../../support/command-line.ts'
import { startWebServer } from '../../support/web-server.ts'
import { expectError } from '../error.ts'

const TEST = '/api/admin/directory/test'
const PODCAST = { title: 'Harbour Talk', url: 'https://feeds.example/harbour' }

const feeds = (...list: unknown[]) => Response.json({ status: 'true', feeds: list, count: list.length })

/** A directory whose trending podcasts are what `answer` says. */
const startDirectory = (answer: () => Response) => startWebServer({ '/api/1.0/podcasts/trending': answer })

/** Administrator ida, and a podstep that knows a directory at this port. */
async function open({ port }: { readonly port: number }) {
  const app = startTestApp({
    settings: {
      directory_key: 'hunter1 of the directory',
      directory_secret: 'hunter2$of^the#directory',
      directory_url: `http://127.0.0.1:${port}/api/1.0`,
    },
  })
  return { app, ida: await signUp(app) }
}

describe('a test of the directory', () => {
  test('without credentials has nothing to do', async () => {
    const ida = await signUp(startTestApp())
    expect((await ida.post(TEST)).json).toEqual({ state: 'off', trouble: '', cause: '' })
  })

  test('asks it for one podcast, with the credentials', async () => {
    await using directory = startDirectory(() => feeds(PODCAST))
    const { ida } = await open(directory)
    const { status, json } = await ida.post(TEST)
    expect([status, json]).toEqual([200, { state: 'ok', trouble: '', cause: '' }])
    expect(directory.asked.map(({ path }) => path)).toEqual(['/api/1.0/podcasts/trending?max=1'])
    expect(directory.asked[0]?.headers.get('x-auth-key')).toBe('hunter1 of the directory')
  })

  test.each<[string, () => Response, string, RegExp, string]>([
    ['rejects them', () => new Response('', { status: 401 }), 'credentials', /directory_key.*\(401\).*clock/, 'error'],
    ['fails', () => new Response('', { status: 500 }), 'answer', /answers 500/, 'error'],
    ['has no podcasts', () => feeds(), 'no_matches', /not a single podcast/, 'ok'],
  ])('says what is wrong when it %s', async (_case, answer, trouble, cause, state) => {
    await using directory = startDirectory(answer)
    const { app, ida } = await open(directory)
    const { status, json, text } = await ida.post(TEST)
    expect([status, json]).toEqual([200, { state, trouble, cause: expect.stringMatching(cause) }])
    expect(text + app.logs.join()).not.toContain('hunter')
  })

  test('says what is wrong when nothing answers there', async () => {
    const directory = startDirectory(() => feeds())
    await directory[Symbol.asyncDispose]()
    const { ida } = await open(directory)
    const cause = expect.stringMatching(/^127\.0\.0\.1/)
    expect((await ida.post(TEST)).json).toEqual({ state: 'error', trouble: 'network', cause })
  })

  test('may be made ten times a minute by each administrator', async () => {
    await using directory = startDirectory(() => feeds(PODCAST))
    const { app, ida } = await open(directory)
    const eva = await signUp(app, 'eva')
    await app.services.administration.setAdmin('eva', true, COMMAND_LINE)
    for (let n = 0; n < 10; n++) expect((await ida.post(TEST)).status).toBe(200)
    expectError(await ida.post(TEST), 429, 'rate_limited')
    expect((await eva.post(TEST)).status).toBe(200)
    app.clock.advance(60)
    expect((await ida.post(TEST)).status).toBe(200)
    expect(directory.asked).toHaveLength(12)
  })
})
