const outline = '<outline text="Hör & zu" xmlUrl="https://feeds.example/old?x=1&y=2"/>'
const opml = `<opml version="1.1"><body>${outline}</body></opml>`
const declared = (charset: string) => `<?xml version="1.0" encoding="${charset}"?>\n${opml}`

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const little = (text: string) => Buffer.from(text, 'utf16le')
const big = (text: string) => little(text).swap16()

/** Lists as old programs write them: one feed, unescaped ampersands, old charsets. */
export const OLD_LISTS: readonly (readonly [string, Uint8Array<ArrayBuffer>])[] = (
  [
    ['UTF-8', Buffer.from(declared('utf-8'))],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${declared('utf-8')}`)],
    ['UTF-8, declared as ISO-8859-1', Buffer.from(declared('ISO-8859-1'))],
    ['ISO-8859-1', latin1(declared('ISO-8859-1'))],
    ['Windows-1252', latin1(declared('Windows-1252'))],
    ['ISO-8859-1, declared as UTF-8', latin1(declared('utf-8'))],
    ['ISO-8859-1, undeclared', latin1(opml)],
    ['ISO-8859-1, declared as an unknown charset', latin1(declared('x-fog'))],
    ['UTF-16LE with a byte order mark', little(`\ufeff${declared('UTF-16')}`)],
    ['UTF-16LE without a byte order mark', little(declared('UTF-16'))],
    ['UTF-16BE with a byte order mark', big(`\ufeff${declared('UTF-16')}`)],
    ['UTF-16BE without a byte order mark', big(declared('UTF-16'))],
  ] as const
).map(([name, bytes]) => [name, new Uint8Array(bytes)])
