import { describe, expect, test } from 'bun:test'
import { decodeHTMLStrict } from 'entities'
import { characterOf } from '../../src/outbound/html-entities.ts'

/** The entities of HTML 2 and those that word processors write. */
const NAMES = `nbsp shy copy reg szlig Auml Ouml Uuml auml ouml uuml eacute Egrave ccedil ntilde oslash aring AElig THORN yuml yen frac12
  amp lt gt quot apos ndash mdash hellip bull lsquo rsquo sbquo ldquo rdquo bdquo lsaquo rsaquo laquo raquo euro trade OElig oelig Scaron
  scaron Yuml times divide iquest deg middot`

describe('an entity is the character that a myPodcasts says it is:', () => {
  test.each(NAMES.split(/\s+/))('&%s;', (name) => {
    expect(characterOf(name)).toBe(decodeHTMLStrict(`&${name};`))
  })

  test.each(Array.from({ length: 0x180 }, (_, code) => code))('of number %i', (code) => {
    for (const entity of [`#${code}`, `#x${code.toString(16)}`, `#X00${code.toString(16).toUpperCase()}`])
      expect(characterOf(entity)).toBe(decodeHTMLStrict(`&${entity};`))
  })

  test.each([0x2013, 0x1f399, 0xd800, 0xdfff, 0x10ffff, 0x110000, 99999999999])('of number %i', (code) => {
    expect(characterOf(`#${code}`)).toBe(decodeHTMLStrict(`&#${code};`))
  })
})

test('names that few people use are left to whoever asks', () => {
  for (const name of ['nosuch', 'NBSP', 'CounterClockwiseContourIntegral', ''])
    expect(characterOf(name)).toBeUndefined()
})
