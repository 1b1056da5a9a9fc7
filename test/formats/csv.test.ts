import { expect, test } from 'bun:test'
import { csvLine } from '../../src/formats/csv.ts'

test.each<[string, readonly (string | number | undefined)[], string]>([
  ['plain words and numbers', ['a', 1, undefined, ''], 'a,1,,'],
  ['commas', ['a,b'], '"a,b"'],
  ['quotation marks', ['say "x"'], '"say ""x"""'],
  ['line ends', ['a\nb', 'c\rd'], '"a\nb","c\rd"'],
  ['a formula', ['=1+1', '@SUM(A1)', '+1', '-1'], "'=1+1,'@SUM(A1),'+1,'-1"],
  ['a formula that must be quoted', ['=HYPERLINK("x")', '\t=1', '\r=1'], `"'=HYPERLINK(""x"")",'\t=1,"'\r=1"`],
  ['a negative number, which is no formula', [-1], '-1'],
  ['text with a sign inside', ['a=b'], 'a=b'],
])('%s', (_name, cells, line) => {
  expect(csvLine(cells)).toBe(`${line}\r\n`)
})
