import { describe, expect, test } from 'bun:test'
import { normalizeUrl } from '../../src/http/request-url.ts'

const tidy = (path: string) => normalizeUrl(`http://pods.example:8080${path}`)?.slice('http://pods.example:8080'.length)

describe('a sloppy address is tidied', () => {
  test.each([
    ['//api/2/devices/ida.json', '/api/2/devices/ida.json'],
    ['/api///2//devices////ida.json', '/api/2/devices/ida.json'],
    ['/api/2/devices/ida.json/', '/api/2/devices/ida.json'],
    ['/api/2/devices/ida.json///', '/api/2/devices/ida.json'],
    ['/healthz/', '/healthz'],
    ['//', '/'],
    ['/api/2/devices/ida.JSON', '/api/2/devices/ida.json'],
    ['/api/2/devices/ida.Json', '/api/2/devices/ida.json'],
    ['/api/2/devices/ida.jsoN', '/api/2/devices/ida.json'],
    ['/subscriptions/ida.JSONP', '/subscriptions/ida.jsonp'],
    ['/subscriptions/ida.Jsonp', '/subscriptions/ida.jsonp'],
    ['/subscriptions/ida.TXT', '/subscriptions/ida.txt'],
    ['/subscriptions/ida.oPML', '/subscriptions/ida.opml'],
    ['/subscriptions/ida.XML/', '/subscriptions/ida.xml'],
    ['//a.JSON/?jsonp=X//Y/', '/a.json?jsonp=X//Y/'],
    ['/subscriptions/ida.TXT?since=1&x=A', '/subscriptions/ida.txt?since=1&x=A'],
    ['/subscriptions/ida/My.JSON.TXT', '/subscriptions/ida/My.JSON.txt'],
  ])('%s is %s', (given, expected) => {
    expect(tidy(given)).toBe(expected)
  })

  test('once and for all', () => {
    for (const path of ['//a//b.JSON/', '/a.TXT//?b=//', '///', '/A.JSON.JSON']) {
      const once = tidy(path) ?? ''
      expect(tidy(once)).toBe(once)
    }
  })
})

describe('everything else is left as it is', () => {
  test.each([
    '/',
    '/?a=//b/',
    '/api/2/devices/ida.json',
    '/api/2/devices/IDA.json',
    '/api/2/episodes/ida.json?podcast=https://feeds.example//A/',
    '/api/2/episodes/ida.json?since=A',
    '/subscriptions/ida/PHONE',
    '/subscriptions/ida/phone.MP3',
    '/subscriptions/IDA/Phone-X.txt',
    '/a%2F%2Fb.json',
    '/a/b%2F',
    '/%zz',
  ])('%s', (path) => {
    const url = `http://pods.example:8080${path}`
    expect(normalizeUrl(url)).toBe(url)
  })

  test.each(['http://[::1]:8080/a', 'http://localhost/a', 'https://a/b,c', 'http://a/?x,y'])(
    'host and query: %s',
    (url) => {
      expect(normalizeUrl(url)).toBe(url)
    },
  )
})

test.each([
  'http://a.example,b.example/api/2/me',
  'http://a, a/x',
  '/api/2/me',
  '',
  '*',
  'pods.example/a',
  'ftp://a/b',
  'http://',
])('what is no address of ours is none: %p', (url) => {
  expect(normalizeUrl(url)).toBeUndefined()
})
