import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { basic } from '../support/client.ts'
import { png } from '../support/pictures.ts'
import { startWebServer } from '../support/web-server.ts'
import { podstep } from './support/command.ts'
import { emptyFolder } from './support/folder.ts'
import { startServer } from './support/server.ts'

const IDA = basic('ida', 'seaglass')
/** What is due is fetched at the next leap day, and otherwise when somebody wants it. */
const ALLOWED = { SVC_FEED_ALLOW_PRIVATE: '127.0.0.0/8', SVC_FEED_REFRESH_CRON: '0 0 29 2 *' }

const feed = (logo: string) => () =>
  new Response(`<rss version="2.0"><channel><title>Harbour</title><image><url>${logo}</url></image></channel></rss>`)

describe('the executable', () => {
  test('makes thumbnails itself, keeps them over a restart, and takes no harm from what is no picture', async () => {
    using folder = emptyFolder()
    await using web = startWebServer({
      '/harbour': feed('/logo.png'),
      '/page': feed('/logo.html'),
      '/logo.png': () => new Response(new Uint8Array(png(900, 600))),
      '/logo.html': () => new Response('<html></html>'),
    })
    const urlOf = (name: string) => `http://127.0.0.1:${web.port}/${name}`
    const pathOf = (name: string) => `/artwork/300?url=${encodeURIComponent(urlOf(name))}`
    const fetches = () => web.asked.filter(({ path }) => path === '/logo.png').length

    async function expectPicture(port: number): Promise<void> {
      const response = await fetch(`http://127.0.0.1:${port}${pathOf('harbour')}`, { headers: IDA })
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp'])
      const found = await new Bun.Image(await response.bytes()).metadata()
      expect(found).toEqual({ width: 450, height: 300, format: 'webp' })
    }

    await podstep(['user', 'create', 'ida'], { cwd: folder.path, stdin: 'seaglass' })
    {
      await using server = await startServer({ cwd: folder.path, env: ALLOWED })
      const ida = server.client(IDA)
      await ida.post('/api/2/subscriptions/ida/phone.json', { add: [urlOf('harbour'), urlOf('page')] })
      for (const name of ['harbour', 'page']) await ida.post(`/api/admin/feeds/update/single?url=${urlOf(name)}`)
      await expectPicture(server.port)
      expect(await ida.get(pathOf('page'))).toMatchObject({ status: 204, text: '' })
      // What is in our network is for people with an account.
      expect(await server.client().get(pathOf('harbour'))).toMatchObject({ status: 204 })
      await server.stop()
      expect(server.log.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([])
    }
    expect(readdirSync(join(folder.path, 'data/artwork')).length).toBe(2)
    expect(fetches()).toBe(1)
    await using server = await startServer({ cwd: folder.path, env: ALLOWED })
    await expectPicture(server.port)
    expect(fetches()).toBe(1)
  }, 20_000)
})
