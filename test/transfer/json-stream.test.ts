import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type JsonLeaf,
  type JsonPath,
  type JsonStreamOptions,
  readJsonLeaves,
  VALUE_LIMITS,
} from '../../src/transfer/files/json-stream.ts'

async function* inPieces(text: string | Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const size = sizes[n % sizes.length] ?? 1
    yield bytes.subarray(at, at + size)
    at += size
  }
}

async function leavesOf(text: string | Buffer, options: Partial<JsonStreamOptions> = {}, sizes = [7]) {
  const isEntered = options.isEntered ?? ((path) => path.length < 2)
  return Array.fromAsync<JsonLeaf>(readJsonLeaves(inPieces(text, sizes), { ...options, isEntered }))
}

const placeOf = (path: JsonPath) => path.map((name) => name ?? '*').join('/')

test('all values of any document are read, no matter how its bytes are split', async () => {
  const key = fc.string({ maxLength: 4 })
  const lists = fc.dictionary(key, fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 4 }), { maxKeys: 4 })
  await fc.assert(
    fc.asyncProperty(
      lists,
      fc.constantFrom(undefined, 1, '\t'),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 }),
      async (document, indent, sizes) => {
        const text = JSON.stringify(document, undefined, indent)
        const read: Record<string, unknown[]> = Object.create(null)
        for (const { path, text: leaf } of await leavesOf(text, {}, sizes)) {
          const name = path[0] ?? ''
          read[name] = [...(read[name] ?? []), JSON.parse(leaf ?? '')]
        }
        const wanted = Object.entries(JSON.parse(text)).filter(([, list]) => Array.isArray(list) && list.length > 0)
        expect(Object.entries(read)).toEqual(wanted as [string, unknown[]][])
      },
    ),
  )
})

test('a document cut off anywhere is refused', async () => {
  const text = '{"a":[1,"x]}\\"",{"b":[true,null]}],"c":{"d":-1.5e3}}'
  for (let length = 0; length < text.length; length++)
    await expect(leavesOf(text.slice(0, length))).rejects.toMatchObject({
      message: expect.stringMatching(/incomplete/),
    })
  expect((await leavesOf(`\ufeff${text} \n`)).map(({ path, text: leaf }) => [placeOf(path), leaf])).toEqual([
    ['a/*', '1'],
    ['a/*', '"x]}\\""'],
    ['a/*', '{"b":[true,null]}'],
    ['c/d', '-1.5e3'],
  ])
})

test.each<[string, string | Buffer, RegExp]>([
  ['no comma or colon', '{"a" [1]}', /a missing comma or colon/],
  ['an extra comma', '{"a":[1],,"b":[2]}', /an unexpected comma or colon/],
  ['a wrong bracket', '{"a":[1]]', /an unexpected bracket/],
  ['text after its end', '{"a":[1]}{}', /text after the end/],
  ['a wrong escape in a name', '{"\\ices":[1]}', /a name that is not a string/],
  ['a number as a name', '{7:[1]}', /a missing name/],
  ['a name that is too long', `{"${'x'.repeat(64 * 1024)}":1}`, /a name that is too long/],
  ['text that is not UTF-8', Buffer.from('{"a":["\xff"]}', 'latin1'), /invalid UTF-8/],
])('a document with %s is refused', async (_what, document, message) => {
  await expect(leavesOf(document)).rejects.toMatchObject({
    ...{ code: 'invalid_json', message: expect.stringMatching(message) },
  })
})

test('a document may be a single value', async () => {
  for (const text of ['17', '"x"', '[1,[2]]', '{}'])
    expect(await leavesOf(text, { isEntered: () => false })).toMatchObject([{ path: [], text }])
})

test('entered items are announced when they begin', async () => {
  const leaves = await leavesOf('{"a":[{"x":1},{}]}', { isEntered: () => true })
  expect(leaves.map(({ path, text }) => [placeOf(path), text])).toEqual([
    ['a/*', ''],
    ['a/*/x', '1'],
    ['a/*', ''],
  ])
})

test('leaves before `skipUntil` have no text unless they are needed', async () => {
  const text = '{"a":[1,22,333]}'
  const all = await leavesOf(text)
  expect(all.map(({ end }) => text.slice(0, end).match(/\d+$/)?.[0])).toEqual(['1', '22', '333'])
  const again = await leavesOf(text, { skipUntil: all[1]?.end ?? 0 })
  expect(again.map(({ text: leaf }) => leaf)).toEqual([undefined, undefined, '333'])
  const needed = await leavesOf(text, { skipUntil: all[1]?.end ?? 0, isNeeded: () => true })
  expect(needed).toEqual(all)
})

const { bytes, values } = VALUE_LIMITS

test.each<[string, string, boolean]>([
  ['the longest text', `"${'x'.repeat(bytes - 2)}"`, true],
  ['a longer text', `"${'x'.repeat(bytes - 1)}"`, false],
  ['a number of many digits', '1'.repeat(bytes + 1), false],
  ['the most numbers', `[0${',0'.repeat(values - 1)}]`, true],
  ['more numbers', `[0${',0'.repeat(values)}]`, false],
  ['many lists', `[[]${',[]'.repeat(values / 2)}]`, false],
  ['many objects', `[{}${',{}'.repeat(values / 2)}]`, false],
  ['many members', `{"a":1${',"a":1'.repeat(values)}}`, false],
  ['many texts', `[""${',""'.repeat(values)}]`, false],
  ['commas in a text', `["${','.repeat(2 * values)}"]`, true],
  ['the most levels', '['.repeat(64) + ']'.repeat(64), true],
  ['more levels', '['.repeat(65) + ']'.repeat(65), false],
])('a leaf has a text only within the limits: %s', async (_case, value, hasText) => {
  const leaves = await leavesOf(`{"a":[${value},1]}`, {}, [100_000])
  expect(leaves.map(({ text }) => text)).toEqual([hasText ? value : undefined, '1'])
})

test('limits depend on the path', async () => {
  const limitsOf = (path: JsonPath) => (path[0] === 'long' ? { bytes: 6, values: 3 } : { bytes: 5, values: 2 })
  const leaves = await leavesOf('{"a":["1234","123"],"long":["1234",[0,0],[0,0,0]]}', { limitsOf })
  expect(leaves.map(({ text }) => text)).toEqual([undefined, '"123"', '"1234"', '[0,0]', undefined])
})

test('deep nesting is harmless if it is not entered, and refused if it is', async () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  expect(await leavesOf(deep, { isEntered: () => false }, [4096])).toHaveLength(1)
  await expect(leavesOf(deep, { isEntered: () => true }, [4096])).rejects.toMatchObject({
    message: expect.stringContaining('too many levels'),
  })
})
