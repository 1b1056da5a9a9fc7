import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { startTestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'

const PATH = '/api/2/settings/ida/account.json'

async function open() {
  const app = startTestApp()
  const ida = await signUp(app)
  return { app, ida }
}

/** Keys that a careless merge, path or query would trip over. */
const KEYS = [
  ...[
    '',
    ' ',
    '.',
    'a.b',
    '$',
    '$.a',
    '[0]',
    '#',
    '"',
    '\\',
    '/',
    "'",
    '%',
    '_',
    '\n',
    '\t',
    '\u0000',
    '\u2028',
    '\ufeff',
  ],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'toJSON', 'then', 'length'],
  ...[
    'rawJSON',
    'set',
    'remove',
    '0',
    '01',
    '-1',
    '4294967296',
    'null',
    'KEY',
    'key',
    'ключ',
    'é',
    'e\u0301',
    '😀',
    '\ud83d',
  ],
]

describe('a value comes back as the very text that was sent:', () => {
  test.each([
    'null',
    'true',
    'false',
    '""',
    '"text"',
    '"\\u0000\\u001f\\"\\\\"',
    '"\\ud83d"',
    '"Ø 語 😀 \u2028"',
    '"1.0"',
    '0',
    '-0',
    '1.5',
    '1.0',
    '1e400',
    '-1E-400',
    '9007199254740993',
    '0.30000000000000004441',
    '[]',
    '{}',
    '[null,[],{},[[1.0]]]',
    '{"a":{"b":{"c":[{"d":null}]}}}',
    '{"__proto__":{"__proto__":1.0},"constructor":{"prototype":{"x":1}}}',
    '{"toJSON":"x","rawJSON":"1","length":-1}',
    '{"":{"":""}}',
    `${'['.repeat(61)}${']'.repeat(61)}`,
  ])('%s', async (value) => {
    const { ida } = await open()
    const text = `{"k":${value}}`
    expect((await ida.post(PATH, `{"set":${text}}`)).text).toBe(text)
    expect((await ida.post(PATH, { set: { other: 1 }, remove: ['other'] })).text).toBe(text)
    expect((await ida.get(PATH)).text).toBe(text)
  })

  test('white space around it is no part of it, and of two equal keys the last one counts', async () => {
    const { ida } = await open()
    expect((await ida.post(PATH, '\ufeff { "set" : { "a" : 1 , "a" : [ 1.0 , 2 ] } } ')).text).toBe('{"a":[1.0,2]}')
  })

  test('whatever it is', async () => {
    const { ida } = await open()
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 }), async (set) => {
        const { json } = await ida.post(PATH, { set })
        expect(json).toEqual(JSON.parse(JSON.stringify(set)))
        expect((await ida.get(PATH)).json).toEqual(json)
        expect((await ida.post(PATH, { remove: Object.keys(set) })).text).toBe('{}')
      }),
      { numRuns: 60 },
    )
  })
})

describe('a key is a key:', () => {
  test.each(KEYS)('%j', async (key) => {
    const { app, ida } = await open()
    const name = JSON.stringify(key)
    await ida.post(PATH, { set: { kept: true } })
    const { text } = await ida.post(PATH, `{"set":{${name}:1.50}}`)
    expect([`{"kept":true,${name}:1.50}`, `{${name}:1.50,"kept":true}`]).toContain(text)
    expect((await ida.get(PATH)).text).toBe(text)
    expect((await ida.post(PATH, `{"remove":[${name}]}`)).text).toBe('{"kept":true}')
    expect((await ida.post(PATH, `{"set":{${name}:{${name}:[]}},"remove":["kept"]}`)).text).toBe(
      `{${name}:{${name}:[]}}`,
    )
    expect((await ida.post(PATH, `{"set":{${name}:1},"remove":[${name}]}`)).text).toBe('{}')
    expect(app.db.query('SELECT * FROM settings').all()).toEqual([])
  })

  test('all of them together, and no other object learns of any', async () => {
    const { ida } = await open()
    const set = `{${KEYS.map((key, n) => `${JSON.stringify(key)}:${n}`).join()}}`
    const { json } = await ida.post(PATH, `{"set":${set}}`)
    expect(new Map(Object.entries(Object(json)))).toEqual(new Map(KEYS.map((key, n) => [key, n])))
    expect(Object.keys({})).toEqual([])
    expect(Reflect.get({}, 'kept')).toBeUndefined()
    expect((await ida.post(PATH, { remove: KEYS })).text).toBe('{}')
  })
})

test('nested beyond reason it is refused, as everywhere', async () => {
  const { ida } = await open()
  expectRefusal(await ida.post(PATH, `{"set":{"k":${'['.repeat(63)}${']'.repeat(63)}}}`), 400, 'invalid_json')
  expect((await ida.get(PATH)).text).toBe('{}')
})
