import { describe, expect, test } from 'bun:test'
import { feedOf, itemOf, jsonItemOf } from './feed-of.ts'

/** A type that says nothing about the file. */
const ANY = 'application/octet-stream'
const M = 'https://m.example'

test.each<[string, string | undefined, string]>([
  ['an audio type', `${M}/a`, `<enclosure url="${M}/a" type="audio/mpeg"/>`],
  ['the type of an Ogg file', `${M}/a`, `<media:content url="${M}/a" type="application/ogg"/>`],
  ['an audio extension', `${M}/a.mp3`, `<media:content url="${M}/a.mp3"/>`],
  ['a video extension', `${M}/a.M4V`, `<media:content url="${M}/a.M4V"/>`],
  ['an extension and a generic type', `${M}/a.mp3`, `<media:content url="${M}/a.mp3" type="${ANY}"/>`],
  ['a medium', `${M}/a`, `<media:content url="${M}/a" medium="audio" type="${ANY}"/>`],
  ['a generic type', `${M}/a`, `<media:content url="${M}/a" type="${ANY}"/>`],
  [
    'an audio type and a different medium',
    `${M}/a`,
    `<media:content url="${M}/a" medium="document" type="audio/mpeg"/>`,
  ],
  ['an audio extension and a picture type', `${M}/a.mp3`, `<enclosure url="${M}/a.mp3" type="image/jpeg"/>`],
  ['an audio extension and a page type', `${M}/a.mp3`, `<media:content url="${M}/a.mp3" type="text/html"/>`],
  ['an audio extension and a query like a picture', `${M}/a.mp3?x=1.jpg`, `<enclosure url="${M}/a.mp3?x=1.jpg"/>`],
  ['an audio extension and a fragment like a picture', `${M}/a.mp3#1.jpg`, `<enclosure url="${M}/a.mp3#1.jpg"/>`],
  ['a script with a query like a picture', `${M}/get?file=1.jpg`, `<enclosure url="${M}/get?file=1.jpg"/>`],
  ['an audio extension and a session', `${M}/a.mp3;jsessionid=1`, `<media:content url="${M}/a.mp3;jsessionid=1"/>`],
  ['a relative URL', 'https://feeds.example/show/a.mp3', '<media:content url="a.mp3"/>'],
  ['its URL as text', `${M}/a.mp3`, `<enclosure>${M}/a.mp3</enclosure>`],
  ['its URL as text, and a type', `${M}/a`, `<enclosure type="audio/mpeg"> ${M}/a </enclosure>`],
  ['its URL as CDATA', `${M}/a.mp3`, `<enclosure><![CDATA[${M}/a.mp3]]></enclosure>`],
  ['its URL in another attribute', `${M}/a.mp3`, `<enclosure href="${M}/a.mp3"/>`],
  ['neither type nor extension, in an enclosure', `${M}/a`, `<enclosure url="${M}/a"/>`],
  ['a link', `${M}/a.mp3`, `<atom:link rel="enclosure" href="${M}/a.mp3"/>`],
  ['neither type nor extension', undefined, `<media:content url="${M}/a"/>`],
  ['a host like a video', undefined, '<media:content url="https://media.mov"/>'],
  ['a picture', undefined, `<enclosure url="${M}/a.jpg"/><media:content url="${M}/b.png"/>`],
  ['a picture with a generic type', undefined, `<enclosure url="${M}/a.jpg" type="${ANY}"/>`],
  ['a picture by its type', undefined, `<enclosure url="${M}/a" type="image/jpeg"/>`],
  ['a picture by its medium', undefined, `<media:content url="${M}/a" medium="image" type="${ANY}"/>`],
  [
    'a page',
    undefined,
    `<media:content url="${M}/a" medium="document"/><media:content url="${M}/b" type="text/html"/>`,
  ],
  ['no URL', undefined, '<enclosure type="audio/mpeg"/><enclosure></enclosure>'],
])('a file with %s: %p', (_what, url, item) => {
  expect(itemOf(item)?.url).toBe(url as string)
})

const [A, B] = [`${M}/a.mp3`, `${M}/b.ogg`]

test.each<[string, string, string]>([
  ['comes first', A, `<enclosure url="${A}" type="${ANY}"/><enclosure url="${B}" type="audio/ogg"/>`],
  ['comes first, without a type', A, `<enclosure url="${A}"/><enclosure url="${B}" type="audio/ogg"/>`],
  ['comes first, as a picture', A, `<enclosure url="${A}" type="image/png"/><enclosure url="${B}" type="audio/ogg"/>`],
  ['comes first, in Media RSS', A, `<media:content url="${A}"/><enclosure url="${B}" type="audio/ogg"/>`],
  ['comes first, in a group', A, `<media:group><media:content url="${A}"/></media:group><enclosure url="${B}"/>`],
  ['is enclosed before it', B, `<enclosure url="${B}"/><media:content url="${A}" type="audio/mpeg"/>`],
  ['is the default', A, `<media:content url="${B}"/><media:content url="${A}" isDefault="true"/>`],
  [
    'is the default, in a group',
    A,
    `<enclosure url="${B}"/><media:group><media:content url="${B}"/><media:content url="${A}" isDefault="TRUE"/></media:group>`,
  ],
  [
    'is audio, and the default is not',
    A,
    `<media:content url="${M}/c.jpg" isDefault="true"/><media:content url="${A}"/>`,
  ],
  ['is known to be audio', A, `<enclosure url="${M}/c"/><enclosure url="${A}"/>`],
  ['has a URL', A, `<enclosure url="" type="audio/mpeg"/><enclosure url="${A}"/>`],
])('of several files, the one is used that %s', (_which, url, item) => {
  expect(itemOf(item)?.url).toBe(url)
})

describe('the stored media type', () => {
  test.each([
    ['is that of the feed', 'audio/ogg', `<enclosure url="${A}" type="audio/ogg"/>`],
    ['is unknown if it contradicts the extension', '', `<enclosure url="${A}" type="image/jpeg"/>`],
    ['is kept if there is no extension', ANY, `<enclosure url="${M}/a" type="${ANY}"/>`],
  ])('%s', (_what, type, item) => {
    expect(itemOf(item)?.mimeType).toBe(type)
  })
})

test.each([
  ['RSS 1.0', '<rdf:RDF><channel/><item><enc:enclosure rdf:resource="ITEM"/></item></rdf:RDF>'],
  ['Atom', '<feed><entry><link rel="enclosure" href="ITEM" type="image/jpeg"/></entry></feed>'],
  ['Atom, next to others', `<feed><entry><link href="${M}/"/><link rel="Enclosure" href="ITEM"/></entry></feed>`],
])('the extension of a file also counts in %s', (_format, feed) => {
  expect(feedOf(feed.replace('ITEM', A)).episodes.map(({ url }) => url)).toEqual([A])
})

test.each<[string, string | undefined, readonly object[]]>([
  ['is used for its extension', A, [{ url: A }, { url: B, mime_type: 'audio/ogg' }]],
  ['is used for its extension despite a picture type', A, [{ url: A, mime_type: 'image/jpeg' }]],
  ['is not used if it is a picture', undefined, [{ url: `${M}/a.jpg`, mime_type: 'application/octet-stream' }]],
])('an attachment of a JSON Feed %s', (_how, url, attachments) => {
  expect(jsonItemOf({ id: '1', attachments })?.url).toBe(url as string)
})
