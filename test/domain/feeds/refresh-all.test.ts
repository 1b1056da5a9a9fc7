import { describe, expect, test } from 'bun:test'
import { fakeClock } from '../../support/clock.ts'
import { UNCHANGED } from '../../support/feed-source.ts'
import { failed, feedOf, openFeedScene } from '../feed-scene.ts'

const A = 'https://a.example/f'
const B = 'https://b.example/f'
const C = 'https://c.example/f'

const progress = (isRunning: boolean, done: number, total = 3, failed = 0) => ({ isRunning, done, failed, total })
const IDLE = { progress: progress(false, 0, 0), total: 3, failingTotal: 0, failing: [] }

describe('a refresh of all feeds', () => {
  test('begins at once, whatever is due, and tells how far it is', async () => {
    const { app, feeds, asked, runJob, hold, askedFor } = await openFeedScene([A, B, C])
    await runJob()
    expect(await feeds.status()).toEqual(IDLE)
    const held = hold()
    expect(await feeds.refreshAll()).toEqual({ status: 'started', feeds: 3 })
    await askedFor(6)
    expect(await feeds.status()).toEqual({ ...IDLE, progress: progress(true, 0) })
    const refreshed = feeds.refresh(B)
    await Promise.resolve()
    held.release(B)
    await refreshed
    expect(asked).toHaveLength(6)
    expect(await feeds.status()).toEqual({ ...IDLE, progress: progress(true, 1) })
    held.release(A)
    held.release(C)
    await app.idle()
    expect(await feeds.status()).toEqual({ ...IDLE, progress: progress(false, 3) })
  })

  test('is one, however often it is asked for', async () => {
    const { app, feeds, asked, hold, askedFor } = await openFeedScene([A, B, C])
    const held = hold()
    const both = await Promise.all([feeds.refreshAll(), feeds.refreshAll()])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['running', 'started'])
    expect(await feeds.refreshAll()).toEqual({ status: 'running', feeds: 3 })
    await askedFor(3)
    for (const url of held.urls()) held.release(url)
    await app.idle()
    expect(asked).toHaveLength(3)
    expect(await feeds.refreshAll()).toEqual({ status: 'started', feeds: 3 })
  })

  test('of none is done at once', async () => {
    const { app, feeds, asked } = await openFeedScene([])
    expect(await feeds.refreshAll()).toEqual({ status: 'started', feeds: 0 })
    await app.idle()
    expect(asked).toEqual([])
    expect(await feeds.status()).toEqual({ ...IDLE, total: 0 })
  })

  test('is not about feeds that nobody is subscribed to any more', async () => {
    const { app, ida, feeds, asked } = await openFeedScene([A, B, C])
    await ida.post('/api/2/subscriptions/ida/phone.json', { remove: [B] })
    expect(await feeds.refreshAll()).toEqual({ status: 'started', feeds: 2 })
    await app.idle()
    expect(asked.map(({ url }) => url)).toEqual([A, C])
  })

  test('goes through all of them, also when they are many and some cannot be had', async () => {
    const urls = Array.from({ length: 230 }, (_, n) => `https://host${n}.example/f`)
    const { app, feeds, asked, script } = await openFeedScene(urls)
    script.answer = async ({ url }) => (url.includes('7') ? failed() : UNCHANGED)
    await feeds.refreshAll()
    await app.idle()
    expect(asked.map(({ url }) => url)).toEqual(urls)
    const failing = urls.filter((url) => url.includes('7')).length
    expect(await feeds.status()).toMatchObject({
      progress: progress(false, 230, 230, failing),
      total: 230,
      failingTotal: failing,
    })
  })

  test('leaves nothing due', async () => {
    const { app, feeds, asked, runJob } = await openFeedScene([A, B, C])
    await feeds.refreshAll()
    await app.idle()
    await runJob()
    expect(asked).toHaveLength(3)
  })

  test('may be wanted by somebody who knows that the clock is wrong', async () => {
    const { app, feeds, asked } = await openFeedScene([A], { clock: fakeClock(Date.UTC(2024, 0, 1) / 1000) })
    await feeds.refreshAll()
    await app.idle()
    expect(asked).toHaveLength(1)
  })
})

describe('a refresh of one feed', () => {
  test('tells what the feed says now, whether it is due or not', async () => {
    const { feeds, script, runJob } = await openFeedScene([A])
    await runJob()
    script.answer = async () => feedOf('Harbour Talk')
    expect(await feeds.refresh(A)).toMatchObject({ podcast: { url: A, title: 'Harbour Talk' }, episodes: 1 })
  })

  test('finds the feed by its address as people write it', async () => {
    const { feeds, asked } = await openFeedScene([A])
    await feeds.refresh(' feed://A.example/f ').catch(() => undefined)
    await feeds.refresh(' https://ida:secret@A.Example:443/f ')
    expect(asked.map(({ url }) => url)).toEqual([A])
  })

  test('tells what is known of a feed that has nothing new', async () => {
    const { feeds, script } = await openFeedScene([A])
    script.answer = async () => feedOf('Harbour Talk')
    await feeds.refresh(A)
    script.answer = async () => UNCHANGED
    expect(await feeds.refresh(A)).toMatchObject({ podcast: { title: 'Harbour Talk' }, episodes: 1 })
  })

  test('helps a feed that nobody is subscribed to any more, too', async () => {
    const { ida, feeds, asked } = await openFeedScene([A])
    await ida.post('/api/2/subscriptions/ida/phone.json', { remove: [A] })
    await feeds.refresh(A)
    expect(asked).toHaveLength(1)
  })
})
