import { expect, test } from 'bun:test'
import { feedAddress, progressOf, tagFeed, withEvent } from '../../src/web/pages/outlets/outlets.ts'

test('the feed of a tag has the tag in its address, however it is written', () => {
  const template = 'https://pods.example/feeds/abc/tag/{tag}.rss'
  const [plain, strange] = [' news ', 'Science & Nature/2'].map((tag) => tagFeed(template, tag))
  expect(plain).toBe('https://pods.example/feeds/abc/tag/news.rss')
  expect(strange).toBe('https://pods.example/feeds/abc/tag/Science%20%26%20Nature%2F2.rss')
})

test('private feeds have the address by which other devices reach the server', () => {
  const path = '/feeds/abc/new.rss'
  const [local, lan, other] = ['http://localhost:8080', 'http://192.168.1.20:8080', 'https://pods.example']
  expect(feedAddress(local + path, local, lan)).toBe(lan + path)
  expect(feedAddress(other + path, local, lan)).toBe(other + path)
})

const NEW = { off_reason: '', last_success: '', last_failure: '', next_attempt: '', waiting: 0 }
const [TEN, ELEVEN] = ['2026-03-02T10:00:00', '2026-03-02T11:00:00']

test.each([
  ['nothing was sent yet', {}, 'unused'],
  ['the last message has arrived', { last_success: TEN }, 'works'],
  ['it works again', { last_failure: TEN, last_success: ELEVEN }, 'works'],
  ['it is tried again', { last_success: TEN, next_attempt: ELEVEN }, 'failing'],
  ['a message was given up', { last_success: TEN, last_failure: ELEVEN }, 'failing'],
  ['it is off', { off_reason: 'gone', last_success: TEN, last_failure: ELEVEN }, 'off'],
] as const)('how it goes with a webhook: %s', (_, webhook, expected) => {
  expect(progressOf({ ...NEW, ...webhook })).toBe(expected)
})

test('events are switched on and off, in one order', () => {
  expect(withEvent(['new_device'], 'new_episode', true)).toEqual(['new_episode', 'new_device'])
  expect(withEvent(['new_episode', 'new_device'], 'new_device', false)).toEqual(['new_episode'])
})
