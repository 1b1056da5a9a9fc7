const outline = '<outline text="Hör & zu" xmlUrl="https://feeds.example/old?x=1&y=2"/>'
const opml = `<opml version="1.1"><body>${outline}</body></opml>`
const declared = (charset: string) => `<?xml version="1.0" encoding="${charset}"?>\n${opml}`

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const little = (text: string) => Buffer.from(text, 'utf16le')
const big = (text: string) => little(text).swap16()

/** What programs of twenty years ago write: one feed, its ampersands as they are, in the charsets of their day. */
export const OLD_LISTS: readonly (readonly [string, Uint8Array<ArrayBuffer>])[] = (
  [
    ['UTF-8', Buffer.from(declared('utf-8'))],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${declared('utf-8')}`)],
    ['UTF-8, which says that it is something else', Buffer.from(declared('ISO-8859-1'))],
    ['ISO-8859-1', latin1(declared('ISO-8859-1'))],
    ['Windows-1252', latin1(declared('Windows-1252'))],
    ['ISO-8859-1, which says that it is UTF-8', latin1(declared('utf-8'))],
    ['ISO-8859-1, which says nothing', latin1(opml)],
    ['ISO-8859-1, which says that it is something unknown', latin1(declared('x-fog'))],
    ['UTF-16, little end first, with a mark', little(`\ufeff${declared('UTF-16')}`)],
    ['UTF-16, little end first, without a mark', little(declared('UTF-16'))],
    ['UTF-16, big end first, with a mark', big(`\ufeff${declared('UTF-16')}`)],
    ['UTF-16, big end first, without a mark', big(declared('UTF-16'))],
  ] as const
).map(([name, bytes]) => [name, new Uint8Array(bytes)])
