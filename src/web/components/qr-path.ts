import { encode } from 'uqr'

export interface QrPath {
  /** The number of modules from edge to edge, including the quiet zone. */
  readonly size: number
  /** The `d` attribute of an SVG path, with one unit per module. */
  readonly path: string
}

/** Empty modules around a code, which cameras need to find it (ISO 18004). */
const QUIET_ZONE = 4

/** Encodes a text. Adjacent dark modules of a row are drawn as one rectangle. */
export function qrPath(text: string): QrPath {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE })
  const rows = data.map((row, y) => runsOf(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`))
  return { size, path: rows.flat().join('') }
}

/** The runs of dark modules in a row. */
function runsOf(row: readonly boolean[]): [start: number, length: number][] {
  const text = row.map((isDark) => (isDark ? '1' : '0')).join('')
  return [...text.matchAll(/1+/g)].map(({ index, 0: run }) => [index, run.length])
}
