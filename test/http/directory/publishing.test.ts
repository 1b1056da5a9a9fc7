import { describe, expect, test } from 'bun:test'
import { type Client, signUp } from '../../support/client.ts'
import { BLOCKED, lookupsOf, MARKED, openPrivateFeeds, PUBLIC, SECRET } from './private-feeds-scene.ts'

const [secret] = SECRET
const [blocked = ''] = BLOCKED
const [marked = ''] = MARKED

/** Whether `client` gets to see the feed: in all of the ways or in none of them. */
async function shows(client: Client, url: string): Promise<boolean> {
  const has = async (path: string) => (await client.get(path)).text.includes(JSON.stringify(url))
  const ways = await Promise.all([
    has('/toplist/100.json'),
    has('/search.json?q=boats'),
    has('/search.jsonp?q=boats&jsonp=show'),
    has(`/search.json?q=${encodeURIComponent(url)}`),
    has('/api/2/search/all?q=boats'),
    has('/api/2/tag/sea/100.json'),
    ...lookupsOf(url).slice(0, 2).map(has),
  ])
  expect(new Set(ways).size).toBe(1)
  return ways.every(Boolean)
}

describe('the subscriber', () => {
  test.each([
    ['a secret', secret],
    ['a blocked', blocked],
  ])('publishes %s feed, and takes it back', async (_kind, url) => {
    const { ida, anyone, bob, mark } = await openPrivateFeeds([url])
    expect(await shows(anyone, url)).toBe(false)

    await mark(ida, 'ida', url, true)
    expect([await shows(anyone, url), await shows(bob, url)]).toEqual([true, true])
    expect((await anyone.get('/api/2/tags/100.json')).json).toMatchObject([
      { tag: 'sea', usage: 2 },
      { tag: 'hidden-lore', usage: 1 },
    ])
    expect((await bob.get('/suggestions/9.json')).text).toContain(JSON.stringify(url))

    await mark(ida, 'ida', url, undefined)
    expect([await shows(anyone, url), await shows(bob, url)]).toEqual([false, false])
    expect((await anyone.get('/api/2/tags/100.json')).json).toMatchObject([{ tag: 'sea', usage: 1 }])
    expect((await bob.get('/suggestions/9.json')).json).toEqual([])
  })

  test.each([[true], [undefined]])('shows again what was marked: %p', async (value) => {
    const { ida, anyone, mark } = await openPrivateFeeds([marked])
    expect(await shows(anyone, marked)).toBe(false)
    await mark(ida, 'ida', marked, value)
    expect(await shows(anyone, marked)).toBe(true)
  })

  test('hides what was published by going away', async () => {
    const { ida, anyone, mark, subscribe } = await openPrivateFeeds([secret])
    await mark(ida, 'ida', secret, true)
    expect(await shows(anyone, secret)).toBe(true)
    await subscribe(ida, 'ida', { remove: [secret] })
    expect(await shows(anyone, secret)).toBe(false)
    expect(await shows(ida, secret)).toBe(false)
  })

  test.each([
    ['the phone and all', true],
    ['what was left before', false],
  ])('leaves hidden what was marked when the account goes: %s', async (_what, isSubscribed) => {
    const { ida, app, bob, anyone, mark, subscribe, runJob } = await openPrivateFeeds([PUBLIC])
    const ole = await signUp(app, 'ole', 'driftwood')
    await subscribe(ole, 'ole', { add: [marked] })
    await mark(ole, 'ole', marked, false)
    await runJob()
    if (!isSubscribed) await subscribe(ole, 'ole', { remove: [marked] })
    expect((await ole.delete('/api/2/me', { body: { password: 'driftwood' } })).status).toBe(200)
    expect([await shows(anyone, marked), await shows(bob, marked)]).toEqual([false, false])

    await subscribe(ida, 'ida', { add: [marked] })
    await subscribe(ida, 'ida', { remove: [marked] })
    expect(await shows(bob, marked)).toBe(false)
  })

  test('cannot publish what somebody else has in private', async () => {
    const { app, ida, anyone, mark, subscribe } = await openPrivateFeeds([secret])
    const ole = await signUp(app, 'ole')
    await subscribe(ole, 'ole', { add: [secret] })
    await mark(ida, 'ida', secret, true)
    expect(await shows(anyone, secret)).toBe(false)
    await mark(ole, 'ole', secret, true)
    expect(await shows(anyone, secret)).toBe(true)
  })
})

test('a public feed disappears when all who have it mark it, and is back when one of them thinks better of it', async () => {
  const { app, ida, bob, anyone, mark, subscribe } = await openPrivateFeeds([PUBLIC])
  await subscribe(bob, 'bob', { add: [PUBLIC] })
  const ole = await signUp(app, 'ole')

  await mark(ida, 'ida', PUBLIC, false)
  expect(await shows(anyone, PUBLIC)).toBe(true)
  await mark(bob, 'bob', PUBLIC, false)
  expect([await shows(anyone, PUBLIC), await shows(ole, PUBLIC)]).toEqual([false, false])
  await mark(ida, 'ida', PUBLIC, undefined)
  expect([await shows(anyone, PUBLIC), await shows(ole, PUBLIC)]).toEqual([true, true])
})
