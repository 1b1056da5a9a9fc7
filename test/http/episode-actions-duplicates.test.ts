import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'
import { timestampOf } from './timestamp.ts'

const PATH = '/api/2/episodes/ida.json'

const ONE = {
  podcast: 'https://feeds.example/a',
  episode: 'https://cdn.example/1',
  device: 'phone',
  action: 'play',
  timestamp: '2025-03-02T09:00:00',
  started: 1,
  position: 2,
  total: 3,
}

async function open() {
  const app = startTestApp()
  const ida = await signUp(app)
  const stored = async () => Reflect.get(Object((await ida.get(PATH)).json), 'actions')
  return { app, ida, stored }
}

/** Other ways to say the very same. */
const SAME = [
  ['the same text', ONE],
  ['another letter case of the kind', { ...ONE, action: 'PLAY' }],
  ['another spelling of the time', { ...ONE, timestamp: '2025-03-02T10:00:00.25+01:00' }],
  [
    'other spellings of the URLs',
    { ...ONE, podcast: 'HTTPS://Feeds.example/a', episode: ' https://cdn.example:443/1' },
  ],
  ['numbers as texts', { ...ONE, started: '1', position: '00:02', total: 3.7 }],
  // It only travels along (D49).
  ['another guid', { ...ONE, guid: 'g' }],
] as const

/** What a duplicate differs in is another action. */
const DIFFERENT = [
  ['podcast', { ...ONE, podcast: 'https://feeds.example/b' }],
  ['episode', { ...ONE, episode: 'https://cdn.example/2' }],
  ['device', { ...ONE, device: 'desk' }],
  ['missing device', { ...ONE, device: undefined }],
  ['kind', { ...ONE, action: 'download' }],
  ['timestamp', { ...ONE, timestamp: '2025-03-02T09:00:01' }],
  ['started', { ...ONE, started: 0 }],
  ['position', { ...ONE, position: 3 }],
  ['total', { ...ONE, total: 4 }],
  ['missing total', { ...ONE, total: -1 }],
] as const

describe('an exact duplicate (D49)', () => {
  test.each(SAME)('%s is ignored: nothing is stored, nothing ticks, nothing comes again', async (_, again) => {
    const { app, ida, stored } = await open()
    const since = timestampOf(await ida.post(PATH, [ONE]))
    app.clock.advance(1000)
    expect((await ida.post(PATH, [again, again])).json).toMatchObject({ timestamp: since })
    expect(await stored()).toEqual([ONE])
  })

  test.each(DIFFERENT)('with another %s is no duplicate', async (_, other) => {
    const { ida, stored } = await open()
    await ida.post(PATH, [ONE])
    await ida.post(PATH, [other])
    expect(await stored()).toHaveLength(2)
  })

  test('among new actions does not keep these out, and does not come again to those who have it', async () => {
    const { ida, stored } = await open()
    const since = timestampOf(await ida.post(PATH, [ONE]))
    const more = { ...ONE, position: 9 }
    await ida.post(PATH, [ONE, more])
    expect(await stored()).toEqual([ONE, more])
    expect((await ida.get(`${PATH}?since=${since}`)).json).toMatchObject({ actions: [more] })
  })
})
