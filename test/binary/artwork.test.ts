import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { png } from '../support/pictures.ts'
import { startWebServer } from '../support/web-server.ts'
import { CHANGES, complaints, IDA, LOCAL_FEEDS, startScene } from './support/scene.ts'

const feed = (logo: string) => () =>
  new Response(`<rss version="2.0"><channel><title>Harbour</title><image><url>${logo}</url></image></channel></rss>`)

test('the executable makes thumbnails itself, keeps them over a restart, and takes no harm from what is no picture', async () => {
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

  await using scene = await startScene({ env: LOCAL_FEEDS })
  const { ida, server, folder, anyone } = scene
  await ida.post(CHANGES, { add: [urlOf('harbour'), urlOf('page')] })
  for (const name of ['harbour', 'page']) await ida.post(`/api/admin/feeds/update/single?url=${urlOf(name)}`)
  await expectPicture(server.port)
  expect(await ida.get(pathOf('page'))).toMatchObject({ status: 204, text: '' })
  // What is in our network is for people with an account.
  expect(await anyone.get(pathOf('harbour'))).toMatchObject({ status: 204 })
  await server.stop()
  expect(complaints(server)).toEqual([])
  expect(readdirSync(folder.file('data/artwork')).length).toBe(2)
  expect(fetches()).toBe(1)
  await using again = await scene.again()
  await expectPicture(again.server.port)
  expect(fetches()).toBe(1)
}, 20_000)
