/** A picture in notes becomes a link whose text begins with this, since pages load nothing from publishers. */
export const PICTURE = '🖼'

const IMAGE = /<img\b([^<>]*)>/gi
/** A cell that is not the first one of its row. */
const NEXT_CELL = /<\/t[dh]\s*>\s*<t[dh]\b[^<>]*>/gi
const ROW = /<(\/?)tr\b[^<>]*>/gi
/** Paragraphs that are a whole cell would break its row. */
const CELL_START = /(<t[dh]\b[^<>]*>)\s*<p\b[^<>]*>/gi
const CELL_END = /<\/p\s*>\s*(<\/t[dh]\s*>)/gi

/** Pictures as links and tables as lines. The result is as untrusted as the source. */
export function plainMarkup(html: string, base = ''): string {
  const text = /<img\b/i.test(html)
    ? html.replace(IMAGE, (_tag, attributes: string) => pictureLink(attributes, base))
    : html
  if (!/<tr\b/i.test(text)) return text
  return text.replace(CELL_START, '$1').replace(CELL_END, '$1').replace(NEXT_CELL, ' · ').replace(ROW, '<$1p>')
}

function pictureLink(attributes: string, base: string): string {
  const src = attributeIn(attributes, 'src').trim()
  const words = attributeIn(attributes, 'alt').trim()
  const name = words || fileName(src)
  // Pictures of a pixel count readers, and so do most that are called .gif.
  const isPixel = ['width', 'height'].some((side) => /^[01](?:px)?$/.test(attributeIn(attributes, side).trim()))
  if (isPixel || src === '' || (words === '' && /\.gif$/i.test(name))) return ''
  const leads = /^https?:/i.test(src) || (base !== '' && isRelative(src))
  return leads ? `<a href="${src}">${PICTURE} ${name}</a>` : name
}

export function isRelative(address: string): boolean {
  return address !== '' && !/^[a-z][a-z\d+.-]*:/i.test(address)
}

function attributeIn(attributes: string, name: string): string {
  const [, double, single, bare] =
    new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"']+))`, 'i').exec(attributes) ?? []
  return (double ?? single ?? bare ?? '').replaceAll('"', '&quot;')
}

function fileName(src: string): string {
  if (/^data:/i.test(src)) return ''
  return (src.split(/[?#]/)[0] ?? '').split('/').at(-1) ?? ''
}
