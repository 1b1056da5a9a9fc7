import { expect, test } from 'bun:test'
import { feedAddress, progressOf, tagFeed, withEvent } from '../../src/web/pages/outlets/outlets.ts'

test('the URL of a tag’s feed has the encoded tag', () => {
  const template = 'https://pods.example/feeds/abc/tag/{tag}.rss'
  const [plain, strange] = [' news ', 'Science & Nature/2'].map((tag) => tagFeed(template, tag))
  expect(plain).toBe('https://pods.example/feeds/abc/tag/news.rss')
  expect(strange).toBe('https://pods.example/feeds/abc/tag/Science%20%26%20Nature%2F2.rss')
})

test('private feeds have the address that other devices can reach', () => {
  const path = '/feeds/abc/new.rss'
  const [local, lan, other] = ['http://localhost:8080', 'http://192.168.1.20:8080', 'https://pods.example']
  expect(feedAddress(local + path, local, lan)).toBe(lan + path)
  expect(feedAddress(other + path, local, lan)).toBe(other + path)
})

const NEW = { off_reason: '', last_success: '', last_failure: '', next_attempt: '', waiting: 0 }
const [TEN, ELEVEN] = ['2026-03-02T10:00:00', '2026-03-02T11:00:00']

test.each([
  ['nothing sent yet', {}, 'unused'],
  ['last message delivered', { last_success: TEN }, 'works'],
  ['delivered after a failure', { last_failure: TEN, last_success: ELEVEN }, 'works'],
  ['a retry is scheduled', { last_success: TEN, next_attempt: ELEVEN }, 'failing'],
  ['a message was dropped', { last_success: TEN, last_failure: ELEVEN }, 'failing'],
  ['turned off', { off_reason: 'gone', last_success: TEN, last_failure: ELEVEN }, 'off'],
] as const)('the state of a webhook: %s', (_, webhook, expected) => {
  expect(progressOf({ ...NEW, ...webhook })).toBe(expected)
})

test('events are toggled and keep their order', () => {
  expect(withEvent(['new_device'], 'new_episode', true)).toEqual(['new_episode', 'new_device'])
  expect(withEvent(['new_episode', 'new_device'], 'new_device', false)).toEqual(['new_episode'])
})
