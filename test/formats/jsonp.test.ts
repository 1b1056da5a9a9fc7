import { expect, test } from 'bun:test'
import { jsonpWriter } from '../../src/formats/json.ts'
import { jsonWriter, writeWhole } from '../../src/formats/list-writer.ts'

const wrapJsonp = (name: string | undefined, json: string) =>
  writeWhole(
    jsonpWriter(
      name,
      jsonWriter((item: unknown) => item),
    ),
    JSON.parse(json),
  )

test.each(['show', '_', 'jQuery19_7', '7'])('jsonp calls %s with the JSON', (name) => {
  expect(wrapJsonp(name, '["https://a.example/f"]')).toBe(`${name}(["https://a.example/f"])`)
})

test('jsonp is a script in old browsers too', () => {
  expect(wrapJsonp('f', '["\u2028\u2029"]')).toBe('f(["\\u2028\\u2029"])')
})

test.each([undefined, '', 'a.b', 'a b', 'a-b', 'alert(1)//', 'é', 'a\n', '$'])(
  'jsonp does not take the name %j',
  (name) => {
    expect(() => wrapJsonp(name, '[]')).toThrow(expect.objectContaining({ code: 'validation_failed', field: 'jsonp' }))
  },
)
