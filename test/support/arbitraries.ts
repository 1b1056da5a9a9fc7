import fc from 'fast-check'

/*
 * For property tests. fast-check's unit `binary` and its `webUrl` build a table of all characters first, which takes 0.6
 * seconds of processor time in every test file.
 */

/** Any code point, including surrogates. A `unit` of `fc.string`. */
export const anyCharacter = fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code))

const part = fc.string({ unit: fc.constantFrom(..."abz09/-._~%!$&'()*+,;=:@"), maxLength: 20 })

/** A URL of a web page, with any path, query and fragment in ASCII. */
export const anyWebUrl = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    fc.constantFrom('a.example', 'b-2.example:8080', '127.0.0.1'),
    part,
    part,
    part,
  )
  .map(([scheme, host, path, query, fragment]) => `${scheme}://${host}/${path}?${query}#${fragment}`)
