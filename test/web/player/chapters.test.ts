import '../support/browser-globals.ts'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { setLanguage } from '../../../src/web/locales/index.ts'
import { loadChapters } from '../../../src/web/store/playback/chapters.ts'
import { account } from '../../../src/web/store/session.ts'
import { signInAs } from '../support/account.ts'
import { errorResponse, fakeServer } from '../support/fake-server.ts'
import { t } from '../support/texts.ts'

const FEED = 'https://feeds.tidewater.example/harbour.xml'
const FOG = 'https://cdn.tidewater.example/fog.mp3'
const NAMED = [
  { start: 0, title: 'Before', link: '' },
  { start: 60, title: 'The horn', link: '' },
]
const MARKED = [
  { start: 70, end: 80, label: '', advertisement: false },
  { start: 10, end: 20, label: 'the good bit', advertisement: false },
  { start: 30, end: 40, label: '', advertisement: true },
]

beforeEach(async () => {
  signInAs()
  await setLanguage('en')
})

afterEach(() => {
  account.value = null
})

const load = async () => (await loadChapters(FEED, FOG, new AbortController().signal)).map(({ title }) => title)

test('chapters of the feed are mixed with those of the user', async () => {
  fakeServer(({ line }) => ({ chapters: line.includes('/me/podcast/') ? NAMED : MARKED }))
  expect(await load()).toEqual(['Before', 'the good bit', t('podcast.advertisement'), 'The horn', '1:10–1:20'])
})

test('chapters of the feed are loaded even if those of the user fail', async () => {
  fakeServer(({ line }) => (line.includes('/me/podcast/') ? { chapters: NAMED } : errorResponse(500, 'internal')))
  expect(await load()).toEqual(['Before', 'The horn'])
})
