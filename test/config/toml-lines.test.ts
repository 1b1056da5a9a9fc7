import { expect, test } from 'bun:test'
import { indexLines } from '../../src/config/toml-lines.ts'

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
  '',
  '  [ smtp ] # host = 1',
  'host = "x"',
  '[[jobs]]',
  'port = 1',
  'end = "\\\\" # "',
  'last = 1',
].join('\n')

test.each([
  [['host'], 2],
  [['text'], 3],
  [['raw'], 7],
  [['list'], 10],
  [['port'], 14],
  [['quoted key'], 15],
  [['literal key'], 16],
  [['a', 'b'], 17],
  [['a', 'b', 'c'], 17],
  [['smtp'], 19],
  [['smtp', 'host'], 20],
  [['jobs'], 21],
  [['jobs', 'port'], 22],
  [['jobs', 'last'], 24],
  [['data_dir'], undefined],
  [['table'], undefined],
])('%j stands in line %p', (path, line) => {
  expect(indexLines(TRICKY)(path)).toBe(line)
})

test('line ends of Windows count once', () => {
  expect(indexLines('a = 1\r\n\r\nb = """\r\nc = 1"""\r\nd = 2')(['d'])).toBe(5)
})

test('a key in escapes that only TOML knows has no line of its own, and disturbs no other', () => {
  const lineOf = indexLines('"\\U0001F600" = 1\nport = 2')
  expect([lineOf(['😀']), lineOf(['port'])]).toEqual([undefined, 2])
})
