import { expect, test } from 'bun:test'
import { clientLabel } from '../../../src/domain/accounts/sessions.ts'

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test.each([
  ['AntennaPod/3.7.0', 'AntennaPod'],
  ['gPodder/3.11.4 (+http://gpodder.org/) Linux', 'gPodder'],
  ['mygpoclient/1.9 (http://gpodder.org/mygpoclient)', 'mygpoclient'],
  ['Kasts/24.12', 'Kasts'],
  ['Clementine 1.4.0rc1', 'Clementine 1.4.0rc1'],
  ['Music Assistant/2.3', 'Music Assistant'],
  ['okhttp/4.12.0', 'okhttp'],
  ['curl/8.14.1', 'curl'],
  ['Поддер/1.0', 'Поддер'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  ['Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0', 'Firefox on Android'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36`, 'Chrome on Windows'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/141.0 Safari/537.36 Edg/141.0`, 'Edge on Windows'],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/141.0 Safari/537.36`, 'Chrome on ChromeOS'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/141.0 Mobile Safari/537.36`, 'Chrome on Android'],
  [
    `Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S911B) ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36`,
    'Samsung Internet on Android',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  ['Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1 CriOS/141.0 Safari/604.1', 'Chrome on iPad'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1 Version/18.5 Safari/605.1', 'Safari on macOS'],
  ['Mozilla/5.0 (PlayStation 5) AppleWebKit/605.1 Version/18 Safari/605.1', 'Safari'],
  ['Mozilla/5.0 (compatible; podcast thing)', 'Mozilla'],
])('%s is called %s', (userAgent, label) => {
  expect(clientLabel(userAgent)).toBe(label)
})

test.each([
  ['nothing', ''],
  ['white space', ' \t '],
  ['no product', '/1.0'],
  ['a comment alone', '(nothing)'],
  ['what cannot be seen', '\u0000\u001b\u200b\u202e'],
])('%s has no name', (_case, userAgent) => {
  expect(clientLabel(userAgent)).toBeUndefined()
})

test.each([
  ['a name without an end', 'x'.repeat(100_000), 'x'.repeat(60)],
  ['a long name of characters beyond 16 bits', '🎧'.repeat(100), '🎧'.repeat(60)],
  ['what draws on a terminal', 'Pod\u001b[31mcast\u0007/1', 'Pod [31mcast'],
  ['what turns text around', 'Pod\u202etsac/1', 'Pod tsac'],
  ['half a character', 'Pod\ud83c/1', 'Pod'],
  ['lines', 'Pod\r\ncast/1', 'Pod cast'],
])('of %s nothing is kept that does harm', (_case, userAgent, label) => {
  expect(clientLabel(userAgent)).toBe(label)
})

test('markup is kept as text, and is for whoever shows it to escape', () => {
  expect(clientLabel('<img src=x onerror=alert(1)>')).toBe('<img src=x onerror=alert')
})
