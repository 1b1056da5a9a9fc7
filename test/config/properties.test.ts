import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { indexLines } from '../../src/config/file.ts'
import { ConfigError } from '../../src/config/load.ts'
import { envName, keys } from '../../src/config/options.ts'
import { anyCharacter, anyWebUrl } from '../support/arbitraries.ts'
import { loadWith, type World } from './load-with.ts'

function loadsOrRefuses(world: World): boolean {
  try {
    return loadWith(world).config.port >= 0
  } catch (error) {
    return error instanceof ConfigError && error.issues.length > 0
  }
}

const key = fc.oneof(fc.constantFrom(...keys), fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString'))
const line = fc.oneof(
  fc.tuple(key, fc.constantFrom(' = ', '=', '.', ' '), fc.json()).map((parts) => parts.join('')),
  fc.constantFrom('[', ']', '[[a]]', '"""', "'''", '#', '\r', 'port = 1', '[smtp]'),
  fc.string({ unit: anyCharacter }),
)

test('any file is loaded or refused without another error', () => {
  fc.assert(fc.property(fc.array(line, { maxLength: 8 }), (lines) => loadsOrRefuses({ toml: lines.join('\n') })))
})

test('any environment and command line are loaded or refused', () => {
  const names = fc.oneof(
    fc.constantFrom(...keys.map(envName)),
    fc.string().map((text) => `SVC_${text}`),
  )
  const texts = fc.oneof(fc.string({ unit: anyCharacter }), anyWebUrl, fc.constantFrom('tcp://1', '1,2', '* * * * *'))
  fc.assert(
    fc.property(fc.dictionary(names, texts), fc.dictionary(key, texts), (env, overrides) =>
      loadsOrRefuses({ env, overrides }),
    ),
  )
})

const TRICKY = [
  '# port = 1',
  'host = "# not a comment"  # port = 2',
  'text = """',
  'port = 3',
  '\\""" data_dir = "x" [table]',
  '"""',
  "raw = '''",
  'port = 4 """ [x]',
  "'''",
  'list = [ # a comment with ] and "',
  '  "port = 5", \'x]\',',
  '  [1, 2], { port = 6 },',
  ']',
  'port = 7',
  '"quoted key" = 1',
  "'literal key' = 1",
  'a . "b" = { c = 1 }',
  '"\\U0001F600" = 1\r',
  '  [ smtp ] # host = 1',
  'host = "x"',
  '[[jobs]]',
  'port = 1',
  'end = "\\\\" # "',
  'last = 1',
].join('\n')

test('the line of a key is found among comments and strings that look like keys', () => {
  const lines = {
    ...{ host: 2, text: 3, raw: 7, list: 10, port: 14, 'quoted key': 15, 'literal key': 16, 'a.b': 17, 'a.b.c': 17 },
    ...{ smtp: 19, 'smtp.host': 20, jobs: 21, 'jobs.port': 22, 'jobs.last': 24, data_dir: undefined, table: undefined },
    // An escape that only TOML has.
    '😀': undefined,
  }
  const lineOf = indexLines(TRICKY)
  expect(Object.fromEntries(Object.keys(lines).map((path) => [path, lineOf(path.split('.'))]))).toEqual(lines)
})
