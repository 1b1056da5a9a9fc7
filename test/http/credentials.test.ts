import { describe, expect, test } from 'bun:test'
import { isBearer, parseBasic, sessionTokens } from '../../src/http/credentials.ts'

const encode = (text: string | Uint8Array) => Buffer.from(text).toString('base64')

describe('a Basic header', () => {
  test.each([
    ['as specified', 'Basic aWRhOnNlYWdsYXNz', 'ida', 'seaglass'],
    ['with the scheme in lower case', 'basic aWRhOnNlYWdsYXNz', 'ida', 'seaglass'],
    ['with the scheme in upper case', 'BASIC aWRhOnNlYWdsYXNz', 'ida', 'seaglass'],
    ['with several spaces', 'Basic   aWRhOnNlYWdsYXNz', 'ida', 'seaglass'],
    ['with padding', 'Basic aWRhOnNlYQ==', 'ida', 'sea'],
    ['without the padding', 'Basic aWRhOnNlYQ', 'ida', 'sea'],
    ['with half of the padding', 'Basic aWRhOnNlYQ=', 'ida', 'sea'],
    ['in the usual alphabet', 'Basic aTo/Pz4+fn4=', 'i', '??>>~~'],
    ['in the URL-safe alphabet', 'Basic aTo_Pz4-fn4', 'i', '??>>~~'],
    ['with colons in the password', `Basic ${encode('ida:a:b:')}`, 'ida', 'a:b:'],
    ['with an empty password', `Basic ${encode('ida:')}`, 'ida', ''],
    ['with an empty name', `Basic ${encode(':seaglass')}`, '', 'seaglass'],
    ['with nothing but the colon', `Basic ${encode(':')}`, '', ''],
    ['with spaces, which are kept', `Basic ${encode(' ida : sea ')}`, ' ida ', ' sea '],
    ['in UTF-8', `Basic ${encode('ida:grün🌊')}`, 'ida', 'grün🌊'],
    ['in Latin-1', `Basic ${encode(Buffer.from('idä:grün', 'latin1'))}`, 'idä', 'grün'],
    ['with a NUL', `Basic ${encode('ida:a\u0000b')}`, 'ida', 'a\u0000b'],
  ])('%s is read', (_case, header, username, password) => {
    expect(parseBasic(header)).toEqual({ username, password })
  })

  test.each([
    ['nothing after the scheme', 'Basic'],
    ['a space after the scheme', 'Basic '],
    ['no colon', `Basic ${encode('idaseaglass')}`],
    ['a character of no alphabet', 'Basic aWRh!nNlYWdsYXNz'],
    ['both words in clear', 'Basic ida:seaglass'],
    ['two words', 'Basic aWRhOnNlYWdsYXNz aWRhOnNlYWdsYXNz'],
    ['padding in the middle', 'Basic aWRhOg==c2Vh'],
    ['too much padding', 'Basic aWRhOnNlYQ==='],
    ['one letter', 'Basic a'],
    ['two headers in one', 'Basic aWRhOnNlYWdsYXNz, Basic aWRhOnNlYWdsYXNz'],
  ])('with %s cannot be decoded', (_case, header) => {
    expect(() => parseBasic(header)).toThrow(
      expect.objectContaining({ code: 'validation_failed', field: 'Authorization' }),
    )
  })

  test.each([null, '', 'Bearer aWRhOnNlYWdsYXNz', 'Digest username="ida"', 'BasicaWRhOnNlYWdsYXNz', 'xBasic aWRh'])(
    'is not %p',
    (header) => {
      expect(parseBasic(header)).toBeUndefined()
    },
  )
})

test.each([
  ['Bearer x', true],
  ['bearer  x', true],
  ['Bearer', false],
  ['Bearerx', false],
  ['Basic x', false],
  [null, false],
])('%p is a Bearer header: %p', (header, expected) => {
  expect(isBearer(header)).toBe(expected)
})

describe('a Cookie header', () => {
  const a = 'a'.repeat(43)
  const b = '_-'.repeat(21).padEnd(43, 'b')

  test.each([
    ['one session', `sessionid=${a}`, [a]],
    ['two sessions, in order', `sessionid=${b}; sessionid=${a}`, [b, a]],
    ['a session among others', `theme=dark; sessionid=${a}; csrftoken=x`, [a]],
    ['a session without spaces', `theme=dark;sessionid=${a};x=y`, [a]],
    ['a session with many spaces', ` sessionid = ${a} `, [a]],
    ['the same session twice', `sessionid=${a}; sessionid=${a}`, [a, a]],
  ])('holds %s', (_case, header, tokens) => {
    expect(sessionTokens(header)).toEqual(tokens)
  })

  test.each([
    ['nothing', ''],
    ['other names', `xsessionid=${a}; sessionid2=${a}; session=${a}`],
    ['the name in another case', `SessionId=${a}`],
    ['a value of another length', `sessionid=${a}a; sessionid=${a.slice(1)}; sessionid=`],
    ['a value in quotes', `sessionid="${a.slice(2)}"`],
    ['a value of another alphabet', `sessionid=${a.slice(1)}+`],
    ['no value', 'sessionid'],
    ['the name inside a value', `x=sessionid=${a}`],
  ])('with %s holds none', (_case, header) => {
    expect(sessionTokens(header)).toEqual([])
  })

  test('holds five that could be ours at the most; other programs’ do not count', () => {
    const foreign = Array.from({ length: 9 }, (_, n) => `sessionid=django${n}`)
    const ours = Array.from({ length: 7 }, (_, n) => String(n).repeat(43))
    const header = [...foreign, ...ours.map((token) => `sessionid=${token}`)].join('; ')
    expect(sessionTokens(header)).toEqual(ours.slice(0, 5))
  })
})
