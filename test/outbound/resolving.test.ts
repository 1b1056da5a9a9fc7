import { afterAll, describe, expect, test } from 'bun:test'
import { systemResolve } from '../../src/outbound/address-rules.ts'
import { startWebServer } from '../support/web-server.ts'
import { attempt, fetched, haveInternet, namesAre, refused, textOf } from './fetching.ts'

const server = startWebServer({
  '/feed.xml': () => new Response('a feed'),
  '/moved': () => new Response(null, { status: 302, headers: { location: '/feed.xml' } }),
})
afterAll(() => server[Symbol.asyncDispose]())

const at = (path: string) => `http://pods.example:${server.port}${path}`
const PUBLIC = '1.1.1.1'
const PRIVATE = '127.0.0.1'

/** Says something else each time; the last answer again and again. */
function inTurn(...answers: readonly (readonly string[])[]) {
  const asked: string[] = []
  const resolve = async (host: string) => {
    asked.push(host)
    return answers[Math.min(asked.length, answers.length) - 1] ?? []
  }
  return { asked, resolve }
}

describe('a name', () => {
  test('that changes its mind after the check is reached where it was checked', async () => {
    using internet = haveInternet()
    const { asked, resolve } = inTurn([PUBLIC], [PRIVATE])
    expect(textOf(await fetched(at('/feed.xml'), { resolve, allowed: [] }))).toBe('a feed')
    expect([asked, internet.reached]).toEqual([['pods.example'], [`${PUBLIC}:${server.port}`]])
  })

  test('that changes its mind before a redirect is checked anew', async () => {
    using internet = haveInternet()
    const { asked, resolve } = inTurn([PUBLIC], [PRIVATE])
    const before = server.asked.length
    expect(await refused(at('/moved'), { resolve, allowed: [] })).toMatchObject({ reason: 'forbidden' })
    expect(asked).toEqual(['pods.example', 'pods.example'])
    expect(internet.reached).toEqual([`${PUBLIC}:${server.port}`])
    expect(server.asked.slice(before).map(({ path }) => path)).toEqual(['/moved'])
  })

  test('that flips a thousand times is never reached where it may not be', async () => {
    using internet = haveInternet()
    let flips = 0
    const resolve = async () => [flips++ % 2 === 0 ? PUBLIC : PRIVATE]
    const outcomes = { feed: 0, forbidden: 0 }
    for (let n = 0; n < 1000; n++) {
      const outcome = await attempt(at('/feed.xml'), { resolve, allowed: [] })
      outcomes['status' in outcome ? 'feed' : 'forbidden']++
    }
    expect(outcomes).toEqual({ feed: 500, forbidden: 500 })
    expect(new Set(internet.reached)).toEqual(new Set([`${PUBLIC}:${server.port}`]))
  })

  test.each([
    [[PUBLIC, PRIVATE]],
    [[PRIVATE, PUBLIC]],
    [[PUBLIC, '8.8.8.8', '9.9.9.9', '2606:4700::1111', '10.0.0.1']],
    [[PUBLIC, '::1']],
    [[PUBLIC, '64:ff9b::a00:1']],
    [[PUBLIC, '0.0.0.0']],
  ])('with public and private addresses is refused: %p', async (addresses) => {
    using internet = haveInternet()
    const failure = await refused(at('/feed.xml'), { resolve: namesAre(...addresses), allowed: [] })
    expect(failure).toMatchObject({ reason: 'forbidden' })
    expect(internet.reached).toEqual([])
  })

  test('with public and allowed addresses is reached', async () => {
    using internet = haveInternet()
    expect(textOf(await fetched(at('/feed.xml'), { resolve: namesAre(PUBLIC, PRIVATE) }))).toBe('a feed')
    expect(internet.reached).toEqual([`${PUBLIC}:${server.port}`])
  })

  test('with one allowed and one other private address is refused', async () => {
    const resolve = namesAre('127.0.0.1', '127.0.0.2')
    expect(await refused(at('/feed.xml'), { resolve })).toMatchObject({ reason: 'forbidden' })
  })

  test.each([
    ['has no address', namesAre(), 'the name pods.example has no address'],
    [
      'is not known',
      () => Promise.reject(new Error('ENOTFOUND http://pods.example/feed.xml')),
      'the name pods.example cannot be resolved',
    ],
    ['has nonsense for an address', namesAre('elsewhere.example'), 'the name pods.example has an address of no use'],
    ['has an address with a zone', namesAre('2606:4700::1111%eth0'), 'the name pods.example has an address of no use'],
    ['has nonsense after an address', namesAre(PUBLIC, ''), 'the name pods.example has an address of no use'],
  ])('that %s leads nowhere', async (_case, resolve, message) => {
    using internet = haveInternet()
    expect(await refused(at('/feed.xml'), { resolve })).toMatchObject({ reason: 'unresolved', message })
    expect(internet.reached).toEqual([])
  })

  test.each([
    ['::ffff:1.1.1.1', '1.1.1.1'],
    ['::ffff:101:101', '1.1.1.1'],
    ['::1.1.1.1', '1.1.1.1'],
    ['2606:4700:0:0:0:0:0:1111', '[2606:4700::1111]'],
    ['2A00:1450::200E', '[2a00:1450::200e]'],
    ['64:ff9b::1.1.1.1', '[64:ff9b::101:101]'],
  ])('of %s is reached at what was checked, %s', async (address, reached) => {
    using internet = haveInternet()
    await fetched(at('/feed.xml'), { resolve: namesAre(address) })
    expect(internet.reached).toEqual([`${reached}:${server.port}`])
  })
})

describe('of several addresses', () => {
  const SIX = ['2606:4700::1', '2606:4700::2', '2606:4700::3', '2606:4700::4', '1.1.1.1', '8.8.8.8']

  test('those of IPv4 come first, for IPv6 leads nowhere in many homes', async () => {
    using internet = haveInternet()
    await fetched(at('/feed.xml'), { resolve: namesAre(...SIX) })
    expect(internet.reached).toEqual([`1.1.1.1:${server.port}`])
  })

  test('the next one is tried when one does not answer', async () => {
    using internet = haveInternet((address) => address.includes('.'))
    expect(textOf(await fetched(at('/feed.xml'), { resolve: namesAre(...SIX) }))).toBe('a feed')
    expect(internet.reached).toEqual(['1.1.1.1', '8.8.8.8', '[2606:4700::1]'].map((host) => `${host}:${server.port}`))
  })

  test('no more than three are tried', async () => {
    using internet = haveInternet(() => true)
    const failure = await refused(at('/feed.xml'), { resolve: namesAre(...SIX) })
    expect(failure).toMatchObject({ reason: 'unreachable', message: 'pods.example cannot be reached (ENETUNREACH)' })
    expect(internet.reached).toHaveLength(3)
  })

  test('one that really refuses is left for the next one', async () => {
    const answer = await fetched(at('/feed.xml'), {
      resolve: namesAre('127.0.0.2', '127.0.0.1'),
      allowed: ['127.0.0.0/8'],
    })
    expect(textOf(answer)).toBe('a feed')
  })

  test('an answer ends the search, whatever it says', async () => {
    using internet = haveInternet()
    expect(await fetched(at('/unknown'), { resolve: namesAre(...SIX) })).toMatchObject({ status: 404 })
    expect(internet.reached).toHaveLength(1)
  })
})

test('the system knows the addresses of this machine', async () => {
  const addresses = await systemResolve('localhost')
  expect(addresses.length).toBeGreaterThan(0)
  expect(['127.0.0.1', '::1']).toEqual(expect.arrayContaining([...addresses]))
})
