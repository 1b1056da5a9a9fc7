import { describe, expect, test } from 'bun:test'
import { NotAFeed } from '../../src/domain/feeds/document.ts'
import { bytesOf, OPTIONS, openReal, openScripted, openThread, outcome, parsed } from './threads.ts'

function rss(title: string, filler = ''): Uint8Array {
  const item = '<item><title>Fog</title><enclosure url="1.mp3" type="audio/mpeg"/></item>'
  return bytesOf(`<rss version="2.0"><channel><title>${title}</title>${item}</channel><x>${filler}</x></rss>`)
}

describe('the thread of the program', () => {
  test('parses a feed as it would be parsed here', async () => {
    using scene = openReal()
    const { document, episodes } = await parsed(scene, rss('Harbour Talk'))
    expect(document).toMatchObject({ title: 'Harbour Talk', isBlocked: false, ttlSeconds: undefined, episodeCount: 1 })
    expect(episodes).toMatchObject([
      { url: 'https://a.example/1.mp3', title: 'Fog', released: undefined, duration: undefined },
    ])
  })

  test('takes the content type and the options into account', async () => {
    using scene = openReal()
    const bytes = new Uint8Array(Buffer.from('<rss><channel><title>\xd7</title></channel></rss>', 'latin1'))
    const options = { ...OPTIONS, maxEpisodes: 0 }
    const document = await scene.parser.parse(bytes, 'text/xml; charset=iso-8859-7', options, async () => undefined)
    expect(document).toMatchObject({ title: 'Χ', episodeCount: 0 })
  })

  test('says of what is no feed what it is instead', async () => {
    using scene = openReal()
    const refused = await outcome(scene, bytesOf('<html><body>Not found</body></html>'))
    expect(refused).toBeInstanceOf(NotAFeed)
    expect(refused).toMatchObject({ message: expect.stringContaining('web page') })
    expect(await outcome(scene, rss('Harbour Talk'))).toBe('Harbour Talk')
  })

  test('takes one document after the other, and all of them on one thread', async () => {
    using scene = openReal()
    const done: unknown[] = []
    const titles = Array.from({ length: 20 }, (_, n) => `Feed ${n}`)
    const documents = titles.map((title, n) => rss(title, 'x'.repeat(n % 2 === 0 ? 100_000 : 0)))
    await Promise.all(documents.map(async (bytes) => done.push(await outcome(scene, bytes))))
    expect(done).toEqual(titles)
    expect(scene.threads()).toBe(1)
  })

  test('begins when it is needed, and anew after a large document, whose memory nobody needs any more', async () => {
    using scene = openReal()
    expect(scene.threads()).toBe(0)
    const large = rss('Large', `<x>${'y'.repeat(1000)}</x>`.repeat(3 * 1024))
    const titles = await Promise.all([rss('Small'), large, rss('Next')].map((bytes) => outcome(scene, bytes)))
    expect(titles).toEqual(['Small', 'Large', 'Next'])
    expect(scene.threads()).toBe(2)
  })
})

describe('what the bytes of a document share with others', () => {
  test.each([
    ['the beginning of a larger buffer', () => bytesOf('begin..').subarray(0, 5)],
    ['the middle of one', () => bytesOf('..larger..').subarray(2, 8)],
    [
      'memory of several threads',
      () => {
        const shared = new Uint8Array(new SharedArrayBuffer(6))
        shared.set(bytesOf('shared'))
        return shared
      },
    ],
  ])('stays here: %s', async (_case, make) => {
    using scene = openScripted()
    const bytes = make()
    const text = Buffer.from(bytes).toString()
    const size = bytes.buffer.byteLength
    expect(await outcome(scene, bytes)).toBe(text)
    expect(Buffer.from(bytes).toString()).toBe(text)
    expect(bytes.buffer.byteLength).toBe(size)
  })

  test('is nothing if they are alone: they are handed over without a copy', async () => {
    using scene = openScripted()
    const bytes = bytesOf('alone')
    expect(await outcome(scene, bytes)).toBe('alone')
    expect(bytes.byteLength).toBe(0)
  })

  test('does not matter if there are none', async () => {
    using scene = openScripted()
    expect(await outcome(scene, new Uint8Array())).toBe('')
  })
})

describe('a thread', () => {
  test.each(['die', 'leave'])(
    'that ends over a document is replaced, and whoever waits is served (%s)',
    async (deadly) => {
      using scene = openScripted()
      const outcomes = Promise.all(['before', deadly, 'after', 'last'].map((text) => outcome(scene, bytesOf(text))))
      const [before, lost, ...rest] = await outcomes
      expect([before, ...rest]).toEqual(['before', 'after', 'last'])
      expect(lost).toBeInstanceOf(Error)
      expect(lost).not.toBeInstanceOf(NotAFeed)
      expect(lost).toMatchObject({ message: expect.stringMatching(/^the parser's thread ended/) })
      expect(scene.threads()).toBe(2)
    },
  )

  test('that cannot begin fails whoever waits, one after the other', async () => {
    using scene = openThread(() => new Worker(URL.createObjectURL(new Blob(['throw new Error("no memory")']))))
    const outcomes = await Promise.all(['one', 'other'].map((text) => outcome(scene, bytesOf(text))))
    for (const lost of outcomes) expect(lost).toMatchObject({ message: expect.stringContaining('no memory') })
    expect(scene.threads()).toBe(2)
  })

  test('that meets a fault of ours tells where', async () => {
    using scene = openScripted()
    const fault = await outcome(scene, bytesOf('fault'))
    expect(fault).not.toBeInstanceOf(NotAFeed)
    expect(fault).toMatchObject({ message: expect.stringContaining('at parse') })
  })

  test('that answers twice is believed once', async () => {
    using scene = openScripted()
    const titles = await Promise.all(['twice', 'next'].map((text) => outcome(scene, bytesOf(text))))
    expect(titles).toEqual(['first', 'next'])
  })
})

describe('a document that', () => {
  const refusal = { message: 'parsing the document takes too long' }

  test('takes twenty seconds of processor is given up, and the thread with it', async () => {
    let worked = 300_000
    using scene = openScripted(() => worked)
    expect(await outcome(scene, bytesOf('before'))).toBe('before')
    const slow = outcome(scene, bytesOf('hang'))
    const next = outcome(scene, bytesOf('next'))
    await scene.timer.waited()
    worked += 19_999
    // However long that takes, beside others who need the processor.
    scene.timer.pass(590_000)
    worked += 1
    scene.timer.pass(5000)
    expect(await slow).toBeInstanceOf(NotAFeed)
    expect(await slow).toMatchObject(refusal)
    expect(await next).toBe('next')
    expect(scene.threads()).toBe(2)
  })

  test('takes ten minutes is given up, whatever it does', async () => {
    using scene = openScripted()
    const slow = outcome(scene, bytesOf('hang'))
    const next = outcome(scene, bytesOf('next'))
    await scene.timer.waited()
    scene.timer.pass(600_000)
    expect(await slow).toMatchObject(refusal)
    expect(await next).toBe('next')
  })

  test('is done is looked at no more', async () => {
    using scene = openScripted()
    await outcome(scene, bytesOf('before'))
    expect(scene.timer.waiting).toBe(0)
  })
})

describe('closing', () => {
  const stopping = { word: 'unavailable', message: 'the server is stopping' }

  test('ends the thread, and whoever waits for it waits no longer', async () => {
    using scene = openScripted()
    const begun = outcome(scene, bytesOf('before'))
    const waiting = ['hang', 'next', 'last'].map((text) => outcome(scene, bytesOf(text)))
    await begun
    scene.parser.close()
    expect(await Promise.all(waiting)).toMatchObject([stopping, stopping, stopping])
    expect(scene.threads()).toBe(1)
  })

  test('is for good: a thread would outlive the server', async () => {
    using scene = openScripted()
    scene.parser.close()
    expect(await outcome(scene, bytesOf('late'))).toMatchObject(stopping)
    expect(scene.threads()).toBe(0)
  })

  test('twice is no mistake', () => {
    using scene = openScripted()
    scene.parser.close()
    scene.parser.close()
    expect(scene.threads()).toBe(0)
  })
})
