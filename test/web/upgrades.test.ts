import { afterEach, beforeEach, describe, expect, mock, test } from 'bun:test'
import { account } from '../../src/web/store/session.ts'
import {
  applyUpgrades,
  batch,
  fetchUpgrades,
  forgetOutcomes,
  outcomes,
  type Upgrade,
} from '../../src/web/store/upgrades.ts'
import { fakeServer, type Heard, refuse } from './support/fake-server.ts'

const upgrade = (name: string): Upgrade => ({
  kind: 'https',
  from: `http://${name}.example/`,
  to: `https://${name}.example/`,
  title: name,
})

/** Refuses that of `bad`. */
function answer({ line, body }: Heard): unknown {
  if (line.startsWith('GET')) return []
  if (JSON.stringify(body).includes('bad')) return refuse(400, 'validation_failed')
  return { status: 'ok', devices: ['phone', 'desk'], timestamp: 1 }
}

beforeEach(() => {
  account.value = { username: 'ida', email: '', is_admin: false, is_active: true, has_password: true }
  outcomes.value = new Map()
})

afterEach(() => {
  mock.restore()
})

describe('upgrades', () => {
  test('are applied one after the other; one that fails does not keep the others from it', async () => {
    const heard = fakeServer(answer)
    expect(await applyUpgrades(['fog', 'bad', 'tide'].map(upgrade))).toBe(2)
    expect(heard.filter(({ line }) => line.startsWith('POST')).map(({ body }) => body)).toEqual(
      ['fog', 'bad', 'tide'].map((name) => ({
        http_url: `http://${name}.example/`,
        https_url: `https://${name}.example/`,
      })),
    )
    expect([...outcomes.value.values()]).toMatchObject([
      { state: 'done', devices: ['phone', 'desk'] },
      { state: 'failed', error: { code: 'validation_failed' } },
      { state: 'done' },
    ])
  })

  test('are those to https, then those to another address; each is asked for in its own way', async () => {
    const moved = { url: 'http://fog.example/', new_url: 'http://mist.example/' }
    const heard = fakeServer(({ line }) => {
      if (line === 'GET api/2/me/moves') return [{ ...moved, title: 'Fog' }]
      if (line === 'GET api/2/me/upgrades')
        return [{ http_url: 'http://tide.example/', https_url: 'https://tide.example/', title: 'tide' }]
      return line.startsWith('GET') ? [] : { status: 'ok', devices: ['phone'], timestamp: 1 }
    })
    const list = await fetchUpgrades(new AbortController().signal)
    expect(list).toEqual([upgrade('tide'), { kind: 'move', from: moved.url, to: moved.new_url, title: 'Fog' }])
    expect(await applyUpgrades(list.slice(1))).toBe(1)
    expect(heard.filter(({ line }) => line.startsWith('POST'))).toMatchObject([
      { line: 'POST api/2/me/moves', body: moved },
    ])
  })

  test('that come together tell how far they are; all of them wait from the start', async () => {
    const seen: unknown[] = []
    fakeServer((request) => {
      if (request.line.startsWith('POST')) seen.push({ ...batch.value, waiting: waiting() })
      return answer(request)
    })
    await applyUpgrades(['fog', 'tide'].map(upgrade))
    expect(seen).toEqual([
      { done: 0, total: 2, waiting: 2 },
      { done: 1, total: 2, waiting: 1 },
    ])
    expect(batch.value).toBeUndefined()
  })

  test('by themselves are no batch', async () => {
    let during: unknown
    fakeServer((request) => {
      during = batch.value
      return answer(request)
    })
    await applyUpgrades([upgrade('fog')])
    expect(during).toBeUndefined()
  })

  test('that are settled are forgotten with a new list, those under way are not', () => {
    outcomes.value = new Map([
      ['http://fog.example/', { state: 'done', devices: [] }],
      ['http://bad.example/', { state: 'failed', error: 'why' }],
      ['http://tide.example/', { state: 'waiting' }],
    ])
    forgetOutcomes()
    expect([...outcomes.value.keys()]).toEqual(['http://tide.example/'])
  })
})

function waiting(): number {
  return [...outcomes.value.values()].filter(({ state }) => state === 'waiting').length
}
