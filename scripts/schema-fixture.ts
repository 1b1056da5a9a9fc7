import { join } from 'node:path'
import { MIGRATIONS } from '../src/store/sqlite/core/migrate.ts'
import { podstep } from '../test/binary/support/command.ts'
import { emptyFolder } from '../test/binary/support/folder.ts'
import { startServer } from '../test/binary/support/server.ts'
import { dumpDatabase } from '../test/store/upgrade/dump.ts'
import { writeFixture } from '../test/store/upgrade/fixtures.ts'
import { fillWorld, PASSWORD } from '../test/store/upgrade/world.ts'
import { basic } from '../test/support/client.ts'

/**
 * Makes the fixture of the newest schema for the tests of upgrades: fills a server over HTTP, records its responses,
 * and dumps its database as text.
 */

const FEED_PORT = 28_765

const FEED = `<?xml version="1.0"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
<title>Fog over the harbour</title><link>https://fog.example/</link><description>Foghorns &amp; gulls</description>
<itunes:category text="Science"/><item><title>One</title><guid>fog-1</guid><pubDate>Wed, 01 May 2024 08:00:00 GMT</pubDate>
<enclosure url="http://127.0.0.1:${FEED_PORT}/1.mp3" type="audio/mpeg" length="1000"/></item>
<item><title>Two – ünï</title><guid>fog-2</guid><pubDate>Thu, 02 May 2024 08:00:00 GMT</pubDate>
<enclosure url="http://127.0.0.1:${FEED_PORT}/2.mp3" type="audio/mpeg" length="2000"/></item></channel></rss>`

const program = [process.execPath, join(import.meta.dir, '../src/main.ts')]
const name = MIGRATIONS.at(-1)?.name ?? ''

using folder = emptyFolder()
const { path: cwd } = folder
for (const user of ['ida', 'ole', 'una']) {
  const { code, err } = await podstep(['user', 'create', user], { cwd, program, stdin: PASSWORD })
  if (code !== 0) throw new Error(err)
}
await podstep(['user', 'deactivate', 'una'], { cwd, program })

const feed = Bun.serve({
  port: FEED_PORT,
  hostname: '127.0.0.1',
  fetch: () => new Response(FEED, { headers: { 'content-type': 'application/rss+xml', etag: '"fog-1"' } }),
})
const answers: Record<string, Record<string, unknown>> = { ida: {}, ole: {} }
const server = await startServer({ cwd, program, args: ['serve'], env: { SVC_FEED_ALLOW_PRIVATE: '127.0.0.0/8' } })
const world = await fillWorld(`http://127.0.0.1:${FEED_PORT}/feed.xml`, server.client)
// Wait for the indexer, which collects changes before it counts subscribers.
await Bun.sleep(3000)
for (const { user, path } of world.questions) {
  const { status, json, text } = await server.client(basic(user, PASSWORD)).get(path)
  if (status === 200) answers[user] = { ...answers[user], [path]: json ?? text }
  else throw new Error(`${path}: ${status} ${text}`)
}
const at = Math.floor(Date.now() / 1000)
await server.stop()
await feed.stop(true)

const notes = [`A database of schema ${name}, by scripts/schema-fixture.ts: filled over HTTP by the server of it.`]
const { signIns } = world
writeFixture(name, { dump: dumpDatabase(join(cwd, 'data/podstep.db'), notes), at, signIns, answers })
process.stdout.write(`test/store/fixtures/${name}.json.gz\n`)
