import { describe, expect, test } from 'bun:test'
import { isKey, settings } from '../../src/config/options.ts'
import { waysOf } from '../../src/doctor/ways.ts'
import { FINDINGS, type FindingCode, found } from '../../src/domain/server/doctor.ts'

const CURRENT = { trustedProxies: ['10.0.0.1'], directory: 'podcastindex' } as const

const waysFor = (code: FindingCode, values = {}, current: Parameters<typeof waysOf>[1] = CURRENT) =>
  waysOf(found(code, values), current).map((lines) => lines.map(({ key, toml }) => `${key} = ${toml}`))

describe('the settings that solve a finding', () => {
  test.each<[FindingCode, object, readonly (readonly string[])[]]>([
    ['backup_off', {}, [['backup_keep = 3']]],
    ['base_url_redirects', { target: 'https://pods.example' }, [['base_url = "https://pods.example"']]],
    // Existing values stay.
    ['proxy_peer_not_believed', { peer: '10.0.0.2' }, [['trusted_proxies = ["10.0.0.1", "10.0.0.2"]']]],
    ['directory_none', {}, [['directory = "apple"'], ['directory_key = "the key"', 'directory_secret = "the secret"']]],
    ['passwords_slow', {}, []],
    ['mail_ok', {}, []],
  ])('%s %j', (code, values, lines) => {
    expect(waysFor(code, values)).toEqual(lines.map((way) => [...way]))
  })

  test('the keys of one directory do not solve problems of another', () => {
    expect(waysFor('directory_failed')).toHaveLength(1)
    expect(waysFor('directory_failed', {}, { ...CURRENT, directory: 'apple' })).toEqual([])
  })

  test('are valid in the file and in the environment, with the same value', () => {
    const lines = Object.keys(FINDINGS).flatMap((code) => waysOf(found(code as FindingCode), CURRENT).flat())
    expect(lines.length).toBeGreaterThan(20)
    for (const { key, variable, toml, text } of lines) {
      if (!isKey(key)) throw new Error(`${key} is no setting`)
      const { parser } = settings[key]
      const { x } = Bun.TOML.parse(`x = ${toml}`) as { x: unknown }
      // As parsed from the settings file, where integers are exact.
      const inFile = parser.fromToml(typeof x === 'number' ? BigInt(x) : x)
      expect(inFile).not.toHaveProperty('issues')
      expect(Bun.deepEquals(parser.fromText(text), inFile)).toBe(true)
      expect(variable).toBe(`SVC_${key.toUpperCase()}`)
    }
  })
})
