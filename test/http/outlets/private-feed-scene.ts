import { expect } from 'bun:test'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import type { TestAppOptions } from '../../support/app.ts'
import { type Answer, signIn } from '../../support/client.ts'
import type { FeedDocument } from '../../support/feed-document.ts'
import { openDirectory } from '../directory/scene.ts'

export const HOUR = 3600
export const RELEASED = Date.UTC(2025, 2, 2, 9) / 1000
export const ACTIONS = '/api/2/episodes/ida.json'

export type Addresses = Readonly<Record<'new' | 'in_progress' | 'tag' | 'subscriptions', string>>

/** A feed with hourly episodes; the last one is the newest. */
export const hourly = (name: string, count: number, fields: Partial<FeedDocument> = {}) =>
  feedDocument({
    title: `Podcast ${name}`,
    logoUrl: `https://pictures.example/${name}.png`,
    ...fields,
    episodes: Array.from({ length: count }, (_, n) =>
      feedEpisode({
        ...{ url: `https://cdn.example/${name}${n}.mp3`, guid: `${name}${n}`, title: `${name} ${n}` },
        ...{ released: RELEASED - HOUR * (count - 1 - n), website: `https://site.example/${name}/${n}` },
        description: `<p>Notes of <b>${name}</b> &amp; more</p>`,
        ...{ duration: 1800, size: 4096, mimeType: 'audio/mpeg', imageUrl: '' },
      }),
    ),
  })

/** Subscribes Ida to these feeds and creates the addresses of her private feeds. */
export async function open(
  feeds: Record<string, Partial<FeedDocument>>,
  settings: Record<string, string> = {},
  options: TestAppOptions = {},
) {
  const scene = await openDirectory({ ...options, people: { ida: Object.keys(feeds), bob: [] }, feeds, settings })
  await scene.app.indexed()
  const browser = await signIn(scene.app, 'ida', 'seaglass')
  const { status, json } = await browser.post('/api/2/me/app-passwords', { name: 'Car radio', scope: 'feeds' })
  expect(status).toBe(200)
  const { id, addresses, password } = json as { id: number; password: string; addresses: Addresses }
  return { ...scene, browser, id, addresses, password: password.replaceAll('-', ''), ida: scene.as('ida') }
}

export const pathOf = (address: string) => new URL(address).pathname

interface Item {
  readonly title?: string
  readonly description?: string
  readonly enclosure?: Record<string, string>
  readonly guid?: Record<string, string>
  readonly pubDate?: string
  readonly source?: Record<string, string>
}

/** Returns the items of a feed, which must be well-formed and have everything that RSS 2.0 requires. */
export function itemsIn({ status, text, headers }: Answer) {
  expect([status, headers.get('content-type')]).toEqual([200, 'application/rss+xml; charset=utf-8'])
  expect(XMLValidator.validate(text)).toBe(true)
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    parseTagValue: false,
    htmlEntities: true,
    isArray: (name) => name === 'item',
  })
  const { rss } = parser.parse(text)
  expect(rss['@version']).toBe('2.0')
  expect(rss['@xmlns:itunes']).toBe('http://www.itunes.com/dtds/podcast-1.0.dtd')
  const { channel } = rss
  for (const name of ['title', 'link', 'description']) expect(channel[name]).toMatch(/./)
  const items: Item[] = channel.item ?? []
  for (const { title, enclosure, guid, pubDate, source } of items) {
    expect(title).toMatch(/./)
    expect(enclosure?.['@url']).toMatch(/^https?:\/\//)
    expect(enclosure?.['@length']).toMatch(/^\d+$/)
    expect(enclosure?.['@type']).toMatch(/^\w+\/[\w.+-]+$/)
    expect(guid?.['@isPermaLink']).toBe('false')
    expect(String(pubDate)).toMatch(/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000$/)
    expect(source?.['@url']).toMatch(/^https?:\/\//)
  }
  const guids = items.map(({ guid }) => guid?.['#text'])
  expect(new Set(guids).size).toBe(guids.length)
  return items
}

export const titlesIn = (answer: Answer) => itemsIn(answer).map(({ title }) => String(title))
