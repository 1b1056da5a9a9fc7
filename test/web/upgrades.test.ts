import { afterEach, beforeEach, expect, mock, test } from 'bun:test'
import { account } from '../../src/web/store/session.ts'
import { applyUpgrades, batch, countPlain, outcomes, type Upgrade, withStarted } from '../../src/web/store/upgrades.ts'
import { errorResponse, fakeServer, type SentRequest } from './support/fake-server.ts'

const upgrade = (title: string): Upgrade => ({
  kind: 'https',
  from: `http://${title}.example/`,
  to: `https://${title}.example/`,
  title,
})

/** Rejects the upgrade of `bad`. */
function answer({ line, body }: SentRequest): unknown {
  if (line.startsWith('GET')) return []
  if (JSON.stringify(body).includes('bad')) return errorResponse(400, 'validation_failed')
  return { status: 'ok', devices: ['phone', 'desk'], timestamp: 1 }
}

beforeEach(() => {
  account.value = {
    username: 'ida',
    email: '',
    is_admin: false,
    is_active: true,
    has_password: true,
    has_second_factor: false,
  }
  outcomes.value = new Map()
})

afterEach(() => {
  mock.restore()
})

test('upgrades are applied one after the other with their progress, and a failure does not stop the rest', async () => {
  const progress: unknown[] = []
  const waiting = () => [...outcomes.value.values()].filter(({ state }) => state === 'waiting').length
  const requests = fakeServer((request) => {
    if (request.line.startsWith('POST')) progress.push(`${batch.value?.done}/${batch.value?.total}, ${waiting()} wait`)
    return answer(request)
  })
  expect(await applyUpgrades(['fog', 'bad', 'tide'].map(upgrade))).toBe(2)
  const bodies = requests.filter(({ line }) => line.startsWith('POST')).map(({ body }) => body)
  const upgrades = ['fog', 'bad', 'tide'].map(upgrade)
  expect(bodies).toEqual(upgrades.map(({ from, to }) => ({ http_url: from, https_url: to })))
  expect(progress).toEqual(['0/3, 3 wait', '1/3, 2 wait', '2/3, 1 wait'])
  expect(batch.value).toBeUndefined()
  expect([...outcomes.value.values()]).toMatchObject([
    { state: 'done', devices: ['phone', 'desk'] },
    { state: 'failed', error: { code: 'validation_failed' } },
    { state: 'done' },
  ])
})

test('a list that is loaded again keeps the upgrades that were started, in their places, with what became of them', async () => {
  const [fog, bad, gull, tide] = ['fog', 'bad', 'gull', 'tide'].map(upgrade) as [Upgrade, Upgrade, Upgrade, Upgrade]
  fakeServer(answer)
  await applyUpgrades([fog, bad])
  // What was upgraded is not offered any more, what has failed is; one is gone by other means, and one is new.
  expect(withStarted([tide, bad], [fog, bad, gull])).toEqual([fog, bad, tide])
})

test('podcasts that come unencrypted are those by http that some device has', () => {
  const has = new Set(['phone'])
  const holders = new Map([
    ['http://a.example/', has],
    ['https://b.example/', has],
    ['http://gone.example/', new Set<string>()],
  ])
  expect(countPlain(holders)).toEqual({ all: 2, plain: 1 })
})
