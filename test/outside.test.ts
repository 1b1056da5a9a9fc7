import { describe, expect, test } from 'bun:test'
import { loadConfig } from '../src/config/load.ts'
import { directoryOf, feedSourcesOf, mailerOf, providerOf } from '../src/outside.ts'
import { openMemoryDatabase } from '../src/store/sqlite/open.ts'
import { createSqliteStore } from '../src/store/sqlite/store.ts'
import { known, subscribed } from './store/contract/feeds.ts'
import { fakeClock } from './support/clock.ts'
import { startWebServer } from './support/web-server.ts'

const configOf = (settings: Record<string, string> = {}) => {
  const env = Object.fromEntries(Object.entries(settings).map(([key, value]) => [`SVC_${key.toUpperCase()}`, value]))
  return loadConfig({ env, cwd: '/nowhere', readFile: () => undefined }).config
}

/** A feed somebody is subscribed to, and nothing else is known of. */
async function feed(url: string) {
  const { store } = await subscribed(createSqliteStore(openMemoryDatabase()), { phone: [url] })
  return known(store, url)
}

test('without settings no server of others is asked, but those of feeds', () => {
  const config = configOf()
  expect([mailerOf(config), directoryOf(config, '1', fakeClock()), providerOf(config, fakeClock())]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

describe('the feeds', () => {
  const noRead = async () => undefined
  const document = () => new Response('<rss><channel><title>Harbour Talk</title></channel></rss>')

  test('come from places of the private network only if they are allowed', async () => {
    await using server = startWebServer({ '/f': document })
    const url = `http://127.0.0.1:${server.port}/f`
    const { loop: closed } = feedSourcesOf(configOf(), '1')
    expect(await closed.ask(await feed(url), 1, noRead)).toMatchObject({ kind: 'failed', reason: 'forbidden' })
    closed.close()
    const opened = feedSourcesOf(configOf({ feed_allow_private: '127.0.0.0/8' }), '1')
    for (const source of [opened.loop, opened.users])
      expect(await source.ask(await feed(url), 1, noRead)).toMatchObject({
        kind: 'feed',
        document: { title: 'Harbour Talk' },
      })
    expect(await opened.anyone.ask(await feed(url), 1, noRead)).toMatchObject({ kind: 'failed', reason: 'forbidden' })
    for (const source of Object.values(opened)) source.close()
  })
})
