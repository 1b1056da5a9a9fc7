import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isSecretUrl } from '../../src/domain/secret-url.ts'
import { PUBLIC_FEED_URLS, SECRET_FEED_URLS } from './feed-url-samples.ts'

describe('a feed is for everybody at', () => {
  test.each(PUBLIC_FEED_URLS)('%s', (url) => {
    expect(isSecretUrl(url)).toBe(false)
  })
})

describe('a feed is secret at', () => {
  test.each(SECRET_FEED_URLS)('%s', (url) => {
    expect(isSecretUrl(url)).toBe(true)
  })
})
