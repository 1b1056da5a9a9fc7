import { describe, expect, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  chapterSourceOf,
  directoryOf,
  feedSourcesOf,
  mailerOf,
  picturesOf,
  providerOf,
  startCheckpointWorker,
  webhookSenderOf,
} from '../src/adapters.ts'
import { loadConfig } from '../src/config/load.ts'
import { type FeedSource, unfetchedFeed } from '../src/domain/feeds/ports.ts'
import type { Webhook } from '../src/domain/outlets/ports.ts'
import { createLog } from '../src/platform/log.ts'
import { Secret } from '../src/platform/secret.ts'
import { openMemoryDatabase } from '../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../src/store/sqlite/store.ts'
import { known, subscribed } from './store/contract/feeds/feeds.ts'
import { tempDirs } from './store/temp-dir.ts'
import { fakeClock } from './support/clock.ts'
import { startWebServer } from './support/web-server.ts'

const configOf = (settings: Record<string, string> = {}) => {
  const env = Object.fromEntries(Object.entries(settings).map(([key, value]) => [`SVC_${key.toUpperCase()}`, value]))
  return loadConfig({ env, cwd: '/nowhere', readFile: () => undefined }).config
}

test('by default there are no mail server, directory and provider', () => {
  const config = configOf()
  const adapters = [mailerOf(config), directoryOf(config, '1', fakeClock()), providerOf(config, fakeClock())]
  expect(adapters).toEqual([undefined, undefined, undefined])
})

test('feeds are fetched from the private network only if it is allowed', async () => {
  const document = () => new Response('<rss><channel><title>Harbour Talk</title></channel></rss>')
  await using server = startWebServer({ '/f': document })
  const url = `http://127.0.0.1:${server.port}/f`
  // A subscribed feed that has not been fetched.
  const { store } = await subscribed(createSqliteStore(openMemoryDatabase()), { phone: [url] })
  const feed = await known(store, url)
  const ask = (source: FeedSource) =>
    source.ask(feed, 1, { fingerprints: '{}', order: 'oldest first' }, async () => undefined)
  const forbidden = { kind: 'failed', reason: 'forbidden' }
  const closed = feedSourcesOf(configOf(), '1')
  expect(await ask(closed.scheduled)).toMatchObject(forbidden)
  const opened = feedSourcesOf(configOf({ feed_allow_private: '127.0.0.0/8' }), '1')
  for (const source of [opened.scheduled, opened.authenticated])
    expect(await ask(source)).toMatchObject({ kind: 'feed', document: { title: 'Harbour Talk' } })
  expect(await ask(opened.anonymous)).toMatchObject(forbidden)
  // All sources share one process.
  for (const { scheduled } of [closed, opened]) scheduled.close()
})

test('with outbound = "off" nothing is fetched or sent, and no process is started', async () => {
  await using server = startWebServer({})
  const url = `http://127.0.0.1:${server.port}/`
  const config = configOf({
    ...{ outbound: 'off', directory_key: 'key', directory_secret: 'secret', directory_url: url },
    ...{ feed_allow_private: '127.0.0.1', webhook_allow_private: '127.0.0.1' },
  })
  const log = createLog({ level: 'error', format: 'json', write: () => undefined })
  const { counts, transcripts, ...sources } = feedSourcesOf(config, '1')
  expect(await transcripts({ url, type: '' })).toEqual({ kind: 'failed', reason: 'off' })
  for (const source of Object.values(sources)) {
    const asking = source.ask(
      unfetchedFeed(url),
      1,
      { fingerprints: '{}', order: 'oldest first' },
      async () => undefined,
    )
    await expect(asking).rejects.toThrow('setting outbound')
    source.close()
  }
  expect(counts()).toEqual({ starts: 0, failures: 0 })
  expect(directoryOf(config, '1', fakeClock())).toBeUndefined()
  expect(await chapterSourceOf(config, '1').read(url)).toBeUndefined()
  const { source } = picturesOf(config, { version: '1', clock: fakeClock(), log })
  expect(await source.ask(url, true)).toMatchObject({ kind: 'failed', message: expect.stringContaining('outbound') })
  const hook = { url, format: 'json', secret: new Secret('whsec_AAAA') } as Webhook
  const message = { id: '1', createdAt: 1, username: 'ida', news: { event: 'test' } } as const
  const sent = webhookSenderOf(config, '1').send(hook, message, 1, new AbortController().signal)
  await expect(sent).rejects.toThrow('setting outbound')
  expect(server.asked).toEqual([])
})

test('chapters are fetched from the private network only if it is allowed', async () => {
  await using server = startWebServer({ '/chapters.json': () => new Response('{"chapters":[]}') })
  const url = `http://127.0.0.1:${server.port}/chapters.json`
  expect(await chapterSourceOf(configOf(), '1').read(url)).toBeUndefined()
  const opened = chapterSourceOf(configOf({ feed_allow_private: '127.0.0.0/8' }), '1')
  expect(await opened.read(url)).toBe('{"chapters":[]}')
})

test('webhooks are sent to the private network only if it is allowed', async () => {
  const url = 'http://127.0.0.1:8080/hook'
  await expect(webhookSenderOf(configOf(), '1').check(url)).rejects.toThrow('webhook_allow_private')
  await webhookSenderOf(configOf({ webhook_allow_private: '127.0.0.0/8' }), '1').check(url)
})

describe('pictures', () => {
  const dirs = tempDirs()

  function open(settings: Record<string, string> = {}) {
    const folder = dirs.make()
    const logs: string[] = []
    const log = createLog({ level: 'debug', format: 'json', write: (line) => logs.push(line) })
    const config = configOf({ data_dir: folder, ...settings })
    return { folder, logs, ...picturesOf(config, { version: '1', clock: fakeClock(), log }) }
  }

  test('are fetched from the private network only if it is allowed, and not for anonymous requests', async () => {
    await using server = startWebServer({ '/a': () => new Response('picture') })
    const url = `http://127.0.0.1:${server.port}/a`
    const closed = open()
    expect(await closed.source.ask(url, true)).toMatchObject({ kind: 'failed', reason: 'forbidden' })
    const opened = open({ feed_allow_private: '127.0.0.0/8' })
    expect(await opened.source.ask(url, true)).toMatchObject({ kind: 'picture' })
    expect(await opened.source.ask(url, false)).toMatchObject({ kind: 'failed', reason: 'forbidden' })
    expect(server.asked[0]?.headers.get('user-agent')).toBe('podstep/1 (podcast sync server)')
  })

  test('are kept in the data folder', async () => {
    const { folder, cache } = open()
    await cache.set('a', { bytes: new Uint8Array(1), tag: '1' })
    expect(readdirSync(folder, { recursive: true })).toEqual(['artwork', join('artwork', 'a.1.webp')])
  })

  test('are not cached if the folder cannot be used, which is logged once', async () => {
    const { folder, cache, logs } = open()
    writeFileSync(join(folder, 'artwork'), '')
    for (const name of ['a', 'b']) await cache.set(name, { bytes: new Uint8Array(1), tag: '1' })
    expect(logs.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', msg: expect.stringContaining('cannot be used') },
    ])
  })
})

test('the checkpoint thread reports errors', async () => {
  const worker = startCheckpointWorker()
  const { promise, resolve } = Promise.withResolvers<unknown>()
  worker.onmessage = ({ data }) => resolve(data)
  worker.postMessage({ path: '/nowhere/podstep.db', action: 'flush' })
  expect(await promise).toMatch(/no such file/)
  worker.terminate()
})
