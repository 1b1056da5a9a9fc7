import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { CLASSIFIER_VERSION, isSecretUrl, SECRET_URL_WORDS } from '../../../src/domain/directory/privacy.ts'
import { sanitizeUrl } from '../../../src/domain/shared/feed-url.ts'
import { anyCharacter } from '../../support/arbitraries.ts'
import { processorSeconds, seededRandom } from '../../support/values.ts'

const HOST = 'https://tidewater.example'

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** The addresses of a file, one a line; the first line describes them. */
const read = (name: string) =>
  readFileSync(join(import.meta.dir, 'feed-urls', `${name}.txt`), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
const PUBLIC_FEED_URLS = read('public')
const SECRET_FEED_URLS = read('secret')

test('the addresses of the files are classified as public and secret', () => {
  expect(PUBLIC_FEED_URLS.filter(isSecretUrl)).toEqual([])
  expect(SECRET_FEED_URLS.filter((url) => !isSecretUrl(url))).toEqual([])
  // Each address is in its stored form, and in the files once.
  const urls = [...PUBLIC_FEED_URLS, ...SECRET_FEED_URLS]
  expect(urls.map(sanitizeUrl)).toEqual([...new Set(urls)])
})

const PARAMETER_PARTS = `token secret passw passphrase signature credential session sessid oauth jwt hmac
  apikey accesskey rsskey feedkey userkey`.split(/\s+/)
const PARAMETER_WORDS =
  `auth authkey authorization key keys sig sign pass pwd pw sid uid uuid user users username userid
  login email member memberid subscriber customer license licence hash access code pin otp ticket private hdnea
  hdnts`.split(/\s+/)
const PUBLIC_CODES = 'country lang language region area post zip station channel show'.split(' ')
const MEMBERS_WORDS = 'private premium members subscribers supporters patrons'.split(' ')

/** Every change of these lists needs a new version, which makes servers classify all feeds again. */
test('version 2 of the rules has exactly these words', () => {
  expect(CLASSIFIER_VERSION).toBe(2)
  expect(SECRET_URL_WORDS).toEqual({
    parameterParts: PARAMETER_PARTS,
    parameterWords: PARAMETER_WORDS,
    publicCodes: PUBLIC_CODES,
    members: MEMBERS_WORDS,
  })
})

describe('the name of a parameter marks a secret', () => {
  const secret = (name: string) => isSecretUrl(`${HOST}/rss?a=1&${name}=2`)

  test.each(PARAMETER_PARTS)('with %s anywhere in it', (part) => {
    const names = [part, `x${part}`, `${part}x`, `my_${part}_2`, `my${capital(part)}`, part.toUpperCase()]
    expect(names.filter((name) => !secret(name))).toEqual([])
  })

  test.each(PARAMETER_WORDS)('with the word %s', (word) => {
    const names = [word, `my_${word}`, `${word}-2`, `my${capital(word)}`, word.toUpperCase(), capital(word)]
    expect(names.filter((name) => !secret(name))).toEqual([])
    expect([`my${word}`, `${word}zz`].filter(secret)).toEqual([])
  })

  test.each(PUBLIC_CODES)('but not as the code of a %s', (thing) => {
    expect([`${thing}_code`, `${thing}Code`, `${thing}-code`].filter(secret)).toEqual([])
  })
})

test.each(MEMBERS_WORDS)('%s as a label of the host or a word of the path marks a feed for members', (word) => {
  const urls = [`https://${word}.tidewater.example/a`, `${HOST}/${word}/a`, `${HOST}/a/${word}-feed.xml`]
  expect(urls.filter((url) => !isSecretUrl(url))).toEqual([])
  expect(isSecretUrl(`${HOST}/my${word}/a`)).toBe(false)
})

describe('a random token', () => {
  const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
  const HEXADECIMAL = ALPHANUMERIC.slice(-10).concat('abcdef')
  const COUNT = 1000

  /** `COUNT` tokens, the same in every run. */
  function tokens(alphabet: string, length: number): string[] {
    const bytes = seededRandom(length).bytes(COUNT * length)
    const letters = Array.from(bytes, (byte) => alphabet.charAt(byte % alphabet.length)).join('')
    return Array.from({ length: COUNT }, (_, n) => letters.slice(n * length, (n + 1) * length))
  }

  const missed = (found: readonly string[], addressOf: (token: string) => string) =>
    found.filter((token) => !isSecretUrl(addressOf(token))).length / found.length

  test.each([
    ['base64url', `${ALPHANUMERIC}-_`, { 20: 0.03, 22: 0.015, 24: 0.01, 32: 0.002, 43: 0 }],
    ['letters and digits', ALPHANUMERIC, { 20: 0.01, 24: 0.002, 32: 0 }],
    ['small letters and digits', ALPHANUMERIC.slice(26), { 24: 0.002 }],
    ['base32', ALPHANUMERIC.slice(0, 26).concat('234567'), { 32: 0.001 }],
    ['small letters', ALPHANUMERIC.slice(26, 52), { 32: 0.02 }],
    ['hexadecimal', HEXADECIMAL, { 20: 0, 32: 0, 64: 0 }],
    ['capital hexadecimal', HEXADECIMAL.toUpperCase(), { 64: 0 }],
  ])('of %s is recognized, except for a small share', (_name, alphabet, shares) => {
    for (const [length, share] of Object.entries(shares)) {
      const found = tokens(alphabet, Number(length))
      expect(missed(found, (token) => `${HOST}/feed/${token}/rss.xml`)).toBeLessThanOrEqual(share)
      expect(missed(found, (token) => `${HOST}/rss?x=1&y=${token}`)).toBeLessThanOrEqual(share)
      expect(missed(found, (token) => `${HOST}/harbour-talk-${token}.xml`)).toBeLessThanOrEqual(share)
    }
  })

  test('is recognized anywhere in the form of a UUID', () => {
    const uuids = tokens(HEXADECIMAL, 32).map((hex) => hex.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))
    for (const place of [`${HOST}/`, `${HOST}/rss?x=`, `${HOST}/rss#`])
      expect(missed(uuids, (uuid) => place + uuid)).toBe(0)
    expect(missed(uuids, (uuid) => `${HOST}/feed/${uuid.toUpperCase()}.xml`)).toBe(0)
  })

  test('is not recognized below 20 characters, since hosts number their shows that way', () => {
    expect(missed(tokens(ALPHANUMERIC, 19), (token) => `${HOST}/feed/${token}.xml`)).toBe(1)
    const short = tokens(ALPHANUMERIC, 8)
    expect(missed(short, (token) => `${HOST}/the-harbour-talk-podcast-${token}`)).toBe(1)
    expect(missed(short, (token) => `${HOST}/${token}-the-harbour-talk-podcast`)).toBeGreaterThan(0.95)
  })
})

const WORDS =
  `about ship lighthouse harbour history science daily morning evening night story stories true crime politics economy world
  radio show the of and with from into talks weekly news sport football music jazz rock science-fiction kitchen garden health doctor
  psychology philosophy strength knowledge rhythm through thought eighth twelfths
  geschichte wissenschaft nachrichten gesellschaft wirtschaft forschung hoerspiel kurzstrecke herbststurm angstschweiss rechtschreibung
  aamulehti kulttuuri tiedetta uutiset historiaa yhteiskunta keskustelua
  histoire aujourdhui ouvriers oiseaux francophone economie quotidien
  noticias desarrollo ciencia hoy mujeres guerra conversaciones coracao programacao
  wszechswiat chrzaszcz historii przyrodniczy szczescie krzyz ctvrtek zpravy vesmir
  samhallsprogram sprakradet verldskrig gezondheid wetenschap nieuwsuur geschiedenis
  ashita nihongo shukan kyou zhongguo xinwen gushi qiche dunya haberleri tortenelem`.split(/\s+/)

const chosenWords = fc.array(fc.constantFrom(...WORDS), { minLength: 2, maxLength: 9 })

test('chosen words are public, however they are joined', () => {
  const behind = fc.constantFrom('', '-2024', '-20240101', '-2', '-s01e05', '-54nAGcIl', '.rss', '_hd')
  fc.assert(
    fc.property(chosenWords, behind, (words, end) => {
      for (const joiner of ['-', '_', '.', '+', '%20']) {
        const name = words.join(joiner) + end
        for (const url of [`/${name}`, `/feed/${name}/rss`, `/rss?show=${name}`, `/${name.toUpperCase()}`])
          expect([url, isSecretUrl(HOST + url)]).toEqual([url, false])
      }
    }),
    { numRuns: 300, seed: 1 },
  )
})

test.each([
  ['without separators', (words: readonly string[]) => words.join('')],
  ['in CamelCase', (words: readonly string[]) => words.map(capital).join('')],
])('words %s are seldom taken for a token', (_how, nameOf) => {
  const names = fc.sample(chosenWords, { numRuns: 5000, seed: 1 }).map(nameOf)
  const hidden = names.filter((name) => isSecretUrl(`${HOST}/${name}`))
  expect(hidden.length).toBeLessThan(names.length / 100)
})

test('any text can be classified', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), (text) => {
      expect(isSecretUrl(text)).toBeBoolean()
      expect(isSecretUrl(`${HOST}/${text}`)).toBeBoolean()
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ...'a a/ a. %25 %E3 %2525E3 :// ://a = &a ?a= aB A a- 0 /private /premium- -feed country_ user_ @'.split(' '),
])('the longest address made of %p takes no time', (part) => {
  const url = `${HOST}/x${part.repeat(2048 / part.length)}`.slice(0, 2048)
  const long = url.concat(part.repeat(500_000 / part.length))
  const seconds = processorSeconds(() => {
    for (let n = 0; n < 20; n++) isSecretUrl(url)
    isSecretUrl(long)
  })
  expect(seconds).toBeLessThan(1)
})
