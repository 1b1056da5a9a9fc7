/**
 * Everything outside of the production `Char` of XML 1.0, lone surrogates included: not even an escape may name these.
 */
export const FORBIDDEN_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

const FORBIDDEN = new RegExp(FORBIDDEN_IN_XML, 'gu')

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  // A reader turns these into spaces inside an attribute unless they are escaped.
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** Text for an element or an attribute in either kind of quotes. Characters that XML 1.0 forbids are dropped. */
export function escapeXml(text: string): string {
  return text.replace(FORBIDDEN, '').replace(/[&<>"'\t\n\r]/g, (char) => ESCAPES[char] ?? char)
}
